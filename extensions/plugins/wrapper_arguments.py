"""Fills what a call says into a command template. Pure.

Each part of the template becomes one argument of the program, whatever a value holds. A value may
not become an option: where a part begins with a placeholder, a value that begins with `-` is
refused, unless the manifest wants a number there, or `--` stands somewhere before it, which ends
the options. What else a program makes of its arguments, such as of `@name`, is up to the template.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from extensions.plugins.manifest import WrapperSpec
from extensions.plugins.wrapper_manifest import filled

LONGEST_VALUE_BYTES = 128 * 1024 - 1
"""Linux takes no longer argument."""

_BEGINS = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")


class BadArgumentError(Exception):
    """What a call says cannot be filled in."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        """A sentence's end, for the model."""

    def __str__(self) -> str:
        return self.reason


def command_for(wrapper: WrapperSpec, arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the program and its arguments for a call.

    Args:
        wrapper: The template.
        arguments: What the call says; they fit the schema.

    Raises:
        BadArgumentError: If it cannot be filled in.
    """
    values = {name: _text(arguments.get(name)) for name in wrapper.placeholders}
    command = filled(wrapper, values)
    ends_options = False
    for part, argument in zip(wrapper.command, command, strict=True):
        if not ends_options:
            _refuse_option(part, argument, arguments)
        ends_options = ends_options or part == "--"
        _refuse_unsendable(argument)
    return command


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _refuse_option(part: str, argument: str, arguments: Mapping[str, Any]) -> None:
    begins = _BEGINS.match(part)
    if begins is None or not argument.startswith("-"):
        return
    if isinstance(arguments.get(begins[1]), int | float):
        return
    raise BadArgumentError(
        f"`{begins[1]}` begins with `-`, so the program would take it for an option: put something"
        " before it, such as `./` before the name of a file"
    )


def _refuse_unsendable(argument: str) -> None:
    if "\0" in argument:
        raise BadArgumentError("an argument holds a NUL character, which no program can be given")
    if len(argument.encode("utf-8", "replace")) > LONGEST_VALUE_BYTES:
        raise BadArgumentError(f"an argument is longer than {LONGEST_VALUE_BYTES} bytes")
