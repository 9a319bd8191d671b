"""What stands in the lines of `claude`, taken only if it is what it should be. Pure.

A program that a tool of it started can print lines there, too. Whatever is odd is refused here, so
that nobody further on has to reckon with it. Each raises ValueError, which does not quote it: it
may be what somebody said.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, cast

MOST = 2**53
"""No number is larger: up to here a float holds each whole number, and the database takes it."""

_LONGEST_NAME = 300
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
"""How half of a surrogate pair is written, be the other half there or not."""


def read_json(data: bytes) -> Any:
    """Return what stands in JSON, without lone halves of a surrogate pair: UTF-8 has no such thing.

    Raises:
        ValueError, RecursionError: If it is no JSON.
    """
    document = json.loads(data.decode())
    if not _HALF.search(data):
        return document
    text = json.dumps(document, ensure_ascii=False)
    return json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def text(value: object) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise ValueError(f"not a text: {type(value).__name__}")  # noqa: TRY004 - see above
    return value


def name(value: object) -> str:
    """Return a text that names something; of a longer one, the beginning."""
    return text(value)[:_LONGEST_NAME]


def names(values: object) -> tuple[str, ...]:
    """Return the names in a list."""
    if not isinstance(values, list | tuple):
        raise ValueError(f"not a list: {type(values).__name__}")  # noqa: TRY004 - see above
    return tuple(map(name, cast("list[object]", values)))


def mapping(value: object) -> Mapping[str, Any]:
    """Return a JSON object."""
    if not isinstance(value, Mapping):
        raise ValueError(f"not an object: {type(value).__name__}")  # noqa: TRY004 - see above
    return cast("Mapping[str, Any]", value)


def count(value: object) -> int:
    """Return a whole number that is not negative."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST:
        raise ValueError(f"not a count: {type(value).__name__}")
    return value


def count_or_none(value: object) -> int | None:
    """Return a whole number that is not negative, or that there is none."""
    return None if value is None else count(value)


def amount(value: object) -> float:
    """Return a finite number that is not negative."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST:
        raise ValueError(f"not an amount: {type(value).__name__}")
    return float(value)


def amount_or_none(value: object) -> float | None:
    """Return a finite number that is not negative, or that there is none."""
    return None if value is None else amount(value)
