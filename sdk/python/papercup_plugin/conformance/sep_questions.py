"""What plugins of the dialect `sep` ask and tell the host. Pure."""

from papercup_plugin.conformance.common_frames import (
    ANYTHING,
    CONTEXT,
    EMPTY,
    FLAG,
    ID,
    MEMBERS,
    SHARE,
    TEXT,
    TEXTS,
    WHOLE,
)
from papercup_plugin.conformance.kinds import Kind, Object, Tagged, Text
from papercup_plugin.conformance.methods import Method, Side
from papercup_plugin.conformance.sep_frames import REGISTRATIONS

UI_KINDS = ("select", "confirm", "input", "notify", "set_status", "set_widget", "set_title")

# Papercup's own: for which call it is asked. Other hosts do not know it.
_ASKED_IN = {"context": CONTEXT}


def _ui(required: dict[str, Kind], **optional: Kind) -> Object:
    return Object(required=required, optional={**optional, **_ASKED_IN}, is_strict=True)


UI_REQUEST = Tagged(
    "kind",
    {
        "select": _ui({"prompt": TEXT, "options": TEXTS}),
        "confirm": _ui({"prompt": TEXT}),
        "input": _ui({"prompt": TEXT}, default=TEXT),
        "notify": _ui({"message": TEXT}, level=Text(choices=("info", "warn", "error"))),
        "set_status": _ui({"status": TEXT}),
        "set_widget": _ui({"widget": MEMBERS}),
        "set_title": _ui({"title": TEXT}),
    },
)
_UI_ANSWER = Object(
    optional={
        "value": TEXT,
        "confirmed": FLAG,
        "text": TEXT,
        "cancelled": FLAG,
    }
)
_KEY = Object(required={"key": TEXT})
_LEVELS = Text(choices=("trace", "debug", "info", "warn", "error"))


def _session(name: str, required: dict[str, Kind], result: Kind = EMPTY, **more: Kind) -> Method:
    params = Object(required={"context": CONTEXT, **required}, optional=more)
    return Method(
        name=f"session/{name}", by=Side.PLUGIN, params=params, result=result, capability="session"
    )


def _kv(name: str, params: Kind, result: Kind = EMPTY) -> Method:
    return Method(name=f"kv/{name}", by=Side.PLUGIN, params=params, result=result, capability="kv")


OF_PLUGIN = (
    Method(name="ping", by=Side.PLUGIN, params=EMPTY, result=EMPTY),
    Method(
        name="log",
        by=Side.PLUGIN,
        params=Object(required={"level": _LEVELS, "message": TEXT}, optional={"fields": MEMBERS}),
    ),
    Method(name="registry/update", by=Side.PLUGIN, params=REGISTRATIONS),
    Method(
        name="tools/set_active",
        by=Side.PLUGIN,
        params=Object(required={"tools": TEXTS}),
        result=Object(required={"active": TEXTS}),
        capability="tools",
    ),
    Method(
        name="tool/update",
        by=Side.PLUGIN,
        params=Object(
            required={"call_id": TEXT},
            optional={"message": TEXT, "progress": SHARE, "details": ANYTHING},
        ),
        capability="tools",
    ),
    Method(
        name="provider/delta",
        by=Side.PLUGIN,
        params=Object(
            required={"request_id": TEXT, "event": Object(required={"type": TEXT}, is_open=True)}
        ),
        capability="providers",
    ),
    Method(
        name="bus/publish",
        by=Side.PLUGIN,
        params=Object(required={"topic": TEXT, "payload": MEMBERS}),
        capability="bus",
    ),
    Method(
        name="ui/request",
        by=Side.PLUGIN,
        params=UI_REQUEST,
        result=_UI_ANSWER,
        capability="ui",
    ),
    Method(
        name="exec/run",
        by=Side.PLUGIN,
        params=Object(
            required={"command": TEXT, "context": CONTEXT}, optional={"args": TEXTS, "cwd": TEXT}
        ),
        result=Object(required={"stdout": TEXT, "stderr": TEXT, "exit_code": WHOLE}),
        capability="exec",
    ),
    _kv("get", _KEY, Object(required={"value": ANYTHING})),
    _kv("set", Object(required={"key": TEXT, "value": ANYTHING})),
    _kv("delete", _KEY),
    _kv("list", Object(optional={"prefix": TEXT}), Object(required={"keys": TEXTS})),
    _session("send_message", {"text": TEXT}, role=Text(choices=("user", "assistant"))),
    _session(
        "send_user_message",
        {"text": TEXT},
        deliver_as=Text(choices=("steer", "follow_up", "next_turn")),
    ),
    _session("append_entry", {"entry": MEMBERS}),
    _session("set_model", {"model": TEXT}, provider=TEXT, thinking=TEXT),
    _session("state", {}, Object(optional={"state": MEMBERS})),
    Method(name="$/cancel", by=Side.PLUGIN, params=Object(required={"id": ID})),
)
