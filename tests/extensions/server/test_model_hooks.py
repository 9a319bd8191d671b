import json
from typing import Any

import pytest

from extensions.callers import Caller
from extensions.hooks import HookPoint, Occasion
from extensions.server.tool_hooks import Hooks
from tests.fakes.hook_chain import FakeChain, blocking, passing, patching
from tests.fakes.server_gateway import error_of, house

MESSAGES = [{"role": "user", "content": "hi"}]
BODY = b'{"model": "m",  "stream": true, "messages": [{"role": "user", "content": "hi"}]}'
OTHER = [{"role": "user", "content": "hello"}]


async def sent_with(chain: FakeChain, body: bytes = BODY) -> tuple[bytes, int, bytes]:
    """Return what reaches the model's API, and the answer."""
    async with house(hooks=chain.hooks) as home:
        status, answer = await home.ask(body=body)
        bodies = [seen.body for seen in home.upstream.heard]
    return (bodies[0] if bodies else b""), status, answer


async def test_where_nobody_has_a_say_the_request_is_passed_on_unread() -> None:
    async def unknown(_caller: Caller) -> Occasion:
        raise AssertionError

    async with house(hooks=Hooks(occasion_of=unknown)) as home:
        await home.ask(body=b"no JSON at all")
        assert home.upstream.heard[0].body == b"no JSON at all"


async def test_a_request_that_plugins_let_pass_is_the_same_to_the_byte() -> None:
    chain = FakeChain({HookPoint.CONTEXT: passing, HookPoint.BEFORE_PROVIDER_REQUEST: passing})
    body, status, _ = await sent_with(chain)

    assert (body, status) == (BODY, 200)
    whose = {"agent_id": "0a1b2c3d", "session_id": "5e55"}
    assert chain.fired == [
        (HookPoint.CONTEXT, {"messages": MESSAGES, **whose}),
        (HookPoint.BEFORE_PROVIDER_REQUEST, {"payload": json.loads(BODY), **whose}),
    ]


async def test_each_plugin_sees_what_the_one_before_made_of_it() -> None:
    chain = FakeChain(
        {
            HookPoint.CONTEXT: patching(messages=OTHER),
            HookPoint.BEFORE_PROVIDER_REQUEST: lambda value: patching(
                payload={**value["payload"], "model": "n"}
            )(value),
        }
    )
    body, _, _ = await sent_with(chain)

    assert json.loads(body) == {"model": "n", "stream": True, "messages": OTHER}


@pytest.mark.parametrize("messages", [None, [], "hello", [7], {}])
async def test_what_are_no_messages_count_for_nothing(
    messages: Any, caplog: pytest.LogCaptureFixture
) -> None:
    body, status, _ = await sent_with(FakeChain({HookPoint.CONTEXT: patching(messages=messages)}))

    assert (body, status) == (BODY, 200)
    assert "what editor made of a context are no messages" in caplog.text


async def test_what_is_no_request_counts_for_nothing() -> None:
    chain = FakeChain({HookPoint.BEFORE_PROVIDER_REQUEST: patching(payload=[7])})

    assert (await sent_with(chain))[:2] == (BODY, 200)


@pytest.mark.parametrize("point", [HookPoint.CONTEXT, HookPoint.BEFORE_PROVIDER_REQUEST])
async def test_a_request_that_is_forbidden_never_reaches_the_model(point: HookPoint) -> None:
    body, status, answer = await sent_with(FakeChain({point: blocking("not to them")}))

    assert (body, status) == (b"", 400)
    assert error_of(answer) == (
        "invalid_request_error",
        "the request to the model was blocked by plugin `gate`: not to them",
    )


@pytest.mark.parametrize("body", [b"no JSON", b"[]", b"[" * 100_000])
async def test_what_cannot_be_shown_to_plugins_goes_past_them(body: bytes) -> None:
    chain = FakeChain({HookPoint.CONTEXT: blocking("no")})

    assert (await sent_with(chain, body))[:2] == (body, 200)


async def test_other_requests_are_none_of_their_business() -> None:
    chain = FakeChain({HookPoint.CONTEXT: blocking("no")}, observed=frozenset({EVENT}))
    async with house(hooks=chain.hooks) as home:
        status, _ = await home.ask("/v1/messages/count_tokens", body=BODY)

    assert (status, chain.fired, chain.told) == (200, [], [])


EVENT = "after_provider_response"


async def test_that_the_model_answers_is_told_with_the_status() -> None:
    chain = FakeChain(observed=frozenset({EVENT}))
    await sent_with(chain)

    assert chain.told == [
        (EVENT, {"status": 200, "agent_id": "0a1b2c3d", "session_id": "5e55"}),
    ]
