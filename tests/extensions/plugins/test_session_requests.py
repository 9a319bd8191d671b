from typing import Any

import pytest

from extensions.plugins.contexts import ContextTier
from extensions.plugins.fields import BadFieldError, Fields
from extensions.plugins.services import Delivery
from extensions.plugins.serving import STALE_CONTEXT, WRONG_TIER
from extensions.plugins.session_requests import SessionRequests
from extensions.rpc.errors import ErrorCode, RpcError
from tests.fakes.plugin_services import FakeSessions
from tests.fakes.served_plugin import AT_UWES, FakeServedPlugin

METHODS: dict[str, dict[str, Any]] = {
    "session/send_message": {"text": "hi"},
    "session/send_user_message": {"text": "hi"},
    "session/append_entry": {"entry": {"n": 1}},
    "session/set_model": {"model": "opus"},
    "session/state": {},
}


@pytest.fixture
def sessions() -> FakeSessions:
    return FakeSessions()


@pytest.fixture
def plugin() -> FakeServedPlugin:
    return FakeServedPlugin()


async def ask(
    sessions: FakeSessions, plugin: FakeServedPlugin, method: str, **params: object
) -> object:
    """Ask for it, with a context unless one is given."""
    handlers = SessionRequests(sessions=sessions).handlers()
    return await handlers[method](plugin, Fields({"context": plugin.context(), **params}))


def test_the_methods_are_those_of_the_wire(sessions: FakeSessions) -> None:
    assert set(SessionRequests(sessions=sessions).handlers()) == set(METHODS)


async def test_each_method_is_done_in_the_session_of_its_context(
    sessions: FakeSessions, plugin: FakeServedPlugin
) -> None:
    answers = [await ask(sessions, plugin, method, **params) for method, params in METHODS.items()]

    assert answers == [{}, {}, {}, {}, {"state": {"name": "chat"}}]
    assert sessions.done == [
        ("send_message", "todo", "hi", "assistant", AT_UWES),
        ("send_user_message", "todo", "hi", Delivery.FOLLOW_UP, AT_UWES),
        ("append_entry", "todo", {"n": 1}, AT_UWES),
        ("set_model", "todo", "opus", None, None, AT_UWES),
        ("state", "todo", AT_UWES),
    ]


@pytest.mark.parametrize(
    ("word", "delivery"),
    [
        ("steer", Delivery.STEER),
        ("follow_up", Delivery.FOLLOW_UP),
        ("followUp", Delivery.FOLLOW_UP),
        ("next_turn", Delivery.NEXT_TURN),
        ("nextTurn", Delivery.NEXT_TURN),
    ],
)
async def test_a_plugin_says_when_what_it_says_is_taken(
    sessions: FakeSessions, plugin: FakeServedPlugin, word: str, delivery: Delivery
) -> None:
    await ask(sessions, plugin, "session/send_user_message", text="hi", deliver_as=word)

    assert sessions.done == [("send_user_message", "todo", "hi", delivery, AT_UWES)]


async def test_everything_that_is_said_of_a_model_is_passed_on(
    sessions: FakeSessions, plugin: FakeServedPlugin
) -> None:
    await ask(sessions, plugin, "session/set_model", model="m", provider="corp", thinking="high")

    assert sessions.done == [("set_model", "todo", "m", "corp", "high", AT_UWES)]


@pytest.mark.parametrize("method", METHODS)
async def test_whoever_was_only_told_something_may_not_act(
    sessions: FakeSessions, plugin: FakeServedPlugin, method: str
) -> None:
    context = plugin.context(ContextTier.EVENT) | {"tier": "command"}

    with pytest.raises(RpcError, match=WRONG_TIER) as caught:
        await ask(sessions, plugin, method, **METHODS[method], context=context)

    assert caught.value.code == ErrorCode.CONTEXT_VIOLATION
    assert sessions.done == []


@pytest.mark.parametrize("method", METHODS)
async def test_a_context_from_before_a_restart_is_stale(
    sessions: FakeSessions, plugin: FakeServedPlugin, method: str
) -> None:
    context = plugin.context()
    plugin.contexts.begin_epoch(1)

    with pytest.raises(RpcError, match="stale context") as caught:
        await ask(sessions, plugin, method, **METHODS[method], context=context)

    assert (caught.value.code, caught.value.message) == (
        ErrorCode.CONTEXT_VIOLATION,
        STALE_CONTEXT,
    )
    assert sessions.done == []


@pytest.mark.parametrize("method", METHODS)
async def test_what_a_session_cannot_do_is_said(
    sessions: FakeSessions, plugin: FakeServedPlugin, method: str
) -> None:
    sessions.refusal = "the session is not open any more"

    with pytest.raises(RpcError, match="the session is not open any more") as caught:
        await ask(sessions, plugin, method, **METHODS[method])

    assert caught.value.code == ErrorCode.INVALID_PARAMS


@pytest.mark.parametrize(
    ("method", "params", "reason"),
    [
        ("session/send_message", {"text": " "}, "text is empty"),
        ("session/send_message", {"text": "x" * 32_001}, "text is longer than 32000"),
        ("session/send_message", {"text": "a", "role": "system"}, "role has to be one of user"),
        ("session/send_user_message", {"text": "a", "deliver_as": "now"}, "deliver_as has to be"),
        ("session/append_entry", {"entry": [1]}, "entry has to be an object"),
        ("session/set_model", {"model": ""}, "model is empty"),
        ("session/set_model", {"model": "m", "thinking": 5}, "thinking has to be a string"),
    ],
)
async def test_what_is_wrong_is_named(
    sessions: FakeSessions,
    plugin: FakeServedPlugin,
    method: str,
    params: dict[str, Any],
    reason: str,
) -> None:
    with pytest.raises(BadFieldError, match=reason):
        await ask(sessions, plugin, method, **params)

    assert sessions.done == []
