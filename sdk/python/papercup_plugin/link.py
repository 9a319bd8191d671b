"""The line to the host: numbers what is asked, and hands each answer to whoever asked."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Any, TypeAlias

from papercup_plugin.errors import (
    CAPABILITY_DISABLED,
    CapabilityDisabledError,
    NoAnswerError,
    NoUiError,
    host_error,
)
from papercup_plugin.framing import encoded
from papercup_plugin.records import Record

MOST_OPEN = 1000
"""So many questions may be open at once."""
MOST_MESSAGE_CHARACTERS = 10_000
"""Of an error: however long it is, the host has to be answered."""

RequestId: TypeAlias = int | str


class Reply(Record):
    """What came of a question."""

    result: Any = None
    error: Exception | None = None


OnReply: TypeAlias = Callable[[Reply], None]
"""Called once, in whichever thread; it must not wait."""


class Link:
    """One line to one host. Its methods may be called in any thread."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        """Make it.

        Args:
            write: Sends a line; it may wait until there is room.
        """
        self._write = write
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._open: dict[RequestId, OnReply] = {}
        self._is_closed = False
        self.is_one_way = False
        """Whether the host alone asks; what it is told, it may leave alone."""

    def tell(self, method: str, params: dict[str, Any]) -> None:
        """Tell the host something.

        Raises:
            TypeError: If that cannot be put into JSON.
            ValueError: As above, or because it is too long.
        """
        self._write(encoded({"method": method, "params": params}))

    def answer(self, request_id: RequestId, result: Any) -> None:
        """Answer what the host asked; raises as `tell` does."""
        self._write(encoded({"id": request_id, "result": result}))

    def refuse(
        self, request_id: RequestId | None, code: int, message: str, data: Any = None
    ) -> None:
        """Answer with an error; raises as `tell` does."""
        error: dict[str, Any] = {"code": code, "message": message[:MOST_MESSAGE_CHARACTERS]}
        if data is not None:
            error["data"] = data
        self._write(encoded({"id": request_id, "error": error}))

    def ask(self, method: str, params: dict[str, Any], on_reply: OnReply) -> int:
        """Ask the host something, and return the number of the question; raises as `tell` does."""
        number = next(self._numbers)
        if self.is_one_way:
            kind = NoUiError if method == "ui/request" else CapabilityDisabledError
            on_reply(Reply(error=kind(CAPABILITY_DISABLED, f"this host does not know {method}")))
            return number
        frame = encoded({"id": number, "method": method, "params": params})
        with self._lock:
            if self._is_closed or len(self._open) >= MOST_OPEN:
                why = "is gone" if self._is_closed else "has not answered what was asked before"
                raise NoAnswerError(f"the host {why}")
            self._open[number] = on_reply
        self._write(frame)
        return number

    def give_up(self, number: int) -> None:
        """Wait for that answer no longer, and tell the host so."""
        with self._lock:
            is_open = self._open.pop(number, None) is not None
        if is_open:
            self.tell("$/cancel", {"id": number})

    def replied(self, message: dict[str, Any]) -> None:
        """Take an answer of the host's; one that nobody waits for is left alone."""
        number = message["id"]
        # No list or object can have been asked for: they have no hash.
        if not isinstance(number, int | str):
            return
        with self._lock:
            on_reply = self._open.pop(number, None)
        if on_reply is None:
            return
        error = message.get("error")
        on_reply(Reply(message.get("result")) if error is None else Reply(error=host_error(error)))

    def close(self) -> None:
        """Take it that the host is gone: whoever waits is told so."""
        with self._lock:
            self._is_closed = True
            waiting, self._open = self._open, {}
        for on_reply in waiting.values():
            on_reply(Reply(error=NoAnswerError("the host is gone")))
