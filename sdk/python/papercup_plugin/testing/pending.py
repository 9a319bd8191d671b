"""What a test asked a plugin, and what the plugin answers."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from papercup_plugin.errors import CANCELLED, PluginError
from papercup_plugin.records import Record

if TYPE_CHECKING:
    from collections.abc import Callable

    from papercup_plugin.models import Completion, Delta

USUAL_SECONDS = 10.0
"""How long a plugin may take."""


class AnswerError(PluginError):
    """The plugin answered with an error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    @property
    def is_cancelled(self) -> bool:
        """Whether it says that it stopped, as it was told to."""
        return self.code == CANCELLED


class Answered(Record):
    """What a provider answered."""

    completion: Completion
    deltas: tuple[Delta, ...]
    """The pieces, as they came."""


class Pending:
    """Something that the plugin was asked, and may not have answered yet."""

    def __init__(self, cancel: Callable[[], None], what: str) -> None:
        self._came = threading.Event()
        self._reply: dict[str, Any] = {}
        self._what = what
        self.cancel = cancel
        """Tells the plugin that nobody waits for the answer any more."""

    def take(self, reply: dict[str, Any]) -> None:
        """Take the answer."""
        self._reply = reply
        self._came.set()

    def result(self, timeout_seconds: float = USUAL_SECONDS) -> Any:
        """Wait for the answer, and return it as it stands on the wire.

        Raises:
            AnswerError: If it is an error.
            TimeoutError: If there is none.
        """
        if not self._came.wait(timeout_seconds):
            raise TimeoutError(f"the plugin did not answer {self._what} in {timeout_seconds} s")
        error = self._reply.get("error")
        if error is not None:
            raise AnswerError(error["code"], error["message"])
        return self._reply["result"]
