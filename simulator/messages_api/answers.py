"""What the model of a script can answer, as data. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """What an answer is said to have used."""

    input_tokens: int = 100
    output_tokens: int = 10
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Say:
    """Answers with text, streamed word by word."""

    text: str
    chunk_seconds: float = 0.0
    """The pause after each word."""
    delay_seconds: float = field(default=0.0, kw_only=True)
    """The pause before anything is sent."""
    stop_reason: str = field(default="end_turn", kw_only=True)
    tokens: Tokens = field(default=Tokens(), kw_only=True)


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One use of a tool, by its name in the request."""

    tool: str
    input: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class UseSeveral:
    """Asks for several tools in one answer."""

    uses: tuple[ToolUse, ...]
    text: str = ""
    """What is said before they are asked for."""
    chunk_seconds: float = field(default=0.0, kw_only=True)
    delay_seconds: float = field(default=0.0, kw_only=True)
    tokens: Tokens = field(default=Tokens(), kw_only=True)


@dataclass(frozen=True, slots=True)
class Use:
    """Asks for one tool."""

    tool: str
    input: Mapping[str, Any] = field(default_factory=dict[str, Any])
    text: str = ""
    """What is said before it is asked for."""
    chunk_seconds: float = field(default=0.0, kw_only=True)
    delay_seconds: float = field(default=0.0, kw_only=True)
    tokens: Tokens = field(default=Tokens(), kw_only=True)


@dataclass(frozen=True, slots=True)
class Think:
    """Thinks before it answers."""

    thinking: str
    then: Say | Use | UseSeveral


@dataclass(frozen=True, slots=True)
class HttpError:
    """Refuses the request with an HTTP error."""

    status: int
    type: str = "api_error"
    message: str = "refused by the script"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    retry_after_seconds: int | None = None
    """What the header `retry-after` says, if anything."""


OVERLOADED = HttpError(529, "overloaded_error", "Overloaded")
"""What the API says when too many ask at once."""


def usage_limit(*, resets_at: int) -> HttpError:
    """Return what the API says when all that may be used is used up.

    Args:
        resets_at: Until when; Unix time, in seconds.
    """
    headers = {
        "anthropic-ratelimit-unified-remaining": "0",
        "anthropic-ratelimit-unified-reset": str(resets_at),
    }
    return HttpError(429, "rate_limit_error", "The usage limit is reached", headers=headers)


@dataclass(frozen=True, slots=True)
class StreamError:
    """Begins to answer, and then sends an error in the stream."""

    type: str = "overloaded_error"
    message: str = "Overloaded"
    after_text: str = ""
    """What is said before it."""


@dataclass(frozen=True, slots=True)
class Hang:
    """Begins to answer, and then sends nothing but pings; the connection closes at the end."""

    seconds: float
    after_text: str = ""
    """What is said before it falls silent."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Begins to answer, and breaks off after some words."""

    text: str
    after_words: int = 1
    is_clean: bool = field(default=False, kw_only=True)
    """Whether the body ends as a whole one does, as behind a proxy that hides the fault; else the
    connection is dropped."""
    tokens: Tokens = field(default=Tokens(), kw_only=True)


Complete = Say | Use | UseSeveral | Think
"""An answer that comes to its end."""

Streamed = Complete | StreamError | Hang | Cut
"""An answer that at least begins."""

Answer = Streamed | HttpError
