"""Notices that somebody cannot be understood any more although their packets come. Pure."""

from dataclasses import dataclass, field
from math import inf

_MOST_DOUBLINGS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class DeafnessOptions:
    """What is taken for deafness."""

    packets: int = 150
    """So many of one stream in a row that nobody can decrypt: three seconds of speech."""
    seconds: float = 4.0
    """And for so long. While keys are exchanged, some are lost; that is no deafness."""
    pause_seconds: float = 30.0
    """Do not say so again for that long, and for twice as long the next time: a new connection
    may not help, if it is for the other's client to mend."""
    longest_pause_seconds: float = 960.0


@dataclass(slots=True)
class _Row:
    count: int = 0
    began_at: float = 0.0


@dataclass(slots=True)
class Deafness:
    """Counts what could not be decrypted, for each stream."""

    options: DeafnessOptions = DeafnessOptions()
    _rows: dict[int, _Row] = field(default_factory=dict[int, _Row])
    _quiet_until: float = -inf
    _said: int = 0

    def understood(self, ssrc: int) -> None:
        """Know that a packet of a stream was decrypted."""
        self._rows.pop(ssrc, None)

    def not_understood(self, ssrc: int, now: float) -> bool:
        """Know that one was not; return whether the connection should be made anew."""
        row = self._rows.setdefault(ssrc, _Row(began_at=now))
        row.count += 1
        is_much = row.count >= self.options.packets
        if not is_much or now - row.began_at < self.options.seconds or not self.may_say(now):
            return False
        self._rows.clear()
        return True

    def may_say(self, now: float) -> bool:
        """Return whether the connection may be made anew once more for such a reason."""
        if now < self._quiet_until:
            return False
        pause_seconds = self.options.pause_seconds * 2.0**self._said
        self._quiet_until = now + min(pause_seconds, self.options.longest_pause_seconds)
        self._said = min(self._said + 1, _MOST_DOUBLINGS)
        return True

    def begin_anew(self) -> None:
        """Forget the streams: there is a new connection."""
        self._rows.clear()
