"""Splits what a process writes into lines. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TooLong:
    """A line that was dropped, as it was longer than is kept."""

    limit_bytes: int


class LineSplitter:
    """Takes bytes as they come, and gives whole lines."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._pieces: list[bytes] = []
        self._size = 0
        self._is_dropping = False

    def feed(self, data: bytes) -> list[bytes | TooLong]:
        """Return the lines that are whole now, without their ends; empty ones are left out."""
        *ends, rest = data.split(b"\n")
        lines: list[bytes | TooLong] = []
        for end in ends:
            self._keep(end)
            lines.extend(self._take())
        self._keep(rest)
        return lines

    def _keep(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._limit_bytes:
            self._is_dropping = True
            self._pieces.clear()
        elif piece:
            self._pieces.append(piece)

    def _take(self) -> list[bytes | TooLong]:
        line = b"".join(self._pieces)
        dropped = self._is_dropping
        self._pieces, self._size, self._is_dropping = [], 0, False
        if dropped:
            return [TooLong(self._limit_bytes)]
        return [line] if line.strip() else []
