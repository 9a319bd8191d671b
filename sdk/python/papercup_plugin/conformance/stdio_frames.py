"""The messages of the dialect `stdio`, in which the host alone asks. Pure."""

from papercup_plugin.conformance.common_frames import (
    ANYTHING,
    FLAG,
    ID,
    MEMBERS,
    TEXT,
    TEXTS,
    WHOLE,
)
from papercup_plugin.conformance.kinds import Either, Kind, ListOf, Null, Object, Text
from papercup_plugin.conformance.methods import Method, Side

HOOKS = ("before_message", "after_message", "before_tool_call", "after_tool_call")

TOOL = Object(required={"name": TEXT}, optional={"description": TEXT, "input_schema": MEMBERS})
_TOOLS = ListOf(TOOL)
_IDS: dict[str, Kind] = {"agent_id": TEXT, "session_id": Either(TEXT, (Null(),))}
_MESSAGE = Object(required={"text": TEXT, "source": TEXT, **_IDS})

_WANTED = Object(
    optional={
        "decision": Text(choices=("allow", "block", "transform")),
        "abort": FLAG,
        "reason": TEXT,
        "override": MEMBERS,
        "transformed_body": TEXT,
        "do_not_reply_again": FLAG,
    }
)
ANSWER = Either(_WANTED, (Null(),))


def _hook(name: str, params: Kind) -> Method:
    return Method(name=f"hooks/{name}", by=Side.HOST, params=params, result=ANSWER)


OF_HOST = (
    Method(
        name="initialize",
        by=Side.HOST,
        params=Object(required={"agent_version": TEXT, "extension_id": TEXT}),
        result=Object(optional={"server_version": TEXT, "tools": _TOOLS, "hooks": TEXTS}),
    ),
    Method(
        name="tools/list",
        by=Side.HOST,
        params=Object(),
        result=Object(optional={"tools": _TOOLS}, is_open=True),
    ),
    Method(
        name="tools/call",
        by=Side.HOST,
        params=Object(required={"name": TEXT, "arguments": MEMBERS}),
        result=ANYTHING,
    ),
    _hook("before_message", _MESSAGE),
    _hook("after_message", _MESSAGE),
    _hook("before_tool_call", Object(required={"tool_name": TEXT, "arguments": MEMBERS, **_IDS})),
    _hook(
        "after_tool_call",
        Object(
            required={
                "tool_name": TEXT,
                "duration_ms": WHOLE,
                "result": ANYTHING,
                "error": ANYTHING,
                **_IDS,
            }
        ),
    ),
    Method(
        name="shutdown",
        by=Side.HOST,
        params=Object(required={"reason": Text(choices=("stop", "reload", "unload"))}),
    ),
    Method(name="$/cancel", by=Side.HOST, params=Object(required={"id": ID})),
)
