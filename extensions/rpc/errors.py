"""What can go wrong with a peer: a child that speaks JSON-RPC.

ExtensionsError
    RpcError                the other side answered with an error: it lives, and says no
    PeerError               the other side gave no answer
        PeerStartError      it could not be started
        PeerTimeoutError    it took too long; it was told to stop
        PeerGoneError       it has ended, or is about to
        PeerBusyError       it does not read what it was sent already, or too much is open
        FrameTooLargeError  a message is larger than any may be
        BadAnswerError      its answer cannot be read
"""

from enum import IntEnum
from typing import Any

from extensions.errors import ExtensionsError


class ErrorCode(IntEnum):
    """The codes of errors on the wire."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    BLOCKED = -32000
    """Also said when too much is open already."""
    NO_UI = -32001
    NOT_TRUSTED = -32002
    CONTEXT_VIOLATION = -32003
    CAPABILITY_DISABLED = -32004
    CANCELLED = -32800


class RpcError(ExtensionsError):
    """The other side answered with an error; or, from a handler, the answer that it is to get."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(code, message, data)
        self.code = code
        self.message = message
        """What the other side wrote, as it wrote it."""
        self.data = data

    def __str__(self) -> str:
        return f"{self.message} ({self.code})"


class PeerError(ExtensionsError):
    """The other side gave no answer. Never raised itself."""


class PeerStartError(PeerError):
    """The program could not be started."""

    def __init__(self, program: str, reason: str) -> None:
        super().__init__(program, reason)
        self.program = program
        self.reason = reason
        """The whole sentence, without a full stop."""

    def __str__(self) -> str:
        return self.reason


class PeerTimeoutError(PeerError):
    """No answer came in time; the other side was told to stop."""

    def __init__(self, method: str, timeout_seconds: float) -> None:
        super().__init__(method, timeout_seconds)
        self.method = method
        self.timeout_seconds = timeout_seconds

    def __str__(self) -> str:
        return f"{self.method} was not answered within {self.timeout_seconds:g} seconds"


class PeerGoneError(PeerError):
    """The other side has ended, or is about to."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        """A sentence's end, such as `it exited with code 3`."""

    def __str__(self) -> str:
        return self.reason


class PeerBusyError(PeerError):
    """Nothing was sent: too much waits for the other side already."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return self.reason


class FrameTooLargeError(PeerError):
    """A message is larger than any may be: what would be sent, or an answer that was discarded."""

    def __init__(self, limit_bytes: int, *, is_answer: bool) -> None:
        super().__init__(limit_bytes, is_answer)
        self.limit_bytes = limit_bytes
        self.is_answer = is_answer

    def __str__(self) -> str:
        what = "the answer" if self.is_answer else "the message"
        return f"{what} is larger than {self.limit_bytes} bytes"


class BadAnswerError(PeerError):
    """There was an answer, but it cannot be read."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"the answer cannot be read: {self.reason}"
