import asyncio
import base64
import io
import logging
from collections.abc import AsyncIterator
from contextlib import suppress

import aiohttp
import pytest
from aiohttp import web

from extensions.server.gateway import GatewayOptions, serving_gateway
from extensions.server.http import Doorstep, DoorstepOptions, loopback_socket
from extensions.server.ledger import AnswerLedger
from tests.fakes.server_clients import JOB_TOKEN, callers
from tests.fakes.server_gateway import KEY, error_of, house
from tests.fakes.server_upstream import (
    cut,
    running_upstream,
    whole,
)

MB = 1024 * 1024


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


@pytest.mark.parametrize("key", ["", " ", "sk-ant\nx: y", "sk-änt"])
async def test_what_can_be_no_key_is_refused_without_being_named(key: str) -> None:
    with loopback_socket() as sock, pytest.raises(ValueError, match="API key") as caught:
        async with serving_gateway(
            callers(), AnswerLedger(), upstream="http://127.0.0.1", api_key=key, sock=sock
        ):
            raise AssertionError

    assert "sk-" not in str(caught.value)


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
