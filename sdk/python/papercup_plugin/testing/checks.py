"""What a host looks at before it does what a plugin asks. Pure."""

from __future__ import annotations

import json
from typing import Any

LONGEST_KEY = 256
MOST_VALUE_BYTES = 1024 * 1024
LONGEST_TEXT = 32_000

_WORDS: dict[str, dict[str, tuple[str, ...]]] = {
    "ui/request": {"level": ("info", "warn", "error")},
    "session/send_message": {"role": ("user", "assistant")},
    "session/send_user_message": {
        "deliver_as": ("steer", "follow_up", "followUp", "next_turn", "nextTurn")
    },
}
"""What may stand in some fields."""
_FILLED = {
    "session/send_message": "text",
    "session/send_user_message": "text",
    "session/set_model": "model",
    "exec/run": "command",
}
"""In which field something has to stand."""
_TEXTS = frozenset({"prompt", "message", "status", "title", "key", "text", "command", "model"})


def fault_of(method: str, params: dict[str, Any]) -> str | None:
    """Return why a host does not do what it is asked with these parameters; `None`: it does."""
    for name in _TEXTS.intersection(params):
        if not isinstance(params[name], str):
            return f"{name} is missing" if params[name] is None else f"{name} has to be a string"
    filled = _FILLED.get(method)
    if filled is not None and not params[filled].strip():
        return f"{filled} is empty"
    if filled == "text" and len(params["text"]) > LONGEST_TEXT:
        return f"text is longer than {LONGEST_TEXT} characters"
    if params.get("kind") == "select" and (fault := _fault_of_options(params["options"])):
        return fault
    for name, words in _WORDS.get(method, {}).items():
        if params.get(name, words[0]) not in words:
            return f"{name} has to be one of {', '.join(words)}"
    return _fault_of_value(params) if method == "kv/set" else None


def _fault_of_options(options: list[Any]) -> str | None:
    if not all(isinstance(each, str) for each in options):
        return "options has to be a list of strings"
    return None if options else "options is empty"


def _fault_of_value(params: dict[str, Any]) -> str | None:
    if not 0 < len(params["key"]) <= LONGEST_KEY:
        return f"a key has 1 to {LONGEST_KEY} characters"
    written = json.dumps(params["value"], ensure_ascii=False, separators=(",", ":"))
    is_large = len(written.encode()) > MOST_VALUE_BYTES
    return f"the value is larger than {MOST_VALUE_BYTES} bytes" if is_large else None


def unfit_answer(request: dict[str, Any], answer: Any) -> str | None:
    """Return why people could not have answered that; `None`: they could."""
    match request["kind"]:
        case _ if answer is None:
            return None
        case "select" if answer not in request["options"]:
            return f"{answer!r} is none of what people could select: {request['options']}"
        case "confirm" if not isinstance(answer, bool):
            return f"people confirm with True or False, not with {answer!r}"
        case "input" if not isinstance(answer, str):
            return f"people write a text, not {answer!r}"
        case _:
            return None
