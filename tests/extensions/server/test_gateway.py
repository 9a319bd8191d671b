import asyncio
import base64
import gzip
import io
import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import aiohttp
import pytest
from aiohttp import web
from yarl import URL

from extensions.claude.usage import Usage
from extensions.server.gateway import GatewayOptions, serving_gateway
from extensions.server.http import Doorstep, DoorstepOptions, loopback_socket
from extensions.server.ledger import AnswerLedger
from tests.fakes.server_clients import JOB, JOB_TOKEN, SPEAKER, SPEAKER_TOKEN, callers
from tests.fakes.server_upstream import (
    DELTA,
    ERROR,
    START,
    STOP,
    FakeUpstream,
    Handler,
    cut,
    running_upstream,
    sse,
    streaming,
    whole,
)

KEY = "sk-ant-api03-the-real-key"
MB = 1024 * 1024
USED = Usage(input_tokens=100, output_tokens=42)


@dataclass(frozen=True, slots=True)
class House:
    """A gateway between a job's client and an upstream."""

    url: str
    port: int
    http: aiohttp.ClientSession
    upstream: FakeUpstream
    ledger: AnswerLedger

    async def ask(self, path: str = "/v1/messages?beta=true") -> tuple[int, bytes]:
        async with self.http.post(self.url + path, data=b'{"stream": true}') as answer:
            return answer.status, await answer.read()

    async def ask_in_vain(self) -> None:
        with pytest.raises(aiohttp.ClientPayloadError):
            await self.ask()


@asynccontextmanager
async def house(
    handler: Handler = whole,
    *,
    upstream_url: str | None = None,
    options: GatewayOptions | None = None,
    doorstep: Doorstep | None = None,
) -> AsyncGenerator[House, None]:
    ledger = AnswerLedger()
    sock = loopback_socket()
    async with (
        asyncio.timeout(20),
        running_upstream(handler) as upstream,
        serving_gateway(
            callers(),
            ledger,
            upstream=upstream_url or upstream.url,
            api_key=KEY,
            sock=sock,
            options=options,
            doorstep=doorstep,
        ) as gateway,
        aiohttp.ClientSession(headers={"x-api-key": JOB_TOKEN}) as http,
    ):
        yield House(gateway.url, gateway.port, http, upstream, ledger)


def error_of(body: bytes) -> tuple[str, str]:
    error = json.loads(body)
    assert error["type"] == "error"
    return error["error"]["type"], error["error"]["message"]


async def test_a_request_goes_on_with_the_key_in_place_of_the_token() -> None:
    async with house() as it:
        headers = {"anthropic-version": "2023-06-01", "authorization": f"Bearer {JOB_TOKEN}"}
        async with it.http.post(
            f"{it.url}/v1/messages?beta=true", data=b'{"x": 1}', headers=headers
        ) as answer:
            body = await answer.read()
            content_type = answer.content_type
    heard = it.upstream.heard[0]

    assert (heard.method, heard.path, heard.body) == (
        "POST",
        "/v1/messages?beta=true",
        b'{"x": 1}',
    )
    assert heard.headers["x-api-key"] == KEY
    assert heard.headers["anthropic-version"] == "2023-06-01"
    assert heard.headers["accept-encoding"] == "identity"
    assert JOB_TOKEN not in str(heard.headers)
    assert (answer.status, body, content_type) == (
        200,
        sse(START) + sse(DELTA, STOP),
        "text/event-stream",
    )


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/messages/count_tokens?beta=true"),
        ("GET", "/v1/models?limit=20&after_id=a%2Fb"),
        ("GET", "/v1/models/claude-opus-5.5"),
        ("GET", "/"),
        ("HEAD", "/"),
    ],
)
async def test_what_is_no_answer_of_the_model_is_forwarded_and_not_counted(
    method: str, path: str
) -> None:
    async def reply(_request: web.BaseRequest) -> web.StreamResponse:
        return web.json_response({"input_tokens": 7, "usage": {"input_tokens": 7}})

    async with (
        house(reply) as it,
        it.http.request(method, URL(it.url + path, encoded=True)) as answer,
    ):
        status = answer.status

    assert status == 200
    assert [(each.method, each.path) for each in it.upstream.heard] == [(method, path)]
    assert it.ledger.usage_of(JOB) == Usage()


async def test_an_upstream_may_lie_under_a_path() -> None:
    async with running_upstream(whole) as real, house(upstream_url=f"{real.url}/proxy/") as it:
        await it.ask()

    assert [each.path for each in real.heard] == ["/proxy/v1/messages?beta=true"]


