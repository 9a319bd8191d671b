"""What can go wrong in the simulator.

SimulatorError
├── NotSeenError (also a TimeoutError)
├── ApplicationDidNotRespondError
├── NoAnswerError (also a TimeoutError)
├── UnknownCommandError
├── BadOptionError
└── NoSuchButtonError
ApiError: what a request is answered with; never leaves the REST layer
"""

from collections.abc import Sequence
from typing import Any


class SimulatorError(Exception):
    """Something that a person tried cannot be done, or did not come about."""


class NotSeenError(SimulatorError, TimeoutError):
    """What was waited for did not appear."""

    def __init__(self, *, who: str, where: str, last_seen: Sequence[str]) -> None:
        super().__init__(who, where)
        self.who = who
        self.where = where
        self.last_seen = tuple(last_seen)

    def __str__(self) -> str:
        seen = "\n".join(f"  {line}" for line in self.last_seen) or "  (nothing)"
        return f"{self.who} did not see it in {self.where}; the newest there:\n{seen}"


class ApplicationDidNotRespondError(SimulatorError):
    """The bot did not acknowledge an interaction within three seconds."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what

    def __str__(self) -> str:
        return f"{self.what}: the application did not respond"


class NoAnswerError(SimulatorError, TimeoutError):
    """The bot acknowledged an interaction, but the answer did not come in time."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what

    def __str__(self) -> str:
        return f"{self.what}: acknowledged, but never answered"


class UnknownCommandError(SimulatorError):
    """No such slash command is registered here."""

    def __init__(self, wanted: str, known: Sequence[str]) -> None:
        super().__init__(wanted)
        self.wanted = wanted
        self.known = tuple(known)

    def __str__(self) -> str:
        return f"no command /{self.wanted}; there are {', '.join(self.known) or 'none'}"


class BadOptionError(SimulatorError):
    """Discord would not let a person send that option."""

    def __init__(self, command: str, option: str, reason: str) -> None:
        super().__init__(command, option, reason)
        self.command = command
        self.option = option
        self.reason = reason

    def __str__(self) -> str:
        return f"/{self.command} {self.option}: {self.reason}"


class NoSuchButtonError(SimulatorError):
    """The message has no such button, or it cannot be pressed."""

    def __init__(self, wanted: str, there_are: Sequence[str]) -> None:
        super().__init__(wanted)
        self.wanted = wanted
        self.there_are = tuple(there_are)

    def __str__(self) -> str:
        there = ", ".join(repr(label) for label in self.there_are) or "none"
        return f"no button {self.wanted!r} to press; there are {there}"


class ApiError(Exception):
    """What Discord refuses, with its status and its code."""

    def __init__(
        self, status: int, code: int, message: str, errors: dict[str, Any] | None = None
    ) -> None:
        super().__init__(status, code, message)
        self.status = status
        self.code = code
        self.message = message
        self.errors = errors
        """What is wrong with which field, nested as the body is."""

    def __str__(self) -> str:
        return f"{self.status} {self.message} ({self.code})"

    def body(self) -> dict[str, Any]:
        """Return what stands in the answer."""
        body: dict[str, Any] = {"message": self.message, "code": self.code}
        if self.errors is not None:
            body["errors"] = self.errors
        return body


def invalid_field(field: str, code: str, message: str) -> ApiError:
    """Return the refusal of one field; `field` may be a path such as `components.0.label`."""
    details: dict[str, Any] = {"_errors": [{"code": code, "message": message}]}
    for part in reversed(field.split(".")):
        details = {part: details}
    return ApiError(400, 50035, "Invalid Form Body", details)
