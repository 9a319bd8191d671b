import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.claude.stream import (
    ActionRefused,
    ApiRetried,
    AssistantMessage,
    BadLine,
    Compacting,
    ControlAnswered,
    Event,
    LimitReported,
    MessageMoved,
    MessageState,
    Other,
    TextDelta,
    ThinkingDelta,
    ToolCalled,
    ToolReturned,
    TurnBegan,
    TurnEnded,
    initialize,
    interrupt,
    parse_line,
    user_message,
)
from extensions.claude.usage import Usage

RECORDED = Path(__file__).parent / "recorded"
SESSION = "00000000-0000-4000-8000-000000000002"
MESSAGE = "1d0f6c9e-7a35-4a1c-8a55-6c0f5b7d2e01"


def recorded(name: str) -> list[Event]:
    """Return what a recorded process told, without what nothing depends on."""
    lines = (RECORDED / f"{name}.jsonl").read_bytes().splitlines()
    return [event for event in map(parse_line, lines) if not isinstance(event, Other)]


def parsed(message: Any) -> Event:
    return parse_line(json.dumps(message).encode())


def test_a_turn_with_tools_and_a_thought_is_told_in_full() -> None:
    read, glob = "toolu_00000000000000000000000e", "toolu_000000000000000000000013"
    ready, *told = recorded("tools")

    assert isinstance(ready, ControlAnswered)
    assert (ready.request_id, ready.error) == ("r1", None)
    assert told == [
        MessageMoved(MESSAGE, MessageState.QUEUED),
        MessageMoved(MESSAGE, MessageState.STARTED),
        TurnBegan(
            claude_session_id=SESSION,
            model="claude-opus-5-5",
            tools=("Glob", "Grep", "Read"),
            failed_servers=("papercup",),
        ),
        TextDelta("I "),
        TextDelta("look."),
        AssistantMessage("I look."),
        ToolCalled(read, "Read", {"file_path": "notes.txt"}),
        ToolCalled(glob, "Glob", {"pattern": "*"}),
        ToolReturned(glob, is_error=False),
        ToolReturned(read, is_error=False),
        ThinkingDelta("Two "),
        ThinkingDelta("lines."),
        TextDelta("Buy "),
        TextDelta("milk."),
        AssistantMessage("Buy milk."),
        TurnEnded(
            text="Buy milk.",
            is_error=False,
            subtype="success",
            terminal_reason="completed",
            api_error_status=None,
            turns=3,
            cost_usd=0.0012360000000000001,
            usage=Usage(
                input_tokens=200, output_tokens=20, cache_read_tokens=5, cache_write_tokens=7
            ),
            refused_actions=(),
            queued_turns=0,
            errors=(),
            claude_session_id=SESSION,
            turn_cost_usd=0.0012360000000000001,
            duration_seconds=0.012,
        ),
        MessageMoved(MESSAGE, MessageState.COMPLETED),
    ]


def test_an_action_that_was_refused_is_told_at_once_and_at_the_end() -> None:
    told = recorded("refused_action")
    refused = [event for event in told if isinstance(event, ActionRefused)]
    ended = [event for event in told if isinstance(event, TurnEnded)]

    assert [action.tool_name for action in refused] == ["Read"]
    assert ToolReturned(refused[0].tool_use_id, is_error=True) in told
    assert [(end.is_error, end.refused_actions) for end in ended] == [(False, ("Read",))]


def test_a_request_that_is_made_again_is_told() -> None:
    assert [event for event in recorded("overloaded") if isinstance(event, ApiRetried)] == [
        ApiRetried(attempt=1, max_attempts=1, delay_seconds=0.012, status=529, reason="overloaded")
    ]


def test_the_words_of_the_command_about_a_failure_are_not_the_models() -> None:
    told = recorded("bad_key")

    assert not [event for event in told if isinstance(event, AssistantMessage)]
    assert [event.text for event in told if isinstance(event, TurnEnded)] == [
        "Invalid API key · Fix external API key"
    ]


def test_an_interruption_is_answered_and_ends_the_turn() -> None:
    told = recorded("interrupted")
    ended = [event for event in told if isinstance(event, TurnEnded)]

    assert ControlAnswered("r2", None, {"still_queued": []}) in told
    assert [(end.is_error, end.terminal_reason) for end in ended] == [(True, "aborted_streaming")]
    assert MessageMoved(MESSAGE, MessageState.CANCELLED) in told


