import asyncio
import gzip
import logging

import aiohttp
import pytest
from aiohttp import web
from yarl import URL

from extensions.claude.usage import Usage
from extensions.server.gateway import serving_gateway
from extensions.server.http import loopback_socket
from extensions.server.ledger import AnswerLedger
from tests.fakes.server_clients import JOB, JOB_TOKEN, SPEAKER, SPEAKER_TOKEN, callers
from tests.fakes.server_gateway import KEY, house
from tests.fakes.server_upstream import (
    DELTA,
    START,
    STOP,
    running_upstream,
    sse,
    streaming,
    whole,
)

USED = Usage(input_tokens=100, output_tokens=42)


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


async def test_an_answer_that_is_packed_all_the_same_is_unpacked() -> None:
    async def packed(_request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(
            body=gzip.compress(sse(START, DELTA, STOP)),
            headers={"content-encoding": "gzip", "content-type": "text/event-stream"},
        )

    async with house(packed) as it:
        assert await it.ask() == (200, sse(START, DELTA, STOP))

    assert it.ledger.usage_of(JOB) == USED


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
