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
    Welcome,
)
from extensions.plugins.dialects.stdio import StdioWire
from extensions.plugins.manifest import Dialect, Manifest
from extensions.plugins.registrations import PluginAnswer, Registrations, ToolRegistration

WIRE = StdioWire()
MARK = CallMark(call_id="1", occasion=Occasion(agent_id="job-1", session_id="chat"))
IDS = {"agent_id": "job-1", "session_id": "chat"}


def test_the_first_request_says_who_the_host_and_the_plugin_are() -> None:
    manifest = Manifest(id="sums", dialect=Dialect.STDIO, version="1", name="Sums")
    welcome = Welcome(
        manifest=manifest, host_version="1.2", workspace_root="/", workspace_trusted=True
    )

    order = Order("initialize", {"agent_version": "1.2", "extension_id": "sums"})
    assert WIRE.greeting(welcome) == order


def test_tools_and_hooks_are_read_and_what_is_unknown_is_named() -> None:
    schema = {"type": "object", "required": ["a"]}
    result = {
        "server_version": "9",
        "tools": [
            {"name": "add", "description": "Adds.", "input_schema": schema},
            {"name": "two", "inputSchema": schema},
            {"description": "no name"},
        ],
        "hooks": ["before_message", "on_full_moon"],
        "later": {},
    }

    assert WIRE.greeted(result) == Greeting(
        registrations=Registrations(
            tools=(
                ToolRegistration(name="add", description="Adds.", schema=schema),
                ToolRegistration(name="two", schema=schema),
            ),
            hooks=frozenset({"before_message"}),
        ),
        warnings=(
            "tool 3 is left out: it has no name",
            "unknown hook `on_full_moon`; skipping registration",
        ),
    )


def test_a_plugin_that_says_no_hooks_has_none() -> None:
    assert WIRE.greeted({}) == Greeting(registrations=Registrations(hooks=frozenset()))


@pytest.mark.parametrize("result", [None, [], "hello", 1])
def test_an_answer_that_is_no_object_is_no_handshake(result: Any) -> None:
    assert isinstance(WIRE.greeted(result), BadGreeting)


def test_a_tool_is_called_and_any_json_is_its_answer() -> None:
    assert WIRE.tool_call("add", {"a": 1}, MARK) == Order(
        "tools/call", {"name": "add", "arguments": {"a": 1}}
    )
    assert WIRE.older_tool_call("add", {"a": 1}) == Order("tools/add", {"a": 1})
    assert WIRE.tool_answer("as it is") == PluginAnswer(text="as it is")
    assert WIRE.tool_answer({"ü": [1, None]}) == PluginAnswer(text='{"ü": [1, null]}')


@pytest.mark.parametrize(
    ("point", "value", "order"),
    [
        (
            HookPoint.INPUT,
            {"text": "hi", "source": "voice", "images": 2},
            Order("hooks/before_message", {**IDS, "text": "hi", "source": "voice"}),
        ),
        (
            HookPoint.MESSAGE_END,
            {"text": "hi", "role": "assistant", "source": "text"},
            Order("hooks/after_message", {**IDS, "text": "hi", "source": "text"}),
        ),
        (
            HookPoint.TOOL_CALL,
            {"tool": "Bash", "tool_name": "Bash", "arguments": {"command": "ls"}, "call_id": "1"},
            Order(
                "hooks/before_tool_call",
                {**IDS, "tool_name": "Bash", "arguments": {"command": "ls"}},
            ),
        ),
        (
            HookPoint.TOOL_RESULT,
            {"tool_name": "Bash", "content": "out", "is_error": False, "duration_ms": 5},
            Order(
                "hooks/after_tool_call",
                {**IDS, "tool_name": "Bash", "duration_ms": 5, "result": "out", "error": None},
            ),
        ),
        (
            HookPoint.TOOL_RESULT,
            {"tool_name": "Bash", "content": "bad", "is_error": True, "duration_ms": 5},
            Order(
                "hooks/after_tool_call",
                {**IDS, "tool_name": "Bash", "duration_ms": 5, "result": None, "error": "bad"},
            ),
        ),
    ],
)
def test_each_hook_is_asked_in_its_own_words(
    point: HookPoint, value: dict[str, Any], order: Order
) -> None:
    assert WIRE.hook(point, value, MARK) == order


def test_there_are_four_hooks() -> None:
    assert [point for point in HookPoint if WIRE.hook_name(point)] == [
        HookPoint.INPUT,
        HookPoint.TOOL_CALL,
        HookPoint.TOOL_RESULT,
        HookPoint.MESSAGE_END,
    ]


@pytest.mark.parametrize(
    ("point", "result", "answer"),
    [
        (HookPoint.INPUT, None, Continues()),
        (HookPoint.INPUT, {}, Continues()),
        (HookPoint.INPUT, {"decision": "allow"}, Continues()),
        (HookPoint.INPUT, {"abort": True, "reason": "no"}, Blocks("no")),
        (HookPoint.INPUT, {"abort": True}, Blocks(None)),
        (HookPoint.TOOL_CALL, {"decision": "block", "reason": 5}, Blocks(None)),
        (HookPoint.INPUT, {"override": {"text": "x"}}, Modifies({"text": "x"})),
        (
            HookPoint.INPUT,
            {"decision": "transform", "transformed_body": "y"},
            Modifies({"text": "y"}),
        ),
        (HookPoint.INPUT, {"transformed_body": "y"}, Continues()),
        (
            HookPoint.TOOL_RESULT,
            {"override": {"result": {"a": 1}}},
            Modifies({"content": '{"a": 1}', "is_error": False}),
        ),
        (
            HookPoint.TOOL_RESULT,
            {"override": {"error": "boom"}},
            Modifies({"content": "boom", "is_error": True}),
        ),
    ],
)
def test_what_a_plugin_wants_is_understood(
    point: HookPoint, result: Any, answer: HookAnswer
) -> None:
    assert WIRE.hook_answer(point, result) == answer


@pytest.mark.parametrize(
    ("point", "result"),
    [
        (HookPoint.INPUT, "no"),
        (HookPoint.INPUT, {"decision": "perhaps"}),
        (HookPoint.INPUT, {"decision": []}),
        (HookPoint.INPUT, {"override": "x"}),
        (HookPoint.MESSAGE_END, {"abort": True}),
    ],
)
def test_what_means_nothing_is_said_to_be_unusable(point: HookPoint, result: Any) -> None:
    assert isinstance(WIRE.hook_answer(point, result), Unusable)


def test_there_are_neither_commands_nor_events() -> None:
    assert WIRE.command("greet", "", MARK) is None
    assert WIRE.completion("greet", "", MARK) is None
    assert WIRE.event("turn_start", {}, None) is None


def test_it_ends_by_a_notification() -> None:
    order = Order("shutdown", {"reason": "stop"})
    assert WIRE.farewell("stop") == Farewell(order=order, is_request=False)