async def test_an_answer_is_passed_on_as_it_comes() -> None:
    received = asyncio.Event()

    async def waits(request: web.BaseRequest) -> web.StreamResponse:
        response = await streaming(request, sse(START))
        await received.wait()
        await response.write(sse(DELTA, STOP))
        return response

    async with house(waits) as it, it.http.post(f"{it.url}/v1/messages") as answer:
        assert await answer.content.readany() == sse(START)
        received.set()
        assert await answer.content.read() == sse(DELTA, STOP)


async def test_what_each_caller_uses_is_counted() -> None:
    async def in_one_piece(_request: web.BaseRequest) -> web.StreamResponse:
        return web.json_response({"usage": {"input_tokens": 3, "output_tokens": 4}})

    async with house() as it:
        await it.ask()
        it.upstream.handler = in_one_piece
        await it.ask()
        async with it.http.post(
            f"{it.url}/v1/messages", headers={"x-api-key": SPEAKER_TOKEN}
        ) as answer:
            await answer.read()

    assert it.ledger.usage_of(JOB) == USED + Usage(input_tokens=3, output_tokens=4)
    assert it.ledger.usage_of(SPEAKER) == Usage(input_tokens=3, output_tokens=4)
    assert it.ledger.last_answer_was_cut(JOB) is False


@pytest.mark.parametrize(
    "headers",
    [{}, {"x-api-key": "wrong-token-5150"}, {"authorization": "Bearer wrong-token-5150"}],
)
async def test_without_a_valid_token_nothing_is_forwarded(
    headers: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    async with (
        house() as it,
        aiohttp.ClientSession(headers=headers) as stranger,
        stranger.post(f"{it.url}/v1/messages") as answer,
    ):
        assert answer.status == 401
        assert error_of(await answer.read())[0] == "authentication_error"
        assert "www-authenticate" not in answer.headers

    assert it.upstream.heard == []
    assert "refused a model call" in caplog.text
    assert "wrong-token-5150" not in caplog.text


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/files"),
        ("POST", "/v1/messages/batches"),
        ("DELETE", "/v1/models/x"),
        ("GET", "/v1/messages"),
        ("OPTIONS", "/v1/messages"),
    ],
)
async def test_what_the_gateway_is_not_for_is_not_forwarded(method: str, path: str) -> None:
    async with house() as it, it.http.request(method, it.url + path) as answer:
        assert answer.status == 403
        assert error_of(await answer.read())[0] == "permission_error"

    assert it.upstream.heard == []


@pytest.mark.parametrize(
    "line",
    [
        b"POST http://evil.example/v1/messages HTTP/1.1",
        b"CONNECT evil.example:443 HTTP/1.1",
        b"POST /v1/messages/../files HTTP/1.1",
        b"POST /v1/messages/%2e%2e/files HTTP/1.1",
        b"POST //evil.example/v1/messages HTTP/1.1",
    ],
)
async def test_no_form_of_request_leads_elsewhere(line: bytes) -> None:
    async with house() as it:
        reader, writer = await asyncio.open_connection("127.0.0.1", it.port)
        head = b"host: evil.example\r\nx-api-key: " + JOB_TOKEN.encode()
        writer.write(line + b"\r\n" + head + b"\r\ncontent-length: 0\r\n\r\n")
        status = (await reader.readline()).split()[1]
        writer.close()

    assert status in {b"403", b"400"}
    assert it.upstream.heard == []


async def test_a_redirect_is_not_followed_and_not_passed_on() -> None:
    async with running_upstream(whole) as elsewhere:

        async def redirect(_request: web.BaseRequest) -> web.StreamResponse:
            return web.Response(status=307, headers={"location": f"{elsewhere.url}/v1/messages"})

        async with house(redirect) as it:
            status, body = await it.ask()

    assert (status, error_of(body)) == (
        502,
        ("api_error", "the model's API answered with a redirect"),
    )
    assert elsewhere.heard == []


async def zeros(size: int) -> AsyncIterator[bytes]:
    for _ in range(0, size, MB):
        yield bytes(MB)


async def test_a_request_of_more_than_32_mb_is_refused_whether_it_says_so_or_not() -> None:
    async with house() as it:
        for data in (io.BytesIO(bytes(32 * MB + 1)), zeros(33 * MB)):
            async with it.http.post(f"{it.url}/v1/messages", data=data) as answer:
                assert answer.status == 413
                assert error_of(await answer.read())[0] == "request_too_large"
        refused = list(it.upstream.heard)
        async with it.http.post(f"{it.url}/v1/messages", data=zeros(20 * MB)) as answer:
            assert answer.status == 200

    assert refused == []
    assert len(it.upstream.heard[0].body) == 20 * MB


