"""What an endpointer wants done, besides what it tells. Pure."""

from dataclasses import dataclass

from voice.events import HearingEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Have what was said so far written down, and judged by its sound whether it is over."""

    number: int
    """To be given back with what comes of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteDown:
    """Have an utterance written down: it is over. Its audio is not needed any more thereafter."""

    number: int
    """To be given back with what comes of it."""
    carried_frames: int = 0
    """So many frames at its end are the beginning of the next one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdraw:
    """What was to be judged or written down is of no use any more."""

    number: int


@dataclass(frozen=True, slots=True)
class Discard:
    """The audio of the utterance is not needed any more."""


EndpointerStep = HearingEvent | Judge | WriteDown | Withdraw | Discard
