"""What the bot says and said, and when there was sound of it. Pure."""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from voice.commands import SpeechKind
from voice.echo import is_echo
from voice.spoken_text import spoken_text
from voice.turn_options import TurnOptions
from voice.words import words_of

_ASKS = re.compile(r"[?\uff1f][^\w]*$")
_KEPT = 4
"""How many speeches that are over are remembered: longer than an utterance lasts."""
_LATE_SECONDS = 0.2
"""The end of an echo may be found later by so much than its sound ended."""
_BEGAN_SECONDS = 0.2
"""Of sound there must be when an echo begins, before the speech is paused for it."""
_NEARLY = 0.75
"""So much of that moment has to have sound."""
_MOSTLY = 0.5
"""So much of what somebody said has to be while there was sound of the speech."""


def asks(text: str) -> bool:
    """Say whether a text ends in a question."""
    return _ASKS.search(text) is not None


@lru_cache(maxsize=2 * _KEPT)
def _said(text: str) -> str:
    return spoken_text(text)


@dataclass(slots=True, kw_only=True)
class Speech:
    """Something that is spoken, or was."""

    kind: SpeechKind
    to: int | None
    """Whom it answers."""
    began_at: float
    ended_at: float = float("inf")
    text: str = ""
    """As far as it is known."""
    sounds: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    """From when to when there was sound of it."""
    sounds_since: float | None = None
    """Since when there is."""
    is_stopped: bool = False
    """Whether somebody has interrupted it; it ends at once."""

    def sounded(self, now: float) -> None:
        """Know that it is heard from now on."""
        if self.sounds_since is None:
            self.sounds_since = now

    def fell_silent(self, now: float) -> None:
        """Know that it is not heard any more."""
        if self.sounds_since is not None:
            self.sounds.append((self.sounds_since, now))
            self.sounds_since = None

    def overlap(self, began_at: float, ended_at: float, *, tail_seconds: float = 0.0) -> float:
        """Return for how many seconds of some time it was heard, or so shortly before."""
        pieces = [*self.sounds]
        if self.sounds_since is not None:
            pieces.append((self.sounds_since, float("inf")))
        covered, until = 0.0, began_at
        for start, end in pieces:
            first, last = max(start, until), min(end + tail_seconds, ended_at)
            covered += max(0.0, last - first)
            until = max(until, last)
        return covered


class SpeechTrack:
    """The present speech, and the last ones."""

    def __init__(self, options: TurnOptions) -> None:
        self._options = options
        self._text = ""
        self._past: deque[Speech] = deque(maxlen=_KEPT)
        self.present: Speech | None = None

    def grew(self, text: str) -> None:
        """Know all that was handed over of the present speech, or of the one that will begin."""
        present = self.present
        if present is not None and present.kind is SpeechKind.FILLER and not present.text:
            present.text = text
            return
        self._text = text
        # While a filler is spoken, this is about the answer that follows.
        if present is not None and present.kind is not SpeechKind.FILLER:
            present.text = text

    def began(self, kind: SpeechKind, to: int | None, now: float) -> Speech:
        """Know that a speech is heard from now on."""
        if self.present is not None:
            self.ended(now)
        # A filler's is told right after it has begun.
        text = "" if kind is SpeechKind.FILLER else self._text
        self.present = Speech(kind=kind, to=to, began_at=now, text=text)
        self.present.sounded(now)
        return self.present

    def ended(self, now: float) -> Speech | None:
        """Know that the present speech is over, or never began; return it."""
        over, self.present = self.present, None
        # What is said next may be known already while a filler is spoken.
        if over is None or over.kind is not SpeechKind.FILLER:
            self._text = ""
        if over is not None:
            over.fell_silent(now)
            over.ended_at = now
            self._past.append(over)
        return over

    @property
    def was_question(self) -> bool:
        """Whether the present speech asks something as far as it is known, or else the last one."""
        speech = self.present or (self._past[-1] if self._past else None)
        return speech is not None and asks(speech.text)

    def share(self, began_at: float, ended_at: float, *, tail_seconds: float) -> float:
        """Return how much of some time there was sound of any speech, or its echo, from 0 to 1."""
        heard = sum(
            speech.overlap(began_at, ended_at, tail_seconds=tail_seconds) for speech in self._all()
        )
        return heard / max(ended_at - began_at, 0.001)

    def is_echo(
        self,
        text: str,
        began_at: float,
        ended_at: float,
        *,
        asks: bool = False,
        is_expected: bool = False,
    ) -> bool:
        """Say whether what was heard in some time are the bot's own words.

        Args:
            text: What was heard.
            began_at: From when.
            ended_at: Until when.
            asks: Whether there is a word in it by which questions begin.
            is_expected: Whether they have come back from there before.
        """
        heard = spoken_text(text)
        for speech in self._all():
            said = _said(speech.text)
            # A question about the bot's words has others in it as well.
            may_be_late = not asks or set(words_of(heard)) <= set(words_of(said))
            tail = self._tail(began_at, may_be_late=may_be_late)
            if speech.overlap(began_at, ended_at, tail_seconds=tail) <= 0:
                continue
            is_timely = self._is_timely(began_at, ended_at, tail)
            if is_timely and is_echo(heard, said, is_expected=is_expected):
                return True
        return False

    def _is_timely(self, began_at: float, ended_at: float, tail: float) -> bool:
        # After a pause of the speech only people talk on.
        ends_with_sound = self.share(ended_at - _LATE_SECONDS, ended_at, tail_seconds=tail) > 0
        return ends_with_sound and self.share(began_at, ended_at, tail_seconds=tail) >= _MOSTLY

    def _tail(self, began_at: float, *, may_be_late: bool) -> float:
        """Return for how long after the sound an echo may go on that began at some time."""
        is_late = may_be_late and self._began_with_sound(began_at)
        return self._options.late_echo_seconds if is_late else self._options.echo_tail_seconds

    def _began_with_sound(self, began_at: float) -> bool:
        """Say whether there was sound for a moment after some time."""
        until = began_at + _BEGAN_SECONDS
        sound = sum(speech.overlap(began_at, until) for speech in self._all())
        return sound >= _NEARLY * _BEGAN_SECONDS

    def is_mostly_during(self, began_at: float, ended_at: float) -> bool:
        """Say whether most of some time was while the bot spoke, or was paused."""
        covered = sum(
            max(0.0, min(speech.ended_at, ended_at) - max(speech.began_at, began_at))
            for speech in self._all()
        )
        return covered >= _MOSTLY * (ended_at - began_at)

    def answer_seconds(self, to: int, since: float, now: float) -> float:
        """Return for how long an answer to somebody was heard since some time."""
        return sum(
            speech.overlap(since, now)
            for speech in self._all()
            if speech.kind is SpeechKind.ANSWER and speech.to == to
        )

    def _all(self) -> Iterator[Speech]:
        yield from self._past
        if self.present is not None:
            yield self.present
