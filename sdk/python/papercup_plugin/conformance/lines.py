"""Reads the lines that a plugin writes, more strictly than hosts do. Pure."""

import json
import math
from dataclasses import dataclass
from typing import Any, Never

from papercup_plugin.json_values import as_list, as_object

_LONGEST_SHOWN = 300
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_ONE_A_LINE = "write one message on each line, and everything else to the standard error"


@dataclass(frozen=True, slots=True, kw_only=True)
class BadLine:
    """A line that is no message."""

    what: str
    """What it is."""
    mend: str = _ONE_A_LINE


def read_line(line: bytes | None) -> dict[str, Any] | BadLine:
    """Return the message that stands on a line; `None` stands for one that is too long."""
    if line is None:
        return BadLine(what="a line of more than 16 MiB", mend="send less at once")
    if line.startswith(_BYTE_ORDER_MARK):
        mend = "write UTF-8 without the mark"
        return BadLine(what=f"a line with a byte order mark: {shown(line)}", mend=mend)
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return BadLine(what=f"a line that is not UTF-8: {shown(line)}", mend="write UTF-8")
    return _message(text, shown(line))


def shown(line: bytes) -> str:
    """Return the beginning of a line, quoted."""
    return repr(line[:_LONGEST_SHOWN].decode(errors="replace"))


def _message(text: str, quoted: str) -> dict[str, Any] | BadLine:
    try:
        value = json.loads(text, parse_constant=_no_number, parse_float=_finite)
    except _NoNumberError as error:
        mend = "leave it out, or write null"
        return BadLine(what=f"{error}, which JSON does not have: {quoted}", mend=mend)
    except (ValueError, RecursionError):
        return _no_json(text, quoted)
    message = as_object(value)
    if message is not None:
        return message
    if as_list(value) is not None:
        mend = "write each message on a line of its own: hosts take no batches"
        return BadLine(what=f"a list in place of a message: {quoted}", mend=mend)
    return BadLine(what=f"a line that is no object: {quoted}")


def _no_json(text: str, quoted: str) -> BadLine:
    if text.lower().startswith("content-length:"):
        mend = "write messages alone, one on each line, without headers"
        return BadLine(what=f"a header: {quoted}", mend=mend)
    if text.strip() in {"{", "["}:
        mend = "write each whole message on one line, without any line ends in it"
        return BadLine(what=f"a message that goes on in other lines: {quoted}", mend=mend)
    return BadLine(what=f"a line that is no JSON: {quoted}")


class _NoNumberError(ValueError):
    """Something stands for a number, and is none. Never leaves this module."""


def _no_number(name: str) -> Never:
    raise _NoNumberError(name)


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise _NoNumberError(f"the number {digits[:20]}")
    return number
