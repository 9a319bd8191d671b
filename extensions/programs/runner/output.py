"""What the program prints."""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_CHUNK_BYTES, _CHUNKS_AT_ONCE, _LINE_BYTES = 1 << 16, 64, 32 << 20


class Output:
    """Follows out.jsonl: its size, and the last result in it."""

    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._line: list[bytes] = []
        self._line_bytes = 0
        self._position = 0
        self.result_end = 0
        """Where the last line ends that says that all turns are over; 0 if there is none."""

    @property
    def size(self) -> int:
        """How many bytes the program has printed."""
        return os.fstat(self._fd).st_size

    def read(self) -> bool:
        """Read what is new, or a part of it if that is much; return whether anything was."""
        for count in range(_CHUNKS_AT_ONCE):
            chunk = os.read(self._fd, _CHUNK_BYTES)
            if not chunk:
                return count > 0
            start = 0
            while (end := chunk.find(b"\n", start)) >= 0:
                self._keep(chunk[start:end])
                self._line_ended(self._position + end + 1)
                start = end + 1
            self._keep(chunk[start:])
            self._position += len(chunk)
        return True

    def _keep(self, part: bytes) -> None:
        if self._line_bytes < _LINE_BYTES:
            self._line.append(part)
            self._line_bytes += len(part)

    def _line_ended(self, position: int) -> None:
        line = b"".join(self._line)
        self._line, self._line_bytes = [], 0
        # Not every line is parsed: they may be many, and large.
        if b'"result"' in line and _ends_all_turns(line):
            self.result_end = position


def _ends_all_turns(line: bytes) -> bool:
    try:
        message: Any = json.loads(line)
    except (ValueError, RecursionError):
        return False
    match message:
        case {"type": "result"}:
            return not message.get("queued_turn_count")
        case _:
            return False
