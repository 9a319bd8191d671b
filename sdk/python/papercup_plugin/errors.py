"""What can go wrong between a plugin and its host.

PluginError
├── RefusedError                   the plugin itself says no
├── BadArgumentsError              what it was asked with does not fit
├── HostError                      the host answered with an error
│   ├── BlockedError               another plugin forbids it
│   ├── NoUiError                  nobody can be asked
│   ├── NotTrustedError            the operator did not grant it
│   ├── ContextViolationError      not in this context, or not any more
│   └── CapabilityDisabledError    the manifest does not declare it
└── NoAnswerError                  the host gave no answer
CallCancelled                      nobody waits for the answer of this call any more
"""

from __future__ import annotations

from typing import Any

from papercup_plugin.json_values import as_object

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
BLOCKED = -32000
NO_UI = -32001
NOT_TRUSTED = -32002
CONTEXT_VIOLATION = -32003
CAPABILITY_DISABLED = -32004
CANCELLED = -32800


class PluginError(Exception):
    """What a plugin may want to catch."""


class RefusedError(PluginError):
    """The plugin says no: raise it for what is nobody's fault in the code.

    Its message is what the model and the people are shown; nothing else is logged of it. A hook
    that raises it forbids what it was asked about.
    """

    def __init__(self, message: str, *, details: Any = None) -> None:
        """Make it.

        Args:
            message: Whatever the model and people should know.
            details: Of a tool: for people's eyes.
        """
        super().__init__(message)
        self.message = str(message)
        self.details = details


class BadArgumentsError(PluginError):
    """A tool or a command was used with what does not fit."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        """Which argument, and what it has to be."""


class HostError(PluginError):
    """The host answered with an error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def __str__(self) -> str:
        return f"{self.message} ({self.code})"


class BlockedError(HostError):
    """Another plugin forbids it."""


class NoUiError(HostError):
    """Nobody can be asked or shown anything."""


class NotTrustedError(HostError):
    """The operator did not grant it."""


class ContextViolationError(HostError):
    """What was asked is not permitted in this context, or the context is too old."""


class CapabilityDisabledError(HostError):
    """The manifest does not declare what was asked."""


class NoAnswerError(PluginError):
    """The host did not answer in time, or is gone."""


class CallCancelled(BaseException):
    """Nobody waits for the answer of this call any more.

    Not an `Exception`, so that `except Exception` does not keep a call from ending.
    """


_BY_CODE: dict[int, type[HostError]] = {
    BLOCKED: BlockedError,
    NO_UI: NoUiError,
    NOT_TRUSTED: NotTrustedError,
    CONTEXT_VIOLATION: ContextViolationError,
    CAPABILITY_DISABLED: CapabilityDisabledError,
}


def host_error(raw: Any) -> HostError:
    """Return what the `error` of an answer stands for."""
    members = as_object(raw) or {}
    code = members.get("code")
    code = code if isinstance(code, int) else INTERNAL_ERROR
    message = str(members.get("message") or "the host gave no reason")
    return _BY_CODE.get(code, HostError)(code, message, members.get("data"))