def test_a_usage_limit_is_told_with_its_end() -> None:
    assert LimitReported(is_reached=True, resets_at=1_900_000_000.0) in recorded("usage_limit")


@pytest.mark.parametrize("path", sorted(RECORDED.glob("*.jsonl")), ids=lambda path: path.stem)
def test_every_recorded_line_is_understood_and_every_process_ends_its_turn(path: Path) -> None:
    told = recorded(path.stem)

    assert not [event for event in told if isinstance(event, BadLine)]
    assert len([event for event in told if isinstance(event, TurnEnded)]) == 1


def test_a_control_request_that_failed_is_told_with_its_reason() -> None:
    response = {"subtype": "error", "request_id": "r9", "error": "unknown subtype"}

    answered = parsed({"type": "control_response", "response": response})

    assert answered == ControlAnswered("r9", "unknown subtype", {})


def test_a_helper_of_the_model_does_not_speak_for_it() -> None:
    content = [{"type": "text", "text": "I am another"}]
    message = {"type": "assistant", "parent_tool_use_id": "t1", "message": {"content": content}}

    assert parsed(message) == Other("assistant of a helper")


def test_compaction_is_told() -> None:
    assert parsed({"type": "system", "subtype": "status", "status": "compacting"}) == Compacting()


def test_what_is_not_known_is_something_else() -> None:
    assert parsed({"type": "tool_progress"}) == Other("tool_progress")
    assert parsed({"type": "system", "subtype": "new_thing"}) == Other("system/new_thing")


def test_half_a_character_is_replaced() -> None:
    event = {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "a\ud83db"}}

    assert parsed({"type": "stream_event", "event": event}) == TextDelta("a�b")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"garbage", "not JSON"),
        (b"\xff\xfe{}", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "not a JSON object"),
        (b'{"type": "result", "subtype": "success"}', "result/success: KeyError"),
        (b'{"type": "system", "subtype": "init"}', "system/init: KeyError"),
        (b'{"type": "assistant", "message": "hello"}', "assistant: TypeError"),
        (b'{"type": "command_lifecycle", "command_uuid": "u", "state": "new"}', "ValueError"),
        (b'{"type": "command_lifecycle", "command_uuid": 7, "state": "queued"}', "not a text"),
    ],
)
def test_a_bad_line_is_told_as_one(line: bytes, reason: str) -> None:
    event = parse_line(line)

    assert isinstance(event, BadLine)
    assert reason in event.reason


RESULT: Mapping[str, Any] = {
    "type": "result",
    "is_error": False,
    "subtype": "success",
    "session_id": SESSION,
}
INIT: Mapping[str, Any] = {
    "type": "system",
    "subtype": "init",
    "session_id": SESSION,
    "model": "opus",
    "tools": ["Read"],
}
RETRY: Mapping[str, Any] = {
    "type": "system",
    "subtype": "api_retry",
    "attempt": 1,
    "max_retries": 3,
    "retry_delay_ms": 5,
}
RETURNED = {"type": "tool_result", "tool_use_id": {"a": 1}}
INFINITE, NO_NUMBER = float("inf"), float("nan")