async def test_a_request_that_does_not_come_is_not_waited_for() -> None:
    async with house(options=GatewayOptions(body_seconds=0.01)) as it:
        reader, writer = await asyncio.open_connection("127.0.0.1", it.port)
        writer.write(
            b"POST /v1/messages HTTP/1.1\r\nhost: a\r\nx-api-key: "
            + JOB_TOKEN.encode()
            + b"\r\ncontent-length: 5\r\n\r\n"
        )
        status = (await reader.readline()).split()[1]
        writer.close()

    assert status == b"408"


async def test_an_answer_that_breaks_off_is_marked_until_one_comes_whole() -> None:
    async with house(cut) as it:
        await it.ask_in_vain()
        after_cut = (it.ledger.last_answer_was_cut(JOB), it.ledger.usage_of(JOB))
        it.upstream.handler = whole
        await it.ask()
        after_whole = it.ledger.last_answer_was_cut(JOB)

    assert after_cut == (True, Usage(input_tokens=100, output_tokens=1))
    assert after_whole is False


async def test_a_stream_that_ends_without_its_last_event_is_marked_as_cut() -> None:
    async def ends_early(request: web.BaseRequest) -> web.StreamResponse:
        return await streaming(request, sse(START), sse(DELTA))

    async with house(ends_early) as it:
        assert (await it.ask())[0] == 200

    assert it.ledger.last_answer_was_cut(JOB) is True


async def test_an_answer_in_one_piece_that_breaks_off_is_marked_as_cut() -> None:
    async def half(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "application/json"})
        response.content_length = 100
        await response.prepare(request)
        await response.write(b'{"usage": {')
        assert request.transport is not None
        request.transport.close()
        return response

    async with house(half) as it:
        await it.ask_in_vain()

    assert it.ledger.last_answer_was_cut(JOB) is True


async def test_an_error_in_the_stream_is_passed_on_and_not_a_cut() -> None:
    async def overloaded(request: web.BaseRequest) -> web.StreamResponse:
        return await streaming(request, sse(START), sse(ERROR))

    async with house(overloaded) as it:
        assert await it.ask() == (200, sse(START) + sse(ERROR))

    assert it.ledger.last_answer_was_cut(JOB) is False


async def test_an_http_error_is_passed_on_and_not_a_cut() -> None:
    async def overloaded(_request: web.BaseRequest) -> web.StreamResponse:
        return web.json_response(ERROR, status=529, headers={"retry-after": "7"})

    async with house(overloaded) as it, it.http.post(f"{it.url}/v1/messages") as answer:
        assert (answer.status, answer.headers["retry-after"]) == (529, "7")
        assert await answer.json() == ERROR

    assert it.ledger.last_answer_was_cut(JOB) is False
    assert it.ledger.usage_of(JOB) == Usage()


async def test_a_stream_in_which_nothing_comes_any_more_is_ended_and_marked_as_cut() -> None:
    async def stuck(request: web.BaseRequest) -> web.StreamResponse:
        await streaming(request, sse(START))
        await asyncio.Event().wait()
        raise AssertionError

    async with house(stuck, options=GatewayOptions(idle_seconds=0.05)) as it:
        await it.ask_in_vain()

    assert it.ledger.last_answer_was_cut(JOB) is True


async def test_an_upstream_that_does_not_answer_gives_an_error_and_no_cut() -> None:
    async def silent(_request: web.BaseRequest) -> web.StreamResponse:
        await asyncio.Event().wait()
        raise AssertionError

    async with house(silent, options=GatewayOptions(idle_seconds=0.05)) as it:
        status, body = await it.ask()

    assert (status, error_of(body)) == (
        504,
        ("api_error", "the model's API did not answer in time"),
    )
    assert it.ledger.last_answer_was_cut(JOB) is False


async def test_an_upstream_that_is_not_there_gives_an_error_and_no_cut() -> None:
    with loopback_socket() as unused:
        port = unused.getsockname()[1]
    async with house(upstream_url=f"http://127.0.0.1:{port}") as it:
        status, body = await it.ask()

    assert (status, error_of(body)) == (502, ("api_error", "the model's API cannot be reached"))
    assert it.ledger.last_answer_was_cut(JOB) is False


