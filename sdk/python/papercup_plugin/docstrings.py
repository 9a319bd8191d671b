"""What docstrings say: the text for models and people, and a line for each argument. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from papercup_plugin.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterator

_ARGUMENTS = frozenset({"args", "arguments", "parameters", "params", "keyword args"})
_OTHERS = frozenset({"returns", "return", "raises", "yields", "example", "examples", "see also"})
_ENTRY = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)")
_FIELD = re.compile(r":(?:param|parameter|arg|argument)\s+(?:[^:]*\s)?(\w+)\s*:\s*(.*)")
_OTHER_FIELD = re.compile(r":(?:returns?|rtype|raises?|type|yields?)\b.*")


class Doc(Record):
    """What a docstring says."""

    text: str
    """Without its sections."""
    arguments: dict[str, str]
    """By their names, in one line each."""


def read_docstring(raw: str | None) -> Doc:
    """Return what a docstring says; it may have the sections of Google's style, or `:param x:`."""
    reader = _Reader()
    for indent, line in _lines(raw or ""):
        reader.take(indent, line)
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(reader.text)).strip()
    return Doc(text, {name: " ".join(lines).strip() for name, lines in reader.arguments.items()})


class _Reader:
    """Takes a docstring line by line."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.arguments: dict[str, list[str]] = {}
        self._is_in_section = False
        self._indent: int | None = None
        """Of the entries of a section of arguments, once there is one; else `None`."""
        self._is_of_arguments = False
        self._current: list[str] = []
        """The lines of the argument that is being read."""

    def take(self, indent: int, line: str) -> None:
        """Take a line."""
        head = line[:-1].strip().lower() if indent == 0 and line.endswith(":") else ""
        if head in _ARGUMENTS or head in _OTHERS:
            self._begin(is_of_arguments=head in _ARGUMENTS)
        elif found := _FIELD.fullmatch(line):
            self._begin(is_of_arguments=False)
            self._current = self.arguments[found[1]] = [found[2]]
        elif _OTHER_FIELD.fullmatch(line):
            self._begin(is_of_arguments=False)
        elif self._is_in_section and (indent > 0 or not line):
            self._go_on(indent, line)
        else:
            self._is_in_section = False
            self.text.append(" " * indent + line)

    def _begin(self, *, is_of_arguments: bool) -> None:
        self._is_in_section, self._is_of_arguments = True, is_of_arguments
        self._indent, self._current = None, []

    def _go_on(self, indent: int, line: str) -> None:
        if self._indent is None and line:
            self._indent = indent
        found = _ENTRY.fullmatch(line) if indent == self._indent else None
        if self._is_of_arguments and found is not None:
            self._current = self.arguments[found[1]] = [found[2]]
        elif line:
            self._current.append(line)


def _lines(raw: str) -> Iterator[tuple[int, str]]:
    """Yield each line with its indent beyond that of the others."""
    first, *rest = raw.expandtabs().splitlines() or [""]
    margin = min((len(each) - len(each.lstrip()) for each in rest if each.strip()), default=0)
    yield 0, first.strip()
    for line in rest:
        yield max(len(line) - len(line.lstrip()) - margin, 0), line.strip()
