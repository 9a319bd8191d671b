import json
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
    ],
)
def test_a_bad_line_is_told_as_one(line: bytes, reason: str) -> None:
    event = parse_line(line)

    assert isinstance(event, BadLine)
    assert reason in event.reason


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(
    kind=st.sampled_from(
        ["assistant", "user", "system", "result", "stream_event", "control_response", "x"]
    ),
    keys=st.dictionaries(
        st.sampled_from(["message", "event", "response", "subtype", "usage", "is_error", "errors"]),
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


def test_control_requests_carry_their_id() -> None:
    assert json.loads(initialize("r1"))["request_id"] == "r1"
    assert json.loads(interrupt("r2")) == {
        "type": "control_request",
        "request_id": "r2",
        "request": {"subtype": "interrupt"},
    }
