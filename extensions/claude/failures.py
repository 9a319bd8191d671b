"""What went wrong, in one clear sentence for the person who talks to the bot. Pure."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from http import HTTPStatus

from extensions.claude.command import MCP_SERVER
from extensions.claude.events import LimitReported, TurnEnded


class FailureKind(StrEnum):
    """What sort of thing went wrong."""

    BAD_KEY = "bad_key"
    NOT_LOGGED_IN = "not_logged_in"
    USAGE_LIMIT = "usage_limit"
    OVERLOADED = "overloaded"
    API_DOWN = "api_down"
    TOO_LONG = "too_long"
    MAX_TURNS = "max_turns"
    UNKNOWN_MODEL = "unknown_model"
    WRONG_EFFORT = "wrong_effort"
    SERVER_FAILED = "server_failed"
    SESSION_UNKNOWN = "session_unknown"
    SESSION_IN_USE = "session_in_use"
    CRASHED = "crashed"
    OUTGREW = "outgrew"
    INTERRUPTED = "interrupted"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Something that went wrong."""

    kind: FailureKind
    sentence: str
    """For the person: what is wrong, and what to do."""
    detail: str
    """For the log: what `claude` said about it."""
    resets_at: float | None = None
    """Unix time at which a usage limit ends, if it is known."""


_DETAIL_CHARACTERS = 300
_SENTENCES = {
    FailureKind.BAD_KEY: (
        "Claude did not accept the API key; whoever runs this bot has to set a valid one."
    ),
    FailureKind.NOT_LOGGED_IN: (
        "Claude is not logged in; whoever runs this bot has to give it an API key."
    ),
    FailureKind.OVERLOADED: "Claude is overloaded at the moment; try again in a minute.",
    FailureKind.API_DOWN: "Claude cannot be reached at the moment; try again in a minute.",
    FailureKind.TOO_LONG: (
        "This has grown too long for Claude; begin a new conversation, or ask for less at once."
    ),
    FailureKind.MAX_TURNS: (
        "Claude stopped after as many steps as it may take; ask for less at once, or for the rest."
    ),
    FailureKind.UNKNOWN_MODEL: "Claude has no such model; choose another one.",
    FailureKind.WRONG_EFFORT: "This model cannot think with that effort; choose another one.",
    FailureKind.SESSION_UNKNOWN: (
        "Claude no longer knows this conversation; what was said in it before is lost to it."
    ),
    FailureKind.SESSION_IN_USE: (
        "This conversation is open in another Claude already; wait until that has ended."
    ),
    FailureKind.CRASHED: "Claude stopped unexpectedly; say it again, and it goes on from there.",
    FailureKind.OUTGREW: (
        "Claude was stopped, as what it ran took more memory or processes than it may; ask for less"
        " at once, or for a job."
    ),
    FailureKind.INTERRUPTED: "Claude was interrupted.",
}
_OVERLOADED_STATUS = 529
_CREDIT = "credit balance"
_UNREACHABLE = re.compile(
    r"ECONN|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|EPIPE|connection|network|timed out|fetch failed",
    re.IGNORECASE,
)
_EFFORT_TEXT = re.compile(r"\beffort\b", re.IGNORECASE)
_MODEL_TEXT = re.compile(r"issue with the selected model|\bmodel: ", re.IGNORECASE)
_LIMIT_TEXT = re.compile(r"usage limit|rate limit|you've (hit|reached) your", re.IGNORECASE)
_RESETS_AT = re.compile(r"\|(\d{10,13})\b")
_RESETS_WHEN = re.compile(r"resets (?:at )?([^·\n]+)")
_LEAST_MILLISECONDS = 10**11
"""A larger time is not in seconds: that would be in the year 5138."""


def failure_of_turn(turn: TurnEnded, limit: LimitReported | None = None) -> Failure | None:
    """Return what went wrong in a turn that has ended; `None` if nothing did.

    Args:
        turn: The end of the turn.
        limit: What was said last about the usage limit, if anything was.
    """
    if not turn.is_error:
        return None
    detail = _detail(turn.text or "; ".join(turn.errors) or turn.subtype)
    kind = _kind(turn)
    if kind is FailureKind.USAGE_LIMIT:
        return _limited(detail, limit)
    if kind is FailureKind.OTHER:
        return Failure(kind=kind, sentence=_other(detail), detail=detail)
    return Failure(kind=kind, sentence=_SENTENCES[kind], detail=detail)


def failure_of_servers(failed: tuple[str, ...]) -> Failure | None:
    """Return what is wrong when these MCP servers could not be reached; `None` if none."""
    if not failed:
        return None
    sentence = "Claude could not reach its tools, so it can only talk; hang up and try again."
    if MCP_SERVER not in failed:
        are = "MCP server" if len(failed) == 1 else "MCP servers"
        sentence = f"Claude goes on without the {are} {', '.join(failed)}: not to be reached."
    return Failure(
        kind=FailureKind.SERVER_FAILED,
        sentence=sentence,
        detail=f"MCP servers that failed: {', '.join(failed)}",
    )