@pytest.mark.parametrize(
    "message",
    [
        {**RESULT, "num_turns": 10**30},
        {**RESULT, "num_turns": INFINITE},
        {**RESULT, "num_turns": -1},
        {**RESULT, "num_turns": True},
        {**RESULT, "queued_turn_count": "2"},
        {**RESULT, "total_cost_usd": INFINITE},
        {**RESULT, "total_cost_usd": NO_NUMBER},
        {**RESULT, "total_cost_usd": 10**400},
        {**RESULT, "total_cost_usd": -0.5},
        {**RESULT, "duration_ms": INFINITE},
        {**RESULT, "api_error_status": 10**30},
        {**RESULT, "api_error_status": "500"},
        {**RESULT, "usage": {"input_tokens": 10**30}},
        {**RESULT, "usage": {"input_tokens": True}},
        {**RESULT, "model_usage_since_last_result": {"opus": {"costUSD": INFINITE}}},
        {**RESULT, "session_id": {"a": 1}},
        {**RESULT, "session_id": 5},
        {**RESULT, "subtype": 5},
        {**RESULT, "terminal_reason": ["max_turns"]},
        {**RESULT, "permission_denials": [{"tool_name": 5}]},
        {**INIT, "session_id": 5},
        {**INIT, "model": None},
        {**INIT, "tools": [{}]},
        {**INIT, "mcp_servers": [{"name": 5, "status": "failed"}]},
        {**RETRY, "attempt": INFINITE},
        {**RETRY, "retry_delay_ms": NO_NUMBER},
        {**RETRY, "error_status": "500"},
        {"type": "system", "subtype": "permission_denied", "tool_name": 5, "tool_use_id": "t"},
        {"type": "rate_limit_event", "rate_limit_info": {"resetsAt": INFINITE}},
        {"type": "user", "message": {"content": [RETURNED]}},
        *(
            {"type": "assistant", "message": {"content": [{"type": "tool_use", **block}]}}
            for block in (
                {"id": {"a": 1}, "name": "Read", "input": {}},
                {"id": "t", "name": 5, "input": {}},
                {"id": "t", "name": "Read", "input": ["x"]},
            )
        ),
    ],
    ids=lambda message: str(message)[-60:],
)
def test_what_no_claude_tells_is_a_bad_line(message: Mapping[str, Any]) -> None:
    """A job can print into what its Claude prints: it must not get anything odd past this."""
    assert isinstance(parsed(message), BadLine)


def test_no_half_of_a_character_gets_through_anywhere() -> None:
    half = "a\ud83db"
    ended = parsed({**RESULT, "errors": [half], "terminal_reason": half, "session_id": half})
    block = {"type": "tool_use", "id": half, "name": half, "input": {half: [half]}}
    called = parsed({"type": "assistant", "message": {"content": [block]}})

    assert isinstance(ended, TurnEnded)
    assert (ended.errors, ended.terminal_reason, ended.claude_session_id) == (
        ("a�b",),
        "a�b",
        "a�b",
    )
    assert called == ToolCalled("a�b", "a�b", {"a�b": ["a�b"]})


def test_of_a_name_that_is_none_only_the_beginning_is_taken() -> None:
    began = parsed({**INIT, "tools": ["x" * 10_000], "model": "m" * 10_000})

    assert isinstance(began, TurnBegan)
    assert (began.tools, began.model) == (("x" * 300,), "m" * 300)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from([10**30, 10**400])
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(
    kind=st.sampled_from(
        ["assistant", "user", "system", "result", "stream_event", "control_response", "x"]
    ),
    keys=st.dictionaries(
        st.sampled_from(
            [
                *("message", "event", "response", "subtype", "usage", "is_error", "errors"),
                *("session_id", "num_turns", "total_cost_usd", "attempt", "api_error_status"),
            ]
        ),
        JSON,
    ),
)
def test_no_line_raises(kind: str, keys: dict[str, Any]) -> None:
    parsed({**keys, "type": kind})


def test_what_is_said_is_one_line_that_nothing_expands() -> None:
    line = user_message("look at @/etc/passwd\nand /clear", uuid=MESSAGE)

    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert json.loads(line) == {
        "type": "user",
        "message": {"role": "user", "content": "look at @/etc/passwd\nand /clear"},
        "uuid": MESSAGE,
        "client_composed": True,
    }


@dataclass(frozen=True)
class Photo:
    media_type: str
    content: bytes


def test_images_come_after_the_text() -> None:
    line = user_message("look", uuid=MESSAGE, images=[Photo("image/png", b"\x89PNG")])

    source = {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}
    assert json.loads(line)["message"]["content"] == [
        {"type": "text", "text": "look"},
        {"type": "image", "source": source},
    ]


def test_a_server_that_wants_a_login_has_failed() -> None:
    servers = [{"name": "a", "status": "connected"}, {"name": "b", "status": "needs-auth"}]
    began = parsed(
        {
            "type": "system",
            "subtype": "init",
            "session_id": "s",
            "model": "m",
            "tools": [],
            "mcp_servers": servers,
        }
    )
    assert isinstance(began, TurnBegan)
    assert began.failed_servers == ("b",)


def test_control_requests_carry_their_id() -> None:
    assert json.loads(initialize("r1"))["request_id"] == "r1"
    assert json.loads(interrupt("r2")) == {
        "type": "control_request",
        "request_id": "r2",
        "request": {"subtype": "interrupt"},
    }
