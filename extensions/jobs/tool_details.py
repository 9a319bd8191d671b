"""What a call of one of Claude's own tools is about, in a word or two. Pure."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

_LONGEST_DETAIL = 100
_LONGEST_READ = 10_000
"""How many characters of an argument are looked at; a command may be of any length."""

_PATH_KEYS: Mapping[str, str] = {
    "Read": "file_path",
    "Write": "file_path",
    "Edit": "file_path",
    "MultiEdit": "file_path",
    "NotebookEdit": "notebook_path",
}
_WRITING = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit"})
_ASSIGNMENT = re.compile(r"\w+=(?:'[^']*'|\"[^\"]*\"|\S)*")


def tool_detail(name: str, arguments: Mapping[str, Any]) -> str:
    """Return what a call is about: a file's name, a pattern, the first word of a command.

    It is data that a model wrote, one line of at most 100 characters; empty if nothing is known.
    """
    if name in _PATH_KEYS:
        return _cut(PurePosixPath(_text(arguments, _PATH_KEYS[name])).name)
    if name in {"Glob", "Grep"}:
        return _cut(_text(arguments, "pattern"))
    if name == "Bash":
        return _cut(_first_word(_text(arguments, "command")))
    return ""


def written_path(name: str, arguments: Mapping[str, Any]) -> str | None:
    """Return the path of the file that a call writes, as the call names it; `None` if none."""
    return (_text(arguments, _PATH_KEYS[name]) or None) if name in _WRITING else None


def _first_word(command: str) -> str:
    """Return the first word that is no assignment: the value of one may be a secret."""
    rest = command.lstrip()
    while found := _ASSIGNMENT.match(rest):
        rest = rest[found.end() :].lstrip()
    words = rest.split(maxsplit=1)
    return words[0] if words else ""


def _text(arguments: Mapping[str, Any], key: str) -> str:
    value = arguments.get(key)
    return value[:_LONGEST_READ] if isinstance(value, str) else ""


def _cut(text: str) -> str:
    return " ".join(text[:_LONGEST_DETAIL].split())
