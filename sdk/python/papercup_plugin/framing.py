"""Lines of JSON: one message each. Pure."""

from __future__ import annotations

import enum
import json
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_FRAME_BYTES = 16 * 1024 * 1024
"""Of one message; longer ones are refused."""


class FrameTooLargeError(ValueError):
    """A message is too long to be sent."""

    def __init__(self, size_bytes: int) -> None:
        super().__init__(size_bytes)
        self.size_bytes = size_bytes

    def __str__(self) -> str:
        return f"{self.size_bytes} bytes are too many for one message: {MOST_FRAME_BYTES} fit"


class LineReader:
    """Puts lines together from what is read."""

    def __init__(self, most_bytes: int = MOST_FRAME_BYTES) -> None:
        self._most_bytes = most_bytes
        self._pieces: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> Iterator[bytes | None]:
        """Yield each line that has come to its end; `None` for one that was too long."""
        *ended, begun = data.split(b"\n")
        for piece in ended:
            yield self._line(piece)
        self._keep(begun)

    def _line(self, piece: bytes) -> bytes | None:
        if not self._pieces and not self._size:
            return piece if len(piece) <= self._most_bytes else None
        self._keep(piece)
        line = b"".join(self._pieces) if self._size <= self._most_bytes else None
        self._pieces, self._size = [], 0
        return line

    def _keep(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._most_bytes:
            self._pieces = []
        elif piece:
            self._pieces.append(piece)


def encoded(message: dict[str, Any]) -> bytes:
    """Return a message as the line that is sent.

    Raises:
        TypeError: If something in it cannot be put into JSON.
        ValueError: As above; or FrameTooLargeError.
    """
    text = json.dumps(
        {"jsonrpc": "2.0", **message},
        ensure_ascii=False,
        allow_nan=False,
        separators=(",", ":"),
        default=plain,
    )
    # Half of a surrogate pair is no text that can be sent.
    line = text.encode("utf-8", "replace")
    if len(line) > MOST_FRAME_BYTES:
        raise FrameTooLargeError(len(line))
    return line + b"\n"


def plain(value: Any) -> Any:
    """Return as JSON what is more than that: dataclasses, enumerations, sets, paths and times.

    Raises:
        TypeError: If it is none of these.
    """
    # Looked for by what they have: to import what they are takes longer than all the rest.
    fields: Any = getattr(value.__class__, "__dataclass_fields__", None)
    if fields is not None:
        return {name: getattr(value, name) for name in fields}
    if isinstance(value, set | frozenset):
        return list(cast("set[Any]", value))
    if isinstance(value, enum.Enum):
        return value.value
    for name in ("isoformat", "__fspath__"):
        found: Any = getattr(value, name, None)
        if found is not None and not isinstance(value, type):
            return found()
    raise TypeError(f"{type(value).__name__} cannot be put into JSON")
