"""What JSON has as a text, and Python as more than that: times and paths. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from papercup_plugin.forms import Schema, misfit
from papercup_plugin.records import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_ISO: Mapping[str, tuple[str, str]] = {
    "datetime": ("date-time", "a date and a time such as 2026-01-31T12:00:00Z"),
    "date": ("date", "a date such as 2026-01-31"),
    "time": ("time", "a time such as 12:00:00"),
}


class TextForm(Record):
    """A text that stands for something."""

    make: Callable[[str], Any]
    """Returns what it stands for; it may raise ValueError."""
    wanted: str
    """As people read it."""
    format_name: str | None = None
    """As JSON Schema calls it."""

    def schema(self) -> Schema:
        """Return that it is a text, and of which form."""
        named = {} if self.format_name is None else {"format": self.format_name}
        return {"type": "string", **named}

    def read(self, value: Any, where: str) -> Any:
        """Return what it stands for."""
        if not isinstance(value, str):
            raise misfit(where, self.wanted)
        try:
            return self.make(value)
        except ValueError:
            raise misfit(where, self.wanted) from None


def text_form(kind: Any) -> TextForm | None:
    """Return the form of a class; `None` if a text does not stand for what is of it."""
    # Looked for by what they have: to import what they are takes longer than all the rest.
    if kind.__module__ == "datetime" and kind.__name__ in _ISO:
        format_name, wanted = _ISO[kind.__name__]
        return TextForm(kind.fromisoformat, wanted, format_name)
    return TextForm(kind, "a path") if hasattr(kind, "__fspath__") else None
