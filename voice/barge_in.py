"""Decides what words that are said into the bot's speech do to it. Pure."""

from dataclasses import dataclass
from enum import StrEnum

from voice.events import StopCause
from voice.interjections import Interjection

_ENOUGH_WORDS = 2
"""So many words that say something are more than a misheard hum."""


class Reach(StrEnum):
    """What somebody's words may do to the speech."""

    ALL = "all"
    """End it by saying something: they are the one who is answered, or alone with the bot."""
    NAME = "name"
    """End it by the bot's name, or by nothing but a stop word: somebody else of several."""
    STOP_WORD = "stop word"
    """End it by nothing but a stop word: it listens to others only if they press the button."""


class Effect(StrEnum):
    """What is to be done."""

    STOP = "stop"
    GO_ON = "go on"
    WAIT = "wait"
    """More words are needed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What words do to the speech."""

    effect: Effect
    cause: StopCause = StopCause.CONTENT
    """Why it ends, if it does."""
    cancels: bool = False
    """Whether the work of which it tells ends, too."""


_GO_ON = Verdict(effect=Effect.GO_ON)
_WAIT = Verdict(effect=Effect.WAIT)


def verdict(
    words: Interjection,
    *,
    reach: Reach,
    voiced_seconds: float,
    short_word_seconds: float,
    is_silent: bool,
    is_over: bool,
) -> Verdict:
    """Return what to do about words that somebody has said so far.

    Args:
        words: What they mean by themselves.
        reach: Who says them.
        voiced_seconds: How much voice there was.
        short_word_seconds: A single word that is not known is nothing if its voice is shorter.
        is_silent: Whether they have paused, and may have finished.
        is_over: Whether they have finished.
    """
    is_certain = is_silent or is_over
    if not words.has_words:
        return _GO_ON if is_certain else _WAIT
    if words.has_name and reach is not Reach.STOP_WORD:
        return _stop(StopCause.NAME, words, is_certain=is_certain)
    if reach is Reach.ALL:
        return _of_the_one_answered(words, voiced_seconds, short_word_seconds, is_silent, is_over)
    if not words.is_command:
        return _GO_ON
    # They may go on, and talk to somebody else: `Wait, Bob, ...`.
    return _stop(StopCause.STOP_WORD, words, is_certain=True) if is_certain else _WAIT


def _of_the_one_answered(
    words: Interjection,
    voiced_seconds: float,
    short_word_seconds: float,
    is_silent: bool,  # noqa: FBT001 - private, and named alike above
    is_over: bool,  # noqa: FBT001 - private, and named alike above
) -> Verdict:
    is_certain = is_silent or is_over
    if words.is_stop or words.is_no or words.is_cancel:
        return _stop(StopCause.STOP_WORD, words, is_certain=is_certain)
    if words.asks or words.content_words >= _ENOUGH_WORDS:
        return _stop(StopCause.CONTENT, words, is_certain=is_certain)
    if words.content_words == 0:
        # Who hesitates may be about to say something.
        has_finished = is_over or (is_silent and words.has_backchannel)
        return _GO_ON if has_finished else _WAIT
    if voiced_seconds < short_word_seconds:
        return _GO_ON if is_certain else _WAIT
    return _stop(StopCause.CONTENT, words, is_certain=True) if is_over else _WAIT


def _stop(cause: StopCause, words: Interjection, *, is_certain: bool) -> Verdict:
    # `Cancel that` may go on: `... job.`
    return Verdict(effect=Effect.STOP, cause=cause, cancels=words.is_cancel and is_certain)
