"""Puts the packets of one person in order again, and says what is lost. Pure.

Nothing is played, so nothing is held back for an even pace: what comes in order goes on at once,
and only a gap is waited for.
"""

from collections import Counter
from dataclasses import dataclass
from math import inf
from typing import Final

from voice.events import SILENCE, HeardPacket

WAIT_SECONDS: Final = 0.06
"""For so long a missing packet may still come."""
SILENT_AFTER_SECONDS: Final = 0.1
"""After so long without a packet, somebody is silent, even if they did not say so.

Two packets that are lost in a row are no silence. It delays nothing: silence is counted from the
last voice on, and nothing comes of less than 160 ms of it.
"""

_SEQUENCES: Final = 2**16
_TIMESTAMPS: Final = 2**32
_FURTHEST: Final = 100
"""A packet so far ahead or behind comes from a sender that has begun anew (RFC 3550, A.1)."""
_FURTHEST_TICKS: Final = 10 * 48_000
"""The timestamp of a packet that is only late is not further away."""
_LATEST_SECONDS: Final = 1.0
"""Nothing that comes so long after the newest packet was overtaken by it."""
_MOST_AT_ONCE: Final = 250
_MOST_PER_SECOND: Final = 75
"""Discord's clients send 50; what waited in a network for five seconds may come at once. More than
that nobody has to hear: it would cost the others' share of the processor."""
_MOST_LOST: Final = 10
"""So many in a row can be concealed; from then on there would be nothing but silence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """The next packet."""

    opus: bytes
    at: float
    """When it arrived."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """A packet is missing here, and no longer waited for."""

    next_opus: bytes | None
    """The packet that came right after it; None if that is missing, too."""
    at: float
    """When the packet arrived that showed the gap."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Silent:
    """Nothing is sent from here on; told once, until something is sent again."""

    since: float


Playable = Received | Lost | Silent


class JitterBuffer:
    """The packets of one person, on their way to the decoder.

    What it holds is bounded: nothing waits longer than `WAIT_SECONDS`, nor for more than
    `_FURTHEST` packets.
    """

    def __init__(self, counts: Counter[str] | None = None) -> None:
        """Make one that is empty.

        Args:
            counts: Where packets are counted: `packets`, `late` (or twice), `lost`, `restarts`,
                `too many`.
        """
        self._held: dict[int, HeardPacket] = {}
        self._next_sequence: int | None = None
        self._newest: HeardPacket | None = None
        self._is_silent = True
        self._allowance = float(_MOST_AT_ONCE)
        self._counted_at = -inf
        self._counts = Counter[str]() if counts is None else counts

    @property
    def next_at(self) -> float | None:
        """When `due` has to be called at the latest; None if only a packet can change anything."""
        if self._held:
            return self._gap_ends_at()
        if self._is_silent or self._newest is None:
            return None
        return self._newest.at + SILENT_AFTER_SECONDS

    def put(self, packet: HeardPacket) -> None:
        """Take a packet that has arrived."""
        self._counts["packets"] += 1
        if self._is_too_many(packet.at):
            self._counts["too many"] += 1
            return
        if self._next_sequence is None:
            self._next_sequence = packet.sequence
        ahead = _distance(self._next_sequence, packet.sequence)
        if self._is_of_new_sender(packet, ahead):
            self._counts["restarts"] += 1
            self._held.clear()
            self._next_sequence = packet.sequence
        elif ahead < 0 or packet.sequence in self._held:
            self._counts["late"] += 1
            return
        self._held[packet.sequence] = packet
        self._newest = packet

    def due(self, now: float) -> list[Playable]:
        """Return what can go on now, in order."""
        due: list[Playable] = []
        while self._next_sequence is not None and self._held:
            packet = self._held.pop(self._next_sequence, None)
            if packet is not None:
                self._next_sequence = (self._next_sequence + 1) % _SEQUENCES
                due += self._passed_on(packet)
            elif now >= self._gap_ends_at():
                due += self._given_up(self._next_sequence)
            else:
                break
        if (
            not self._held
            and not self._is_silent
            and (at := self.next_at) is not None
            and now >= at
        ):
            self._is_silent = True
            due.append(Silent(since=at))
        return due

    def _passed_on(self, packet: HeardPacket) -> list[Playable]:
        if packet.opus != SILENCE:
            self._is_silent = False
            return [Received(opus=packet.opus, at=packet.at)]
        if self._is_silent:
            return []
        self._is_silent = True
        return [Silent(since=packet.at)]

    def _given_up(self, missing: int) -> list[Playable]:
        first = min(self._held, key=lambda sequence: _distance(missing, sequence))
        count = _distance(missing, first)
        self._counts["lost"] += count
        self._next_sequence = first
        packet = self._held[first]
        # What is lost there was silence, too, in most cases; if not, it ends in silence anyhow.
        if packet.opus == SILENCE:
            return []
        # After silence, the time that has passed stands for all but the last one.
        concealed = 1 if self._is_silent else min(count, _MOST_LOST)
        self._is_silent = False
        lost: list[Playable] = [Lost(next_opus=None, at=packet.at)] * (concealed - 1)
        return [*lost, Lost(next_opus=packet.opus, at=packet.at)]

    def _is_too_many(self, at: float) -> bool:
        earned = max(0.0, at - self._counted_at) * _MOST_PER_SECOND
        self._allowance = min(self._allowance + earned, float(_MOST_AT_ONCE))
        self._counted_at = max(at, self._counted_at)
        if self._allowance < 1:
            return True
        self._allowance -= 1
        return False

    def _gap_ends_at(self) -> float:
        return min(packet.at for packet in self._held.values()) + WAIT_SECONDS

    def _is_of_new_sender(self, packet: HeardPacket, ahead: int) -> bool:
        if abs(ahead) > _FURTHEST:
            return True
        if ahead >= 0 or self._newest is None:
            return False
        if packet.at - self._newest.at > _LATEST_SECONDS:
            return True
        # Both numbers of a sender begin at random: a late packet is near in both.
        ticks = _distance(self._newest.timestamp, packet.timestamp, _TIMESTAMPS)
        return abs(ticks) > _FURTHEST_TICKS


def _distance(start: int, end: int, numbers: int = _SEQUENCES) -> int:
    """Return how far it is from one number to another, the shorter way round."""
    half = numbers // 2
    return (end - start + half) % numbers - half
