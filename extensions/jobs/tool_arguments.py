"""Reads the arguments of a tool call. Pure.

The texts are data that a model wrote; a refusal is a sentence that it can act on.
"""

import re
from collections.abc import Mapping
from typing import Any

# Control characters but tab and line ends, and halves of surrogate pairs, which no file can hold.
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


class BadArgumentError(Exception):
    """An argument is not what it must be; its text says what to send instead."""


def required_text(arguments: Mapping[str, Any], name: str, *, length_limit: int) -> str:
    """Return the argument, without white space around it.

    Raises:
        BadArgumentError: If it is missing, empty, too long or no plain text.
    """
    text = optional_text(arguments, name, length_limit=length_limit)
    if text is None:
        raise BadArgumentError(f"{name} is missing: send it as a text that is not empty.")
    return text


def optional_text(arguments: Mapping[str, Any], name: str, *, length_limit: int) -> str | None:
    """Return the argument, without white space around it; `None` if it is missing or empty.

    Raises:
        BadArgumentError: If it is too long or no plain text.
    """
    value = arguments.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise BadArgumentError(f"{name} must be a text.")
    if len(value) > length_limit:
        raise BadArgumentError(
            f"{name} has {len(value):,} characters, and may have {length_limit:,}: shorten it."
        )
    if found := _FORBIDDEN.search(value):
        raise BadArgumentError(
            f"{name} holds the character U+{ord(found[0]):04X}, which is not plain text:"
            " send it again without that."
        )
    return value.strip() or None


def whole_number(
    arguments: Mapping[str, Any], name: str, *, lowest: int, highest: int, default: int
) -> int:
    """Return the argument, or `default` if it is missing.

    Raises:
        BadArgumentError: If it is not a whole number from `lowest` to `highest`.
    """
    value = arguments.get(name)
    if value is None:
        return default
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not lowest <= value <= highest:
        raise BadArgumentError(f"{name} must be a whole number from {lowest} to {highest}.")
    return value


def optional_number(
    arguments: Mapping[str, Any], name: str, *, lowest: float, highest: float
) -> float | None:
    """Return the argument; `None` if it is missing.

    Raises:
        BadArgumentError: If it is not a number from `lowest` to `highest`.
    """
    value = arguments.get(name)
    if value is None:
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not lowest <= value <= highest:
        raise BadArgumentError(f"{name} must be a number from {lowest:g} to {highest:g}.")
    return float(value)
