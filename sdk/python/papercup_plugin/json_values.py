"""Looks at JSON that somebody else sent. Pure."""

from __future__ import annotations

from typing import Any, cast


def as_object(value: Any) -> dict[str, Any] | None:
    """Return an object; `None` if it is something else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def as_list(value: Any) -> list[Any] | None:
    """Return a list; `None` if it is something else."""
    return list(cast("list[object]", value)) if isinstance(value, list) else None


def as_text(value: Any) -> str | None:
    """Return a text; `None` if it is something else."""
    return value if isinstance(value, str) else None


def named(**members: Any) -> dict[str, Any]:
    """Return the members that there are."""
    return {name: value for name, value in members.items() if value is not None}
