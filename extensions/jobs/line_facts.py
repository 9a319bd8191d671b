"""What the lines of a job's `claude` tell besides the events that they stand for. Pure."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from extensions.claude.usage import Usage, read_usage

_LONGEST_INIT = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerUsage:
    """What one answer of the model took, as it was known when the answer began."""

    answer_id: str
    """The same in each line that holds a part of the answer."""
    usage: Usage


@dataclass(frozen=True, slots=True)
class WorkingFolder:
    """Where it works."""

    path: str


def fact_of(line: bytes) -> AnswerUsage | WorkingFolder | None:
    """Return what the line tells besides its event, if anything; never raises."""
    # Most lines tell nothing of the sort, and need not be taken apart a second time.
    if b'"usage"' in line and b'"assistant"' in line:
        return _answer_usage(_read(line))
    if b'"init"' in line and len(line) < _LONGEST_INIT:
        return _working_folder(_read(line))
    return None


def _answer_usage(message: Mapping[str, Any]) -> AnswerUsage | None:
    match message:
        case {"type": "assistant", "parent_tool_use_id": str()}:
            return None  # a helper of the model
        case {"type": "assistant", "message": {"id": str(answer_id), "usage": dict()}}:
            try:
                usage = read_usage(message["message"]["usage"])
            except ValueError:
                return None
            return AnswerUsage(answer_id=answer_id, usage=usage)
        case _:
            return None


def _working_folder(message: Mapping[str, Any]) -> WorkingFolder | None:
    match message:
        case {"type": "system", "subtype": "init", "cwd": str(path)}:
            return WorkingFolder(path)
        case _:
            return None


def _read(line: bytes) -> Mapping[str, Any]:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return cast("Mapping[str, Any]", message) if isinstance(message, dict) else {}
