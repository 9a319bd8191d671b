"""How long to wait for somebody who may go on, as they are used to pause. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PatienceOptions:
    """How far patience goes."""

    shortest_seconds: float = 0.7
    longest_seconds: float = 0.9
    shortest_pause_seconds: float = 0.25
    """A shorter pause counts as one of so long: it is between two words."""
    longest_pause_seconds: float = 1.2
    """After a longer one, somebody has thought of something else to say."""


_FIRST_AVERAGE_SECONDS = 0.55
_MARGIN_SECONDS = 0.25
"""Most pauses are not longer than the average and so much."""
_WEIGHT = 0.25
"""Of the newest pause in the average."""


class Patience:
    """How long is waited for one person; it grows with those who pause for long."""

    def __init__(self, options: PatienceOptions) -> None:
        self._options = options
        self._average = _FIRST_AVERAGE_SECONDS

    @property
    def seconds(self) -> float:
        """After so much silence they have ended, even if it did not seem so."""
        wanted = self._average + _MARGIN_SECONDS
        return min(max(wanted, self._options.shortest_seconds), self._options.longest_seconds)

    def went_on(self, pause_seconds: float) -> None:
        """Learn that they went on after so much silence."""
        if pause_seconds > self._options.longest_pause_seconds:
            return
        pause = max(pause_seconds, self._options.shortest_pause_seconds)
        self._average += _WEIGHT * (pause - self._average)