def failure_of_exit(returncode: int | None, stderr_tail: str) -> Failure:
    """Return what is wrong when `claude` has ended by itself.

    Args:
        returncode: With what it ended; negative for a signal, `None` if it is not known.
        stderr_tail: The last that it wrote to its standard error.
    """
    how = "it ended" if returncode is None else f"it ended with {returncode}"
    detail = _detail(f"{how}: {stderr_tail.strip()}" if stderr_tail.strip() else how)
    kind = _session_kind(stderr_tail) or FailureKind.CRASHED
    return Failure(kind=kind, sentence=_SENTENCES[kind], detail=detail)


def failure_of_size(reason: str) -> Failure:
    """Return what is wrong when `claude` was ended because of what it and its children took."""
    kind = FailureKind.OUTGREW
    return Failure(kind=kind, sentence=_SENTENCES[kind], detail=reason)


def _kind(turn: TurnEnded) -> FailureKind:
    by_reason = {
        "prompt_too_long": FailureKind.TOO_LONG,
        "max_turns": FailureKind.MAX_TURNS,
        "aborted_streaming": FailureKind.INTERRUPTED,
        "aborted_tools": FailureKind.INTERRUPTED,
    }
    if turn.terminal_reason in by_reason:
        return by_reason[turn.terminal_reason]
    if turn.api_error_status is not None:
        return _kind_of_status(turn.api_error_status, turn.text)
    return _kind_of_text(" ".join([turn.text, *turn.errors]))


def _kind_of_status(status: int, text: str) -> FailureKind:
    if status == HTTPStatus.TOO_MANY_REQUESTS or _CREDIT in text.lower():
        return FailureKind.USAGE_LIMIT
    if status == _OVERLOADED_STATUS or "overloaded" in text.lower():
        return FailureKind.OVERLOADED
    if status == HTTPStatus.UNAUTHORIZED:
        return FailureKind.BAD_KEY
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return FailureKind.TOO_LONG
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status == HTTPStatus.REQUEST_TIMEOUT:
        return FailureKind.API_DOWN
    return _kind_of_refusal(status, text)


def _kind_of_refusal(status: int, text: str) -> FailureKind:
    """Tell which of what a person may choose was refused."""
    if status == HTTPStatus.NOT_FOUND:
        return FailureKind.UNKNOWN_MODEL
    if status == HTTPStatus.BAD_REQUEST and _EFFORT_TEXT.search(text):
        return FailureKind.WRONG_EFFORT
    if status == HTTPStatus.BAD_REQUEST and _MODEL_TEXT.search(text):
        return FailureKind.UNKNOWN_MODEL
    return FailureKind.OTHER


def _kind_of_text(text: str) -> FailureKind:
    """Decide by the words alone, where the command says nothing else."""
    if "Not logged in" in text:
        return FailureKind.NOT_LOGGED_IN
    if _LIMIT_TEXT.search(text):
        return FailureKind.USAGE_LIMIT
    if _UNREACHABLE.search(text):
        return FailureKind.API_DOWN
    return _session_kind(text) or FailureKind.OTHER


def _session_kind(text: str) -> FailureKind | None:
    if "No conversation found" in text:
        return FailureKind.SESSION_UNKNOWN
    if "is already in use" in text:
        return FailureKind.SESSION_IN_USE
    return None


def _limited(detail: str, limit: LimitReported | None) -> Failure:
    if _CREDIT in detail.lower():
        sentence = "The credit for Claude is used up; whoever runs this bot has to top it up."
        return Failure(kind=FailureKind.USAGE_LIMIT, sentence=sentence, detail=detail)
    resets_at = _resets_at(detail, limit)
    when = _RESETS_WHEN.search(detail)
    if resets_at is not None:
        at = datetime.fromtimestamp(resets_at, UTC)
        sentence = f"Claude's usage limit is reached; it resets at {at:%H:%M} UTC on {at:%-d %B}."
    elif when is not None:
        sentence = f"Claude's usage limit is reached; it resets {when[1].strip()}."
    else:
        sentence = "Claude's usage limit is reached; try again in a while."
    return Failure(
        kind=FailureKind.USAGE_LIMIT, sentence=sentence, detail=detail, resets_at=resets_at
    )


def _resets_at(detail: str, limit: LimitReported | None) -> float | None:
    written = _RESETS_AT.search(detail)
    if limit is not None and limit.is_reached and limit.resets_at is not None:
        seconds = limit.resets_at
    elif written is not None:
        seconds = float(written[1])
    else:
        return None
    if seconds >= _LEAST_MILLISECONDS:
        seconds /= 1000
    return seconds if 0 < seconds < _LEAST_MILLISECONDS else None


def _other(detail: str) -> str:
    first_line = next(iter(detail.splitlines()), "it did not say why")
    reason = first_line.removeprefix("API Error: ").strip()
    return f"Claude could not answer: {reason.rstrip('.')}."


def _detail(text: str) -> str:
    return text.strip()[:_DETAIL_CHARACTERS]
