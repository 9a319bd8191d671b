import asyncio

import aiohttp
import pytest
from aiohttp import web

from extensions.callers import Caller
from extensions.claude.usage import Usage
from extensions.server.gateway import GatewayOptions
from extensions.server.http import loopback_socket
from extensions.server.ledger import AnswerState
from tests.fakes.server_clients import JOB, JOB_TOKEN
from tests.fakes.server_gateway import error_of, house
from tests.fakes.server_upstream import (
    DELTA,
    ERROR,
    START,
    STOP,
    cut,
    sse,
    streaming,
    whole,
)

USED = Usage(input_tokens=100, output_tokens=42)


async def test_an_answer_that_breaks_off_is_marked_until_one_comes_whole() -> None:
    async with house(cut) as it:
        await it.ask_in_vain()
        after_cut = (it.ledger.last_answer_was_cut(JOB), it.ledger.usage_of(JOB))
        it.upstream.handler = whole
        await it.ask()
        after_whole = it.ledger.last_answer_was_cut(JOB)

    assert after_cut == (True, Usage(input_tokens=100, output_tokens=1))
    assert after_whole is False


async def test_an_answer_is_in_the_ledger_before_its_caller_has_the_last_of_it() -> None:
    async def lingers(request: web.BaseRequest) -> web.StreamResponse:
        await streaming(request, sse(START, DELTA, STOP))
        await asyncio.Event().wait()
        raise AssertionError

    async with house(cut) as it:
        await it.ask_in_vain()
        it.upstream.handler = lingers
        async with it.http.post(f"{it.url}/v1/messages") as answer:
            await answer.content.readuntil(sse(STOP))
            seen = (it.ledger.last_answer_was_cut(JOB), it.ledger.usage_of(JOB))

    assert seen == (False, USED + Usage(input_tokens=100, output_tokens=1))
    assert it.ledger.usage_of(JOB) == USED + Usage(input_tokens=100, output_tokens=1)


class FakeBook:
    """Remembers what is noted; each note takes as long as the test wants."""

    def __init__(self) -> None:
        self.notes: list[tuple[Caller, AnswerState]] = []
        self.is_quick = asyncio.Event()
        self.is_quick.set()

    async def note(self, caller: Caller, state: AnswerState) -> None:
        await self.is_quick.wait()
        self.notes.append((caller, state))


async def test_how_an_answer_stands_is_noted_as_it_opens_and_ends() -> None:
    book = FakeBook()
    async with house(cut, book=book) as it:
        await it.ask_in_vain()
        it.upstream.handler = whole
        await it.ask()
        await it.ask("/v1/messages/count_tokens")

    assert book.notes == [(JOB, state) for state in ("open", "cut", "open", "whole")]


async def test_that_an_answer_is_whole_is_noted_before_its_caller_has_the_last_of_it() -> None:
    book, go_on = FakeBook(), asyncio.Event()

    async def answers(request: web.BaseRequest) -> web.StreamResponse:
        response = await streaming(request, sse(START))
        await go_on.wait()
        await response.write(sse(STOP))
        return response

    async with house(answers, book=book) as it, it.http.post(f"{it.url}/v1/messages") as answer:
        assert await answer.content.readany() == sse(START)
        book.is_quick.clear()
        go_on.set()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await answer.content.readany()
        book.is_quick.set()
        assert await answer.content.readany() == sse(STOP)

    assert book.notes[-1] == (JOB, "whole")


async def test_an_answer_that_is_open_when_the_gateway_closes_stays_noted_as_open() -> None:
    book = FakeBook()

    async def lingers(request: web.BaseRequest) -> web.StreamResponse:
        response = await streaming(request, sse(START))
        await asyncio.Event().wait()
        return response

    async with aiohttp.ClientSession(headers={"x-api-key": JOB_TOKEN}) as http:
        async with house(lingers, book=book) as it:
            answer = await http.post(f"{it.url}/v1/messages")
            await answer.content.readany()
        with pytest.raises(aiohttp.ClientPayloadError):
            await answer.content.readany()
        answer.close()

    assert book.notes == [(JOB, "open")]


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


async def test_an_answer_stays_marked_as_cut_while_none_comes_whole() -> None:
    async def overloaded(_request: web.BaseRequest) -> web.StreamResponse:
        return web.json_response(ERROR, status=529)

    async with house(cut) as it:
        await it.ask_in_vain()
        it.upstream.handler = overloaded
        assert (await it.ask())[0] == 529
        after_error = it.ledger.last_answer_was_cut(JOB)
        it.upstream.handler = whole
        await it.ask()
        after_whole = it.ledger.last_answer_was_cut(JOB)

    assert (after_error, after_whole) == (True, False)


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
