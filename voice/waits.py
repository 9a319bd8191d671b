"""What waits for silence: a word while it thinks, and notices. Pure."""

from dataclasses import dataclass

from voice.commands import AnnounceNow, LineCommand, SayFiller
from voice.turn_options import TurnOptions

_CALLED_SECONDS = 3.0
"""So soon notices are spoken that were called; else they may be called again."""
_TAKEN_UP_SECONDS = 2.0
"""So soon a turn is worked on that was taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What goes on at the moment."""

    is_talking: bool
    """Whether anybody talks, or something they said is kept back."""
    is_speaking: bool
    """Whether the bot speaks, or has been paused."""
    is_working: bool
    """Whether something is being answered."""
    last_voice_at: float
    """When somebody's voice was heard last."""

    @property
    def is_free(self) -> bool:
        """Whether something may be said."""
        return not self.is_talking and not self.is_speaking


class Waits:
    """Says when it is time."""

    def __init__(self, options: TurnOptions) -> None:
        self._options = options
        self._filler_at: float | None = None
        self._are_notices = False
        self._quiet_until = float("-inf")
        self._called_until = float("-inf")
        self._work_expected_until = float("-inf")

    def answering(self, now: float, *, is_awaited: bool) -> None:
        """Know that work on a turn has begun, and whether somebody waits on the line."""
        wanted = is_awaited and self._options.filler
        self._filler_at = now + self._options.filler_after_seconds if wanted else None

    def no_filler(self) -> None:
        """Know that there is an answer, or that none is wanted any more."""
        self._filler_at = None

    def turn_taken(self, now: float) -> None:
        """Know that work on a turn will begin."""
        self._work_expected_until = now + _TAKEN_UP_SECONDS

    def spoken(self, now: float, *, asked: bool) -> None:
        """Know that the bot has spoken, and whether it has asked something."""
        options = self._options
        quiet = options.quiet_after_question_seconds if asked else options.quiet_seconds
        self._quiet_until = now + quiet
        self._called_until = float("-inf")

    def notices_wait(self, *, is_any: bool) -> None:
        """Know whether there are notices."""
        self._are_notices = is_any

    def due(self, now: float, around: Surroundings) -> list[LineCommand]:
        """Return what it is time for."""
        if not around.is_free:
            return []
        if self._filler_at is not None and now >= self._filler_at:
            self._filler_at = None
            return [SayFiller()]
        if self._may_announce(around) and now >= self._announce_at(around):
            self._called_until = now + _CALLED_SECONDS
            return [AnnounceNow()]
        return []

    def next_at(self, around: Surroundings) -> float | None:
        """Return when it is time for something, if nothing happens before."""
        times = list[float]()
        if self._filler_at is not None and around.is_free:
            times.append(self._filler_at)
        if self._may_announce(around):
            times.append(self._announce_at(around))
        return min(times, default=None)

    def _may_announce(self, around: Surroundings) -> bool:
        return self._are_notices and around.is_free and not around.is_working

    def _announce_at(self, around: Surroundings) -> float:
        return max(
            around.last_voice_at + self._options.quiet_seconds,
            self._quiet_until,
            self._called_until,
            self._work_expected_until,
        )
