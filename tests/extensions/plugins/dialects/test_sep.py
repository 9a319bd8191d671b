from typing import Any

import pytest

from extensions.hooks import HookPoint, Occasion
from extensions.plugins.dialects.dialect import (
    BadGreeting,
    Blocks,
    CallMark,
    Continues,
    Farewell,
    Greeting,
    HookAnswer,
    Modifies,
    Order,
    Unusable,
)
from extensions.plugins.dialects.sep import SepWire, registrations_of
from extensions.plugins.registrations import (
    CommandRegistration,
    ModelRegistration,
    PluginAnswer,
    PluginCompletion,
    ProviderRegistration,
    Registrations,
    RendererRegistration,
    ShortcutRegistration,
    ToolRegistration,
)

WIRE = SepWire()
CONTEXT = {"token": "1.x", "tier": "command"}
MARK = CallMark(call_id="call-1", occasion=Occasion(), context=CONTEXT)


def test_all_that_a_plugin_offers_is_read() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    warnings: list[str] = []
    raw = {
        "tools": [
            {"name": "roll", "description": "Rolls.", "parameters": schema, "deferred": True}
        ],
        "commands": [{"name": "/dice", "description": "Rolls."}],
        "flags": ["loud", "loud"],
        "shortcuts": [{"key": "ctrl+e", "command": "dice"}],
        "subscriptions": ["turn_start"],
        "providers": [{"name": "parrot", "oauth": True, "models": [{"id": "grey"}]}],
        "hooks": ["input"],
        "message_renderers": [{"tag": "t", "template": {"kind": "markdown", "text": "x"}}],
        "from the future": 1,
    }

    assert registrations_of(raw, warnings.append) == Registrations(
        tools=(ToolRegistration(name="roll", description="Rolls.", schema=schema, deferred=True),),
        commands=(CommandRegistration(name="dice", description="Rolls."),),
        flags=("loud",),
        shortcuts=(ShortcutRegistration(key="ctrl+e", command="dice"),),
        subscriptions=frozenset({"turn_start"}),
        providers=(
            ProviderRegistration(name="parrot", oauth=True, models=(ModelRegistration(id="grey"),)),
        ),
        hooks=frozenset({"input"}),
        renderers=(RendererRegistration(tag="t", template={"kind": "markdown", "text": "x"}),),
    )
    assert warnings == []


@pytest.mark.parametrize(
    ("raw", "warning"),
    [
        ([], "its registrations are not an object"),
        ({"tools": {}}, "what it says of tools is not a list"),
        ({"tools": [5]}, "tool 1 is left out: it is not an object"),
        ({"tools": [{"name": "a\nb"}]}, "tool 1 is left out: its name holds what cannot be seen"),
        ({"tools": [{"name": "a" * 200}]}, "tool 1 is left out: its name is longer than 128"),
        ({"tools": [{"name": "a", "parameters": 1}]}, "its schema is not an object"),
        ({"tools": [{"name": "a"}, {"name": "a"}]}, "tool `a` is there twice; the first counts"),
        ({"tools": [{"name": f"t{n}"} for n in range(201)]}, "1 tools are left out: 200 are the"),
        ({"tools": [{"name": "a", "description": "x" * 2**20}]}, "its description is too long"),
        ({"commands": [{"name": "two words"}]}, "its name is not one word"),
        ({"providers": [{"name": "p", "models": 1}]}, "its models are not a list"),
        ({"providers": [{"name": "p", "models": [{}]}]}, "it has no name"),
        ({"message_renderers": [{"tag": "t"}]}, "its template is not an object"),
        ({"hooks": [None]}, "hook 1 is left out: it has no name"),
    ],
)
def test_what_cannot_be_used_is_left_out_and_named(raw: Any, warning: str) -> None:
    warnings: list[str] = []
    registrations_of(raw, warnings.append)

    assert len(warnings) == 1
    assert warning in warnings[0]


