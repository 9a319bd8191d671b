"""What all that plugins of the dialect `sep` ask and tell is for; `meanings` has the rest. Pure."""

from collections.abc import Mapping

_SESSION = {"context": "of which session it is; it has to be of the tier `command`"}
_ASKED_IN = "of which call it is; Papercup's own, other hosts do not know it"

METHODS: Mapping[str, str] = {
    "sep plugin ping": "Asks whether the host is still there.",
    "sep plugin log": "Writes a line into the host's log.",
    "sep plugin registry/update": "Offers more; what is called the same is replaced.",
    "sep plugin tools/set_active": "Offers of its tools these alone.",
    "sep plugin tool/update": "Tells how far a tool has come.",
    "sep plugin provider/delta": "Tells a piece of a model's answer.",
    "sep plugin bus/publish": "Tells the other plugins something.",
    "sep plugin ui/request": "Shows people something, or asks them.",
    "sep plugin exec/run": "Has a program run.",
    "sep plugin kv/get": "Asks for a value that it keeps.",
    "sep plugin kv/set": "Keeps a value.",
    "sep plugin kv/delete": "Keeps a value no longer; harmless if there is none.",
    "sep plugin kv/list": "Asks which keys there are.",
    "sep plugin session/send_message": "Posts a message in the session; no turn begins with it.",
    "sep plugin session/send_user_message": "Says something in a person's stead.",
    "sep plugin session/append_entry": "Keeps something with the session, which no model sees.",
    "sep plugin session/set_model": "Has another model answer from the next turn on.",
    "sep plugin session/state": "Asks how the session stands.",
    "sep plugin $/cancel": "Tells that it does not wait for an answer any more.",
}

MEMBERS: Mapping[str, Mapping[str, str]] = {
    "sep plugin log params": {
        "level": "how bad it is",
        "message": "what stands in the line",
        "fields": "what stands behind it, as JSON",
    },
    "sep plugin tools/set_active params": {"tools": "their names"},
    "sep plugin tools/set_active result": {"active": "those of them that are its own"},
    "sep plugin tool/update params": {
        "call_id": "that of `tool/execute`",
        "message": "what it is at, in a line",
        "progress": "how far it has come; 1 is the end",
        "details": "what else there is to say of it",
    },
    "sep plugin provider/delta params": {
        "request_id": "that of `provider/complete`",
        "event": "the piece",
        "event.type": "what it is a piece of: `Delta` is one of the answer, its text in `content`",
    },
    "sep plugin bus/publish params": {
        "topic": "what it is about",
        "payload": "what is told",
    },
    "sep plugin ui/request params": {
        "select.prompt": "what is asked",
        "select.options": "what there is to choose from; at least one",
        "confirm.prompt": "what is asked",
        "input.prompt": "what is asked",
        "input.default": "what stands in the field at first",
        "notify.message": "what people are told",
        "notify.level": "how bad it is",
        "set_status.status": "the line; empty takes it away",
        "set_widget.widget": "a [render block](#render-block); an empty one takes it away",
        "set_title.title": "the title",
        **{
            f"{kind}.context": _ASKED_IN
            for kind in (
                "select",
                "confirm",
                "input",
                "notify",
                "set_status",
                "set_widget",
                "set_title",
            )
        },
    },
    "sep plugin ui/request result": {
        "value": "of `select`: the option that was chosen",
        "confirmed": "of `confirm`: whether somebody said yes",
        "text": "of `input`: what was written",
        "cancelled": "true: nobody answered, or could be asked",
    },
    "sep plugin exec/run params": {
        "command": "the program; no shell reads it",
        "args": "its arguments, each as it is",
        "cwd": "where it is run, within the folder of the session",
    },
    "sep plugin exec/run result": {
        "stdout": "what it printed",
        "stderr": "what it complained of",
        "exit_code": "how it ended",
    },
    "sep plugin kv/get params": {"key": "under which it is kept"},
    "sep plugin kv/get result": {"value": "what is kept; null if nothing is"},
    "sep plugin kv/set params": {"key": "under which it is kept", "value": "what is kept"},
    "sep plugin kv/delete params": {"key": "under which it is kept"},
    "sep plugin kv/list params": {"prefix": "how they begin; without it, all"},
    "sep plugin kv/list result": {"keys": "the keys"},
    "sep plugin session/send_message params": {
        **_SESSION,
        "text": "what is said",
        "role": "as whom: as the plugin (`assistant`), or in the person's stead (`user`)",
    },
    "sep plugin session/send_user_message params": {
        **_SESSION,
        "text": "what is said",
        "deliver_as": "when: at once, after what is being answered, or with the next turn",
    },
    "sep plugin session/append_entry params": {**_SESSION, "entry": "what is kept"},
    "sep plugin session/set_model params": {
        **_SESSION,
        "model": "the model",
        "provider": "whose model it is",
        "thinking": "how hard it shall think",
    },
    "sep plugin session/state params": _SESSION,
    "sep plugin session/state result": {"state": "how it stands"},
    "sep plugin $/cancel params": {"id": "that of the request"},
}
