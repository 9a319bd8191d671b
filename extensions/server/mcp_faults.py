"""Puts into words what went wrong with an MCP server that is reached by an address."""

from collections.abc import Iterator
from typing import cast

import httpx2
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

_LONGEST = 300


def reason_of(error: BaseException, *, status: int | None = None) -> str:
    """Return why a connection, or a call, came to nothing: a sentence's end, without the address.

    Args:
        error: What was raised.
        status: The last one that the server refused something with.
    """
    cause = _cause(error)
    match cause:
        case httpx2.HTTPStatusError():
            # Its own text holds the address, and that may hold a secret.
            return f"it answered with HTTP status {cause.response.status_code}"
        case httpx2.ConnectError() | httpx2.ConnectTimeout():
            return f"it cannot be reached: {_text(cause)}"
        case httpx2.HTTPError():
            return f"the connection broke: {_text(cause)}"
        case MCPError():
            answered = f"it answered: {_text(cause)}"
            return answered if status is None else f"{answered} (HTTP status {status})"
        case TimeoutError():
            return "it did not answer in time"
        case _:
            return f"what it sent cannot be used: {_text(cause)}"


def is_theirs(error: BaseException) -> bool:
    """Say whether it is the server's fault, or that of the way to it, for all that is known."""
    expected = (httpx2.HTTPError, httpx2.StreamError, MCPError, TimeoutError, ValidationError)
    return isinstance(_cause(error), (*expected, ValueError, OSError))


def _cause(error: BaseException) -> BaseException:
    return next(_leaves(error))


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for each in cast("BaseExceptionGroup[BaseException]", error).exceptions:
            yield from _leaves(each)
    else:
        yield error


def _text(error: BaseException) -> str:
    return (str(error) or type(error).__name__)[:_LONGEST]
