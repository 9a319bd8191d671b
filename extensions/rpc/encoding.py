"""Writes the messages of JSON-RPC 2.0 as lines. Pure."""

import json
from typing import Any

import msgspec
from msgspec import Struct

from extensions.errors import LocalProtocolError
from extensions.rpc.messages import Params, RequestId, RpcError


class _RequestOut(Struct, gc=False):
    jsonrpc: str
    id: RequestId
    method: str
    params: Any


class _NotificationOut(Struct, gc=False):
    jsonrpc: str
    method: str
    params: Any


class _SuccessOut(Struct, gc=False):
    jsonrpc: str
    id: RequestId
    result: Any


class _ErrorOut(Struct, gc=False, omit_defaults=True):
    code: int
    message: str
    data: Any = None


class _FailureOut(Struct, gc=False):
    jsonrpc: str
    id: RequestId | None
    error: _ErrorOut


_write_lines = msgspec.json.Encoder().encode_lines


def encode_request(request_id: RequestId, method: str, params: Params) -> bytes:
    """Return the line that asks.

    Raises:
        LocalProtocolError: If `params` are not JSON.
    """
    return _line(_RequestOut("2.0", request_id, method, params))


def encode_notification(method: str, params: Params) -> bytes:
    """Return the line that tells.

    Raises:
        LocalProtocolError: If `params` are not JSON.
    """
    return _line(_NotificationOut("2.0", method, params))


def encode_success(request_id: RequestId, result: Any) -> bytes:
    """Return the line that answers.

    Raises:
        LocalProtocolError: If `result` is not JSON.
    """
    return _line(_SuccessOut("2.0", request_id, result))


def encode_failure(request_id: RequestId | None, error: RpcError) -> bytes:
    """Return the line that answers with an error.

    Raises:
        LocalProtocolError: If the error's data is not JSON.
    """
    body = _ErrorOut(int(error.code), error.message, error.data)
    return _line(_FailureOut("2.0", request_id, body))


def _line(message: Struct) -> bytes:
    try:
        # A list: of anything else msgspec 0.22 keeps an iterator for ever.
        return _write_lines([message])
    except UnicodeEncodeError:
        # Half of a surrogate pair, which no UTF-8 has.
        text = json.dumps(msgspec.to_builtins(message), ensure_ascii=False, allow_nan=False)
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return whole.encode() + b"\n"
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise LocalProtocolError(f"not JSON: {error}") from error
