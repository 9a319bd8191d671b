"""What a plugin asks of people, and what they answered, as they stand on the wire. Pure."""

from typing import Any, assert_never

from extensions.plugins.fields import BadFieldError, Fields
from extensions.plugins.services import (
    Confirm,
    Input,
    Notify,
    Select,
    SetStatus,
    SetTitle,
    SetWidget,
    Severity,
    UiAnswer,
    UiRequest,
)

_KINDS = {
    "select": ("prompt", "options"),
    "confirm": ("prompt",),
    "input": ("prompt", "default"),
    "notify": ("message", "level"),
    "set_status": ("status",),
    "set_widget": ("widget",),
    "set_title": ("title",),
}
"""The fields of each kind."""
_LEVELS = {level.value: level.value for level in Severity}


def read_ui_request(fields: Fields) -> UiRequest:
    """Return what is asked.

    Raises:
        BadFieldError: If that is none of what can be asked.
    """
    kind = fields.text("kind")
    if kind not in _KINDS:
        raise BadFieldError(f"kind has to be one of {', '.join(_KINDS)}")
    fields.forbid_others("kind", "context", *_KINDS[kind])
    return _read(kind, fields)


def _read(kind: str, fields: Fields) -> UiRequest:  # noqa: PLR0911 - one for each kind
    match kind:
        case "select":
            return Select(prompt=fields.text("prompt"), options=_options(fields))
        case "confirm":
            return Confirm(prompt=fields.text("prompt"))
        case "input":
            return Input(prompt=fields.text("prompt"), default=fields.any_text("default"))
        case "notify":
            level = fields.one_of("level", _LEVELS, usual=Severity.INFO)
            return Notify(message=fields.text("message"), severity=Severity(level))
        case "set_status":
            return SetStatus(status=fields.text("status"))
        case "set_widget":
            return SetWidget(widget=fields.mapping("widget"))
        case _:
            return SetTitle(title=fields.text("title"))


def _options(fields: Fields) -> tuple[str, ...]:
    options = fields.texts("options")
    if not options:
        raise BadFieldError("options is empty")
    return options


def written_answer(request: UiRequest, answer: UiAnswer) -> dict[str, Any]:
    """Return an answer as the plugin gets it."""
    if answer.cancelled:
        return {"cancelled": True}
    match request:
        case Select():
            return {"value": answer.value}
        case Confirm():
            return {"confirmed": answer.confirmed}
        case Input():
            return {"text": answer.text}
        case Notify() | SetStatus() | SetWidget() | SetTitle():
            return {}
        case _:
            assert_never(request)
