"""What can go wrong in the simulator.

SimulatorError
├── NotSeenError (also a TimeoutError)
├── NotHeardError (also a TimeoutError)
├── ApplicationDidNotRespondError
├── NoAnswerError (also a TimeoutError)
├── UnknownCommandError
├── BadOptionError
├── NoSuchButtonError
├── BadChoiceError
├── BadFieldError
└── NotAllowedError
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


class NotHeardError(SimulatorError, TimeoutError):
    """Somebody who was waited for said nothing, or nothing that could be heard."""

    def __init__(self, who: str, whom: str, unreadable_count: int) -> None:
        super().__init__(who, whom, unreadable_count)
        self.who = who
        self.whom = whom
        self.unreadable_count = unreadable_count

    def __str__(self) -> str:
        unreadable = f"; {self.unreadable_count} packets could not be decrypted"
        return f"{self.who} did not hear {self.whom}{unreadable if self.unreadable_count else ''}"


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


class BadChoiceError(SimulatorError):
    """Discord would not let a person choose that from a menu."""

    def __init__(self, menu: str, reason: str) -> None:
        super().__init__(menu, reason)
        self.menu = menu
        self.reason = reason

    def __str__(self) -> str:
        return f"menu {self.menu!r}: {self.reason}"


class BadFieldError(SimulatorError):
    """Discord would not let a person send a form like that."""

    def __init__(self, form: str, field: str, reason: str) -> None:
        super().__init__(form, field, reason)
        self.form = form
        self.field = field
        self.reason = reason

    def __str__(self) -> str:
        return f"form {self.form!r}, {self.field!r}: {self.reason}"


class NotAllowedError(SimulatorError):
    """A person may not do that there."""

    def __init__(self, who: str, what: str, where: str) -> None:
        super().__init__(who, what, where)
        self.who = who
        self.what = what
        self.where = where

    def __str__(self) -> str:
        return f"{self.who} may not {self.what} in {self.where}"


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


class RateLimitedError(ApiError):
    """A request that comes too soon after others of its kind."""

    def __init__(self, retry_after_seconds: float) -> None:
        super().__init__(429, 0, "You are being rate limited.")
        self.retry_after_seconds = retry_after_seconds

    def body(self) -> dict[str, Any]:
        """Return what stands in the answer."""
        return super().body() | {
            "retry_after": self.retry_after_seconds,
            "global": False,
        }

    def headers(self) -> dict[str, str]:
        """Return what its answer is headed with."""
        seconds = str(self.retry_after_seconds)
        return {
            "Retry-After": seconds,
            "X-RateLimit-Remaining": "0",
            "X-RateLimit-Reset-After": seconds,
            "X-RateLimit-Scope": "user",
        }


def check_length(field: str, text: Any, least: int, most: int) -> None:
    """Refuse a text that is too short or too long; none counts as an empty one.

    Raises:
        ApiError: 50035, with the path of the field.
    """
    if text is not None and not isinstance(text, str):
        raise invalid_field(field, "STRING_TYPE_CONVERT", "Could not interpret as string.")
    if not least <= len(text or "") <= most:
        message = f"Must be between {least} and {most} in length."
        raise invalid_field(field, "BASE_TYPE_BAD_LENGTH", message)


def invalid_field(field: str, code: str, message: str) -> ApiError:
    """Return the refusal of one field; `field` may be a path such as `components.0.label`."""
    details: dict[str, Any] = {"_errors": [{"code": code, "message": message}]}
    for part in reversed(field.split(".")):
        details = {part: details}
    return ApiError(400, 50035, "Invalid Form Body", details)
