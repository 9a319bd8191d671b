"""Reads the lines of a file that another process writes."""

import io
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

_CHUNK_BYTES = 256 * 1024
_LINE_LIMIT_BYTES = 32 * 1024 * 1024


class LineTail:
    """A file of lines, from its beginning; it is open for as long as the block lasts.

    The file need not be there yet. A line is read once it has ended; one that is too long is cut.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: io.FileIO | None = None
        self._begun = bytearray()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def batches(self) -> Iterator[list[bytes]]:
        """Yield the lines that were written since the last time, some at a time."""
        if self._file is None:
            try:
                self._file = io.FileIO(self._path)
            except FileNotFoundError:
                return
        while data := self._file.read(_CHUNK_BYTES):
            yield self._lines(data)

    def _lines(self, data: bytes) -> list[bytes]:
        *ended, begun = data.split(b"\n")
        lines: list[bytes] = []
        for part in ended:
            self._keep(part)
            lines.append(bytes(self._begun))
            self._begun.clear()
        self._keep(begun)
        return lines

    def _keep(self, part: bytes) -> None:
        self._begun += part[: max(0, _LINE_LIMIT_BYTES - len(self._begun))]


def last_text(path: Path, *, length_bytes: int) -> str:
    """Return the end of a text file; nothing if it is not there."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, io.SEEK_END) - length_bytes))
            return file.read(length_bytes).decode(errors="replace")
    except FileNotFoundError:
        return ""
