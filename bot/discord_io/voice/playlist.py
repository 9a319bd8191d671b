"""What is to be sent next, 20 ms at a time. Pure."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from voice.events import SILENCE

TAIL_FRAMES = 5
"""Of silence after the last of the speech; without it the hearers' decoders make up some sound.

https://docs.discord.com/developers/topics/voice-connections#voice-data-interpolation
"""
MOST_WAITING = 45_000
"""Packets that may wait: a quarter of an hour."""


@dataclass(frozen=True, slots=True)
class Frame:
    """20 ms of Opus."""

    opus: bytes
    is_speech: bool
    """Whether it was given to be played, and is not the silence after that."""


class Playlist:
    """A queue of packets that can be paused and dropped, with silence after each stretch."""

    def __init__(self) -> None:
        self.is_paused = False
        self._waiting = deque[bytes]()
        self._silence = 0
        """How many frames of it are due."""

    @property
    def waiting_count(self) -> int:
        """How many packets wait."""
        return len(self._waiting)

    def add(self, packets: Sequence[bytes]) -> int:
        """Have packets sent after those that wait; return how many there was no room for."""
        room = MOST_WAITING - len(self._waiting)
        self._waiting.extend(packets[:room])
        return max(0, len(packets) - room)

    def drop(self) -> None:
        """Forget what waits; what comes next is not paused."""
        self._waiting.clear()
        self.is_paused = False

    def breathe(self, frames: int = TAIL_FRAMES) -> None:
        """Have silence sent although nothing was said."""
        self._silence = max(self._silence, frames)

    @property
    def next_frame(self) -> Frame | None:
        """What is to be sent now; `None` if nothing is."""
        if self._waiting and not self.is_paused:
            return Frame(self._waiting[0], is_speech=True)
        return Frame(SILENCE, is_speech=False) if self._silence else None

    def step(self) -> None:
        """Know that `next_frame` was sent."""
        if self._waiting and not self.is_paused:
            self._waiting.popleft()
            self._silence = TAIL_FRAMES
        else:
            self._silence -= 1