@pytest.mark.parametrize("key", ["protocol_version", "protocolVersion"])
@pytest.mark.parametrize("version", [1, 2, 99])
def test_the_version_is_the_older_of_both(key: str, version: int) -> None:
    assert WIRE.greeted({key: version, "extension": {}}) == Greeting(
        registrations=Registrations(), protocol=1
    )


@pytest.mark.parametrize(
    "result",
    [None, [], {}, {"protocol_version": 0}, {"protocol_version": -1}]
    + [{"protocol_version": odd} for odd in ("1", True, 1.5, None)],
)
def test_a_version_below_the_first_or_none_is_refused(result: Any) -> None:
    assert isinstance(WIRE.greeted(result), BadGreeting)


def test_a_tool_is_called_by_its_own_name() -> None:
    assert WIRE.tool_call("roll", {"n": 2}, MARK) == Order(
        "tool/execute",
        {"call_id": "call-1", "tool": "roll", "arguments": {"n": 2}, "context": CONTEXT},
    )
    assert WIRE.older_tool_call("roll", {}) is None


def test_a_tools_answer_is_read_and_one_without_content_is_unusable() -> None:
    assert WIRE.tool_answer({"content": "six", "details": [6]}) == PluginAnswer(
        text="six", details=[6]
    )
    assert WIRE.tool_answer({"content": "no", "is_error": True}) == PluginAnswer(
        text="no", is_error=True
    )
    for result in (None, "six", {}, {"content": [1]}):
        assert isinstance(WIRE.tool_answer(result), Unusable)


def test_commands_and_their_completion_are_asked_and_read() -> None:
    assert WIRE.command("dice", "2 d6", MARK) == Order(
        "command/execute", {"command": "dice", "context": CONTEXT, "arguments": {"args": "2 d6"}}
    )
    assert WIRE.completion("dice", "2", MARK) == Order(
        "command/complete", {"command": "dice", "context": CONTEXT, "partial": "2"}
    )
    assert [
        WIRE.command_answer(each) for each in ({"content": " hi "}, {}, None, {"content": 1})
    ] == [
        "hi",
        "",
        "",
        "",
    ]
    found = WIRE.completions(
        {"completions": [{"value": "2d6", "description": "two"}, {"value": 1}, "x"]}
    )
    assert found == [PluginCompletion(value="2d6", description="two")]
    assert (
        WIRE.completions({"completions": [{"value": "x"}] * 99})
        == [PluginCompletion(value="x")] * 25
    )
    assert WIRE.completions(None) == []


def test_every_hook_point_has_its_hook() -> None:
    assert [WIRE.hook_name(point) for point in HookPoint] == [str(point) for point in HookPoint]
    value = {"argv": ["ls"]}
    assert WIRE.hook(HookPoint.USER_BASH, value, MARK) == Order(
        "hook", {"hook": "user_bash", "context": CONTEXT, "input": value}
    )


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        ({"action": "continue"}, Continues()),
        ({"action": "block", "reason": "no"}, Blocks("no")),
        ({"action": "block"}, Blocks(None)),
        ({"action": "modify", "patch": {"text": "x"}}, Modifies({"text": "x"})),
    ],
)
def test_what_a_plugin_wants_is_understood(result: Any, answer: HookAnswer) -> None:
    assert WIRE.hook_answer(HookPoint.INPUT, result) == answer


@pytest.mark.parametrize(
    "result", [None, {}, {"action": "explode"}, {"action": "modify"}, {"action": ["block"]}]
)
def test_what_means_nothing_is_said_to_be_unusable(result: Any) -> None:
    assert isinstance(WIRE.hook_answer(HookPoint.INPUT, result), Unusable)


def test_an_event_carries_its_number() -> None:
    params = WIRE.event("turn_start", {"a": 1}, CONTEXT)

    assert params is not None
    assert params(7) == {
        "event": "turn_start",
        "seq": 7,
        "context": CONTEXT,
        "payload": {"a": 1},
    }


def test_it_ends_by_a_request() -> None:
    assert WIRE.farewell("stop") == Farewell(order=Order("shutdown", {}), is_request=True)
    assert WIRE.ping() == Order("ping", {})
