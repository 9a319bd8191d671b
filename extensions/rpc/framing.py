"""Cuts what a peer writes into lines, and discards those that are too long. Pure."""

import re
from dataclasses import dataclass
from typing import TypeAlias

from extensions.rpc.messages import RequestId

_EDGE_BYTES = 1024
"""How much of a discarded line's beginning and end is kept, to find out what it was."""
_SMALL_CHUNK_BYTES = 4096
_FIRST_MEMBER = re.compile(
    rb'\s*[{,]\s*"(jsonrpc|id|method)"\s*:\s*(?:"([^"\\]{0,256})"|(\d{1,18}))(?=\s*[,}])'
)
_LAST_ID = re.compile(
    rb',\s*"id"\s*:\s*(?:"([^"\\]{0,256})"|(\d{1,18}))\s*(?:,\s*"jsonrpc"\s*:\s*"2.0"\s*)?\}\s*$'
)


@dataclass(frozen=True, slots=True)
class Oversized:
    """A line that was discarded, as it was too long."""

    id: RequestId | None
    """The id that it bore, if that is known."""
    is_request: bool
    """Whether it asked something, as far as is known."""


Piece: TypeAlias = bytes | Oversized


class LineSplitter:
    """Takes bytes as they come, and gives lines as they become whole.

    A line that does not end takes at most as much memory as a line may have bytes.
    """

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._chunks: list[bytes] = []
        self._size = 0
        self._head: bytes | None = None
        """Of a line that is being discarded."""
        self._tail = b""
        self.discarded_bytes = 0
        """How much has been discarded in all."""

    def feed(self, data: bytes) -> list[Piece]:
        """Return the lines that `data` makes whole; empty ones are left out."""
        end = data.rfind(b"\n") + 1
        if not end:
            self._keep(data)
            return []
        if end == len(data) and not self._size and data.find(b"\n") == end - 1:
            # Usual: just one line, and all of it. It is handed on as it is.
            return self._bounded(data)
        return self._split(data, end)

    def _split(self, data: bytes, end: int) -> list[Piece]:
        first_end = data.find(b"\n") + 1
        pieces = self._finished(data[:first_end])
        # Not splitlines(): within a message, \r is mere white space.
        for line in data[first_end : end - 1].split(b"\n") if first_end < end else ():
            pieces += self._bounded(line)
        if end < len(data):
            self._keep(data[end:])
        return pieces

    def _keep(self, data: bytes) -> None:
        self._size += len(data)
        if self._head is not None:
            self._discard(data)
        elif self._size > self._limit_bytes:
            self._begin_to_discard(data)
        elif self._chunks and len(self._chunks[-1]) < _SMALL_CHUNK_BYTES:
            # Else a line that comes byte by byte would take forty times its size.
            self._chunks[-1] += data
        else:
            self._chunks.append(data)

    def _begin_to_discard(self, data: bytes) -> None:
        self._head = b""
        for chunk in (*self._chunks, data):
            self._head += chunk[: _EDGE_BYTES - len(self._head)]
            self._discard(chunk)
        self._chunks.clear()

    def _discard(self, data: bytes) -> None:
        self.discarded_bytes += len(data)
        self._tail = (self._tail + data[-_EDGE_BYTES:])[-_EDGE_BYTES:]

    def _finished(self, rest: bytes) -> list[Piece]:
        """Return the line that `rest` ends."""
        self._keep(rest)
        self._size = 0
        if self._head is not None:
            piece = _oversized(self._head, self._tail)
            self._head, self._tail = None, b""
            return [piece]
        line = b"".join(self._chunks)
        self._chunks.clear()
        return self._bounded(line)

    def _bounded(self, line: bytes) -> list[Piece]:
        if len(line) <= self._limit_bytes:
            return [] if not line or line.isspace() else [line]
        self.discarded_bytes += len(line)
        return [_oversized(line[:_EDGE_BYTES], line[-_EDGE_BYTES:])]


def _oversized(head: bytes, tail: bytes) -> Oversized:
    """Look for the id at both ends, where nothing but a member of the message itself can stand."""
    request_id: RequestId | None = None
    is_request = False
    position = 0
    while member := _FIRST_MEMBER.match(head, position):
        position = member.end()
        match member[1]:
            case b"id":
                request_id = _id(member[2], member[3])
            case b"method":
                is_request = True
            case _:
                pass
    if request_id is None and (last := _LAST_ID.search(tail)):
        request_id = _id(last[1], last[2])
    return Oversized(request_id, is_request)


def _id(text: bytes | None, digits: bytes | None) -> RequestId:
    return int(digits) if digits is not None else (text or b"").decode(errors="replace")
