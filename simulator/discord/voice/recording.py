"""What a person in a voice channel heard: packets, times, and how they sound."""

import asyncio
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from simulator.discord.model import Account
from simulator.discord.voice.opus import RATE, OpusDecoder, Samples, decoded
from simulator.discord.voice.peers import SILENCE

RECORDED_PACKETS = 60_000
"""Packets kept of each speaker, 20 minutes; the oldest go first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardPacket:
    """20 ms of somebody."""

    at_seconds: float
    """Monotonic: when it arrived."""
    sequence: int
    timestamp: int
    opus: bytes

    @property
    def is_silence(self) -> bool:
        """Whether it only says that nothing is said."""
        return self.opus == SILENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardSpeech:
    """What somebody said, from a first packet to a last; silence is left out."""

    packets: tuple[HeardPacket, ...]

    @property
    def started_at_seconds(self) -> float:
        """When its first packet arrived; monotonic."""
        return self.packets[0].at_seconds

    @property
    def ended_at_seconds(self) -> float:
        """When its last packet arrived; monotonic."""
        return self.packets[-1].at_seconds

    @property
    def samples(self) -> Samples:
        """What it sounds like, at 48 kHz, without the pauses between packets."""
        return decoded(packet.opus for packet in self.packets)

    @property
    def loudest_hertz(self) -> int:
        """Which tone is the loudest in it."""
        samples = self.samples
        spectrum = np.abs(np.fft.rfft(samples))
        return round(int(np.argmax(spectrum)) * RATE / len(samples))


class Recording:
    """All that one person heard; it ends when they leave, and can be looked at afterwards."""

    def __init__(self) -> None:
        self._packets: dict[int, deque[HeardPacket]] = {}
        self._changed = asyncio.Event()
        self.unreadable: Counter[int] = Counter()
        """By speaker: packets that could not be decrypted."""

    def add(self, speaker: Account, packet: HeardPacket) -> None:
        """Record a packet, and wake whoever waits."""
        kept = self._packets.setdefault(speaker.id, deque(maxlen=RECORDED_PACKETS))
        kept.append(packet)
        self._changed.set()
        self._changed = asyncio.Event()

    def packets(self, speaker: Account, *, after_seconds: float = 0.0) -> list[HeardPacket]:
        """Return what was heard of somebody since a moment, without silence, oldest first."""
        return [
            packet
            for packet in self._packets.get(speaker.id, ())
            if packet.at_seconds >= after_seconds and not packet.is_silence
        ]

    def samples(self, speaker: Account, *, after_seconds: float = 0.0) -> Samples:
        """Return how somebody sounded, at 48 kHz, each packet at the time of its arrival."""
        packets = self.packets(speaker, after_seconds=after_seconds)
        return _placed(packets) if packets else np.zeros(0, np.float32)

    async def changed(self) -> None:
        """Wait for the next packet."""
        await self._changed.wait()


def _placed(packets: Iterable[HeardPacket]) -> Samples:
    """Return packets as audio; where one came later than the one before ended, silence stands."""
    decoder = OpusDecoder()
    parts: list[Samples] = []
    start: float | None = None
    length = 0
    for packet in packets:
        start = packet.at_seconds if start is None else start
        sound = decoder.decode(packet.opus)
        gap = round((packet.at_seconds - start) * RATE) - length
        # Less than two packets is how unevenly a network delivers, not a pause.
        if gap > 2 * len(sound):
            parts.append(np.zeros(gap, np.float32))
            length += gap
        parts.append(sound)
        length += len(sound)
    return np.concatenate(parts)