async def test_a_caller_that_goes_away_ends_its_request_and_is_not_cut() -> None:
    dropped = asyncio.Event()

    async def waits(request: web.BaseRequest) -> web.StreamResponse:
        try:
            await streaming(request, sse(START))
            await asyncio.Event().wait()
        finally:
            dropped.set()
        raise AssertionError

    async with house(waits) as it:
        async with it.http.post(f"{it.url}/v1/messages") as answer:
            assert await answer.content.readany() == sse(START)
        await dropped.wait()

    assert it.ledger.last_answer_was_cut(JOB) is False
    assert it.ledger.usage_of(JOB) == Usage(input_tokens=100, output_tokens=1)


async def test_the_key_is_in_no_answer_and_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    async def blabs(request: web.BaseRequest) -> web.StreamResponse:
        assert request.headers["x-api-key"] == KEY
        response = web.StreamResponse(status=401, headers={"x-api-key": KEY, "x-said": f"<{KEY}>"})
        await response.prepare(request)
        for part in (b"you sent sk-ant-", KEY[7:].encode(), b" and " + KEY.encode()):
            await response.write(part)
        return response

    async def blabs_badly(request: web.BaseRequest) -> web.StreamResponse:
        assert request.transport is not None
        assert isinstance(request.transport, asyncio.Transport)
        request.transport.write(b"HTTP/1.1 " + KEY.encode() + b"\r\n" + KEY.encode() + b"\r\n\r\n")
        request.transport.close()
        return web.Response()

    seen = ""
    async with house(blabs) as it:
        for handler in (blabs, cut, blabs_badly, whole):
            it.upstream.handler = handler
            with suppress(aiohttp.ClientError):
                async with it.http.post(f"{it.url}/v1/messages") as answer:
                    seen += f"{answer.reason} {answer.headers} {(await answer.read())!r}"

    assert "you sent *****" in seen
    assert len(it.upstream.heard) == 4
    for form in (KEY, base64.b64encode(KEY.encode()).decode()):
        assert form not in seen
        assert form not in caplog.text


async def test_an_answer_that_is_packed_all_the_same_is_unpacked() -> None:
    async def packed(_request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(
            body=gzip.compress(sse(START, DELTA, STOP)),
            headers={"content-encoding": "gzip", "content-type": "text/event-stream"},
        )

    async with house(packed) as it:
        assert await it.ask() == (200, sse(START, DELTA, STOP))

    assert it.ledger.usage_of(JOB) == USED


@pytest.mark.parametrize("key", ["", " ", "sk-ant\nx: y", "sk-änt"])
async def test_what_can_be_no_key_is_refused_without_being_named(key: str) -> None:
    with loopback_socket() as sock, pytest.raises(ValueError, match="API key") as caught:
        async with serving_gateway(
            callers(), AnswerLedger(), upstream="http://127.0.0.1", api_key=key, sock=sock
        ):
            raise AssertionError

    assert "sk-" not in str(caught.value)


async def test_the_gateway_stops_though_answers_are_on_their_way(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def waits(request: web.BaseRequest) -> web.StreamResponse:
        await streaming(request, sse(START))
        await asyncio.Event().wait()
        raise AssertionError

    sock = loopback_socket()
    url = f"http://127.0.0.1:{sock.getsockname()[1]}"
    async with (
        asyncio.timeout(10),
        running_upstream(waits) as upstream,
        aiohttp.ClientSession(headers={"x-api-key": JOB_TOKEN}) as http,
    ):
        async with serving_gateway(
            callers(), AnswerLedger(), upstream=upstream.url, api_key=KEY, sock=sock
        ):
            answer = await http.post(f"{url}/v1/messages")
            assert await answer.content.readany() == sse(START)
        with pytest.raises(aiohttp.ClientPayloadError):
            await answer.read()

    assert [r for r in caplog.records if r.levelno >= logging.WARNING or r.exc_info] == []


async def test_hundreds_of_idle_connections_do_not_keep_a_caller_out() -> None:
    doorstep = Doorstep(DoorstepOptions(limit=200))
    async with house(doorstep=doorstep) as it:
        idle = [await asyncio.open_connection("127.0.0.1", it.port) for _ in range(500)]
        for _, writer in idle:
            writer.write(b"POST /v1/messages HTTP/1.1\r\n")
        status, _ = await it.ask()
        waiting = len(doorstep)
        for _, writer in idle:
            writer.transport.abort()

    assert status == 200
    assert 0 < waiting <= 200
