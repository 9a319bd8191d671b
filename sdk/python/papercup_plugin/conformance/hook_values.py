"""What plugins are asked about, and told, in a test: as a host would. Pure."""

from collections.abc import Mapping
from typing import Any

_IDS = {"agent_id": "speaker", "session_id": "test"}


def _about(**members: Any) -> Mapping[str, Any]:
    return {**members, **_IDS}


def _tool(name: str, arguments: Mapping[str, Any], **more: Any) -> Mapping[str, Any]:
    return _about(tool=name, tool_name=name, arguments=arguments, call_id="call-0", **more)


_BASH = {"command": "ls -la"}
_WRITE = {"file_path": "notes/today.md", "content": "text"}
_MESSAGE = {"role": "user", "content": "hello"}
_PAYLOAD = {"model": "any", "max_tokens": 100, "messages": [_MESSAGE]}

VALUES: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "tool_call": (_tool("Bash", _BASH), _tool("Write", _WRITE), _tool("nobodys_tool", {})),
    "user_bash": (_about(command="ls -la", argv=["ls", "-la"], cwd=None, plugin="another"),),
    "tool_result": (
        _tool("Bash", _BASH, content="text", is_error=False, duration_ms=5),
        _tool("Bash", _BASH, content="no", is_error=True, duration_ms=5),
    ),
    "input": (
        _about(text="hello", source="text", images=0),
        _about(text="", source="voice", images=0),
    ),
    "before_agent_start": (_about(prompt="hello", system_prompt=""),),
    "context": (_about(messages=[_MESSAGE]), _about(messages=[])),
    "before_provider_request": (_about(payload=_PAYLOAD),),
    "message_end": (_about(text="hello", role="assistant", source="text"),),
    "session_before_compact": (_about(trigger="auto", custom_instructions=""),),
    "session_before_tree": (_about(target="start"),),
}
"""At each hook point of `sep`."""

STDIO_VALUES: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "before_message": (_about(text="hello", source="text"), _about(text="", source="voice")),
    "after_message": (_about(text="hello", source="text"),),
    "before_tool_call": (
        _about(tool_name="Bash", arguments=_BASH),
        _about(tool_name="nobodys_tool", arguments={}),
    ),
    "after_tool_call": (
        _about(tool_name="Bash", duration_ms=5, result="text", error=None),
        _about(tool_name="Bash", duration_ms=5, result=None, error="no"),
    ),
}
"""At each hook of `stdio`."""

EVENTS: Mapping[str, Mapping[str, Any]] = {
    "agent_start": _about(),
    "agent_end": _about(outcome="answered"),
    "turn_start": _about(),
    "turn_end": _about(outcome="answered"),
    "message_start": _about(role="assistant"),
    "message_update": _about(role="assistant", text_delta="he"),
    "message_end": _about(role="assistant", text="hello"),
    "tool_execution_start": _about(tool="Bash", call_id="call-0", arguments=_BASH),
    "tool_execution_update": _about(call_id="call-0", message="half", progress=0.5),
    "tool_execution_end": _about(tool="Bash", call_id="call-0", is_error=False, duration_ms=5),
    "model_select": _about(model="any", previous=None),
    "after_provider_response": _about(status=200),
    "session_start": _about(reason="new"),
    "session_shutdown": _about(reason="hangup"),
    "session_compact": _about(),
    "session_tree": _about(),
    "bus/event": {"from": "another", "topic": "any", "payload": {"any": 1}},
    "widget/key": {"widget_id": "any", "key": "any"},
}
"""What is told with each event."""
