"""Looks at JSON that somebody else wrote. Pure."""

from typing import Any, TypeGuard, cast


def as_object(value: Any) -> dict[str, Any] | None:
    """Return `value` if it is an object."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def as_list(value: Any) -> list[Any] | None:
    """Return `value` if it is a list."""
    return value if _is_list(value) else None


def as_text(value: Any) -> str | None:
    """Return `value` if it is text."""
    return value if isinstance(value, str) else None


def _is_list(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list)
