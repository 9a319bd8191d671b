"""Reads along as an answer of the Messages API passes by. Pure: bytes in, counts out."""

import json
from collections.abc import Mapping
from typing import Any, Protocol, cast

from extensions.claude.usage import Usage, read_usage

# A line or an answer longer than this is passed on all the same, only not looked into.
_MOST_BYTES = 8 * 1024 * 1024
_TELLING = frozenset({b"message_start", b"message_delta", b"message_stop", b"error"})


class AnswerWatch(Protocol):
    """Follows one answer."""

    def feed(self, data: bytes) -> None:
        """Read the next bytes of it."""
        ...

    @property
    def usage(self) -> Usage:
        """What it has taken so far."""
        ...

    @property
    def is_whole(self) -> bool:
        """Whether it has come to its own end: its last event, or an error that says why not."""
        ...


def watch_for(content_type: str) -> AnswerWatch:
    """Return what follows an answer of that content type."""
    if content_type.partition(";")[0].strip().lower() == "text/event-stream":
        return StreamedAnswer()
    return JsonAnswer()


class StreamedAnswer:
    """An answer that comes as server-sent events."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._event = b""
        self._counts: dict[str, int] = {}
        self._is_whole = False

    @property
    def usage(self) -> Usage:
        """What it has taken so far; the counts of later events are totals, not additions."""
        return read_usage(self._counts)

    @property
    def is_whole(self) -> bool:
        """Whether `message_stop` or an error was seen."""
        return self._is_whole

    def feed(self, data: bytes) -> None:
        """Read the next bytes, however they were divided."""
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._keep(line)
            self._read_line(bytes(self._line).rstrip(b"\r"))
            self._line.clear()
        self._keep(rest)

    def _keep(self, part: bytes) -> None:
        self._line += part[: _MOST_BYTES - len(self._line)]

    def _read_line(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        match name:
            case b"":
                self._event = b""
            case b"event":
                self._event = value
            case b"data" if not self._event or self._event in _TELLING:
                self._read_event(_object(value))
            case _:
                pass

    def _read_event(self, event: Mapping[str, Any]) -> None:
        match event:
            case {"type": "message_start", "message": {"usage": usage}}:
                self._counts |= _counts(usage)
            case {"type": "message_delta", "usage": usage}:
                self._counts |= _counts(usage)
            case {"type": "message_stop" | "error"}:
                self._is_whole = True
            case _:
                pass


class JsonAnswer:
    """An answer that comes in one piece."""

    def __init__(self) -> None:
        self._body = bytearray()

    @property
    def usage(self) -> Usage:
        """What it has taken; nothing until it is whole."""
        return read_usage(_counts(_object(bytes(self._body)).get("usage")))

    @property
    def is_whole(self) -> bool:
        """Whether it is a JSON object, from its first byte to its last."""
        if not self._body.endswith((b"}", b"}\n")):
            return len(self._body) == _MOST_BYTES
        return bool(_object(bytes(self._body)))

    def feed(self, data: bytes) -> None:
        """Read the next bytes of it."""
        self._body += data[: _MOST_BYTES - len(self._body)]


def _object(text: bytes) -> Mapping[str, Any]:
    try:
        value: Any = json.loads(text)
    except ValueError:
        return {}
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def _counts(usage: Any) -> dict[str, int]:
    if not isinstance(usage, dict):
        return {}
    counts = cast("Mapping[str, Any]", usage)
    return {name: n for name, n in counts.items() if isinstance(n, int) and n >= 0}
