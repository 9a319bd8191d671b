import json
from typing import Any

import pytest

from extensions.claude.hook_calls import (
    CompactAsked,
    Compacted,
    ToolAsked,
    ToolGaveBack,
    ToolsOver,
    adding_instructions,
    forbidding_compaction,
    forbidding_tool,
    read_hook,
    replacing_content,
)

USE = {"tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": {"command": "ls"}}
RAN = {"stdout": "a", "stderr": "", "interrupted": False}


def hook(event: str, **more: Any) -> dict[str, Any]:
    return {"session_id": "s", "cwd": "/", "hook_event_name": event, **more}


def gave_back(response: Any, *, is_error: bool = False) -> ToolGaveBack:
    return ToolGaveBack(
        tool="Bash",
        call_id="toolu_1",
        arguments={"command": "ls"},
        response=response,
        is_error=is_error,
        duration_seconds=0.024,
    )


def test_each_hook_says_what_it_is_about() -> None:
    assert [
        read_hook(said)
        for said in (
            hook("PreToolUse", **USE),
            hook("PostToolUse", **USE, tool_response=RAN, duration_ms=24),
            hook("PostToolUseFailure", **USE, error="Exit code 3", duration_ms=24),
            hook("PostToolBatch", tool_calls=[{**USE, "tool_response": "a"}]),
            hook("PreCompact", trigger="auto", custom_instructions=None),
            hook("PostCompact", trigger="auto", compact_summary="They talked."),
        )
    ] == [
        ToolAsked(tool="Bash", call_id="toolu_1", arguments={"command": "ls"}),
        gave_back(RAN),
        gave_back("Exit code 3", is_error=True),
        ToolsOver(("toolu_1",)),
        CompactAsked(trigger="auto", instructions=""),
        Compacted(),
    ]


@pytest.mark.parametrize(
    "said",
    [
        None,
        [],
        {},
        hook("SessionStart"),
        hook("PreToolUse"),
        hook("PreToolUse", **{**USE, "tool_input": "ls"}),
        hook("PreToolUse", **{**USE, "tool_name": 7}),
        hook("PostToolUse", **USE),
        hook("PostToolUse", **USE, tool_response=RAN, duration_ms=-1),
        hook("PostToolBatch", tool_calls=7),
        hook("PostToolBatch", tool_calls=[7]),
    ],
)
def test_what_says_something_else_is_refused_without_a_quotation(said: Any) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the text is looked at below
        read_hook(said)

    assert "ls" not in str(refused.value)


def test_answers_are_claudes_own_json() -> None:
    assert json.loads(forbidding_tool("no")) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "no",
        }
    }
    assert json.loads(replacing_content(gave_back(RAN), "b")) == {
        "hookSpecificOutput": {
            "hookEventName": "PostToolUse",
            "updatedToolOutput": {**RAN, "stdout": "b"},
        }
    }
    assert json.loads(forbidding_compaction("no")) == {"decision": "block", "reason": "no"}


def test_what_claude_takes_no_other_content_for_gets_it_beside_its_own() -> None:
    assert json.loads(replacing_content(gave_back({"type": "create"}), "b")) == {
        "hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "b"}
    }
    assert json.loads(replacing_content(gave_back("Exit code 3", is_error=True), "b")) == {
        "hookSpecificOutput": {"hookEventName": "PostToolUseFailure", "additionalContext": "b"}
    }


def test_instructions_are_never_taken_for_json() -> None:
    assert adding_instructions("Heed the cat") == b"Heed the cat"
    assert adding_instructions(' {"decision": "block"}') == b'Note:  {"decision": "block"}'
