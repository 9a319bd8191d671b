"""The messages of JSON-RPC 2.0, and how they are read. Pure.

What the other side wrote is read leniently where its meaning is plain, and nothing that it can
write raises from `parse_frame`: a line that is no message is a `Bad`.
"""

import re
from collections.abc import Mapping
from typing import Any, TypeAlias, cast

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from extensions.rpc.errors import ErrorCode, RpcError

__all__ = [
    "Bad",
    "ErrorCode",
    "Failure",
    "Frame",
    "Notification",
    "Params",
    "Request",
    "RequestId",
    "RpcError",
    "Success",
    "Unreadable",
    "parse_frame",
    "read_params",
]

RequestId: TypeAlias = int | str
Params: TypeAlias = Mapping[str, Any]

_LONGEST_NAME = 256
"""Of an id or a method: it is kept, and said in the log."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
    rb"|\\."
)
"""Every escape of a string in turn: a surrogate pair, half of one, anything else."""
_NULL = Raw(b"null")


class Unreadable(Struct, frozen=True, gc=False):
    """Stands for a value that cannot be read, in a message that can."""

    reason: str


class Request(Struct, frozen=True, gc=False):
    """The other side asks."""

    id: RequestId
    method: str
    params: Any


class Notification(Struct, frozen=True, gc=False):
    """The other side tells."""

    method: str
    params: Any


class Success(Struct, frozen=True, gc=False):
    """The other side has answered."""

    id: RequestId
    result: Any


class Failure(Struct, frozen=True, gc=False):
    """The other side has answered with an error."""

    id: RequestId | None
    code: int
    message: str
    data: Any


class Bad(Struct, frozen=True, gc=False):
    """A line that is no message."""

    reason: str


Frame: TypeAlias = Request | Notification | Success | Failure | Bad


class _Error(Struct, gc=False):
    code: int = ErrorCode.INTERNAL_ERROR
    message: str = ""
    data: Any = None


class _Wire(Struct, gc=False):
    """Any message."""

    jsonrpc: str = "2.0"
    id: int | str | UnsetType | None = UNSET
    method: str | UnsetType = UNSET
    params: Any = None
    result: Any = UNSET
    error: _Error | None = None


class _RawError(Struct, gc=False):
    code: int = ErrorCode.INTERNAL_ERROR
    message: str = ""
    data: Raw = _NULL


class _Outline(Struct, gc=False):
    """Any message, whose values are not looked at."""

    jsonrpc: str = "2.0"
    id: int | str | UnsetType | None = UNSET
    method: str | UnsetType = UNSET
    params: Raw = _NULL
    result: Raw | UnsetType = UNSET
    error: _RawError | None = None


_UNREADABLE = (ValueError, RecursionError, MemoryError)
"""What msgspec raises for what it cannot read; its own errors are ValueErrors."""

_read_wire = msgspec.json.Decoder(_Wire).decode
_read_outline = msgspec.json.Decoder(_Outline).decode
_read_any = msgspec.json.Decoder().decode


def parse_frame(line: bytes) -> Frame:
    """Return what a line says; never raises."""
    try:
        return _frame(_read_wire(line))
    except _UNREADABLE as error:
        return _frame_despite(error, line)


def read_params(params: Any) -> dict[str, Any]:
    """Return the params of a message, if they are any; none are no params.

    Raises:
        RpcError: If they are no object, or cannot be read.
    """
    if params is None:
        return {}
    if isinstance(params, Unreadable):
        raise RpcError(ErrorCode.INVALID_PARAMS, f"params: {params.reason}")
    if not isinstance(params, dict):
        raise RpcError(ErrorCode.INVALID_PARAMS, "params: not an object")
    return cast("dict[str, Any]", params)


def _frame(wire: _Wire) -> Frame:
    request_id = wire.id
    if wire.jsonrpc != "2.0":
        return Bad("not JSON-RPC 2.0")
    if isinstance(request_id, str) and len(request_id) > _LONGEST_NAME:
        return Bad("its id is too long")
    if wire.method is not UNSET:
        return _asked(wire, wire.method)
    error = wire.error
    if error is not None and (wire.result is UNSET or wire.result is None):
        answered_id = None if request_id is UNSET else request_id
        return Failure(answered_id, error.code, error.message, error.data)
    if request_id is UNSET or request_id is None:
        return Bad("an answer without an id")
    # With neither a result nor an error it has answered all the same: with nothing.
    return Success(request_id, None if wire.result is UNSET else wire.result)


def _asked(wire: _Wire, method: str) -> Frame:
    if len(method) > _LONGEST_NAME:
        return Bad("its method is too long")
    if wire.id is UNSET:
        return Notification(method, wire.params)
    if wire.id is None:
        return Bad("a request whose id is null")
    return Request(wire.id, method, wire.params)


def _frame_despite(error: Exception, line: bytes) -> Frame:
    """Make what can be made of a line that cannot be read as it is."""
    mended = _mended(line.removeprefix(_BYTE_ORDER_MARK))
    try:
        # Whose it is may be plain even so.
        outline = _read_outline(mended)
    except _UNREADABLE:
        return Bad(_why(error))
    raw_error = outline.error
    return _frame(
        _Wire(
            outline.jsonrpc,
            outline.id,
            outline.method,
            _value(outline.params),
            UNSET if outline.result is UNSET else _value(outline.result),
            None
            if raw_error is None
            else _Error(raw_error.code, raw_error.message, _value(raw_error.data)),
        )
    )


def _value(raw: Raw) -> Any:
    try:
        return _read_any(raw)
    except _UNREADABLE as error:
        return Unreadable(_why(error))


def _mended(line: bytes) -> bytes:
    """Replace each half of a surrogate pair: some languages cut text between the two."""
    if b"\\ud" not in line and b"\\uD" not in line:
        return line
    return _ESCAPE.sub(lambda found: rb"\ufffd" if found["half"] else found[0], line)


def _why(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)
