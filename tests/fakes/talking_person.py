"""Somebody in a voice channel whose packets arrive by a script, every 20 ms of the loop's time."""

import asyncio
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from voice.events import SILENCE, HeardPacket
from voice.link import PACKET_SECONDS
from voice.opus import PACKET_SAMPLES, OpusEncoder
from voice.resampling import Resampler
from voice.samples import SPEECH_RATE, Samples


@dataclass
class TalkingPerson:
    """Sends what `FakeVoiceActivity` takes for voice, and what it does not."""

    hear: Callable[[HeardPacket], None]
    person_id: int = 1
    sequence: int = 65_500
    timestamp: int = 2**32 - 5_000
    packets: list[HeardPacket] = field(default_factory=list)
    """Those that arrived."""

    async def says(self, script: str) -> None:
        """Send a packet of 20 ms for each character, of which some may not arrive.

        `#` is loud, `.` is quiet, `x` a loud one that is lost, `?` one that is not Opus, `_` what
        tells that nothing more is sent, and a space nothing at all.
        """
        for character in script:
            await asyncio.sleep(PACKET_SECONDS)
            self.timestamp = (self.timestamp + PACKET_SAMPLES) % 2**32
            if character != " ":
                self.sequence = (self.sequence + 1) % 2**16
            if character not in " x":
                self.send(_opus(character, self.sequence))

    async def speaks(self, packets: Iterable[bytes], *, loss: float = 0.0, seed: int = 1) -> None:
        """Send audio, and then what tells that nothing more is sent; some of it gets lost."""
        rng = random.Random(seed)  # noqa: S311 - what is lost need not be a secret
        for opus in [*packets, *[SILENCE] * 5]:
            await asyncio.sleep(PACKET_SECONDS)
            self.timestamp = (self.timestamp + PACKET_SAMPLES) % 2**32
            self.sequence = (self.sequence + 1) % 2**16
            if rng.random() >= loss:
                self.send(opus)

    def send(self, opus: bytes) -> None:
        """Have a packet arrive."""
        packet = HeardPacket(
            person_id=self.person_id,
            sequence=self.sequence,
            timestamp=self.timestamp,
            opus=opus,
            at=asyncio.get_running_loop().time(),
        )
        self.packets.append(packet)
        self.hear(packet)


def _opus(character: str, number: int) -> bytes:
    if character == "_":
        return SILENCE
    if character == "?":
        return b"\xff\xff\xff\xff"
    loud, quiet = _stock()
    return (quiet if character == "." else loud)[number % 50]


@cache
def _stock() -> tuple[list[bytes], list[bytes]]:
    times = np.arange(SPEECH_RATE) / SPEECH_RATE
    tone: Samples = (0.4 * np.sin(2 * np.pi * 300 * times)).astype(np.float32)
    return opus_of(tone), opus_of(tone * np.float32(0.001))


def opus_of(samples: Samples, rate: int = SPEECH_RATE) -> list[bytes]:
    """Return audio of some rate as packets of 20 ms."""
    resampler = Resampler()
    audio = np.concatenate([resampler.feed(samples, rate), resampler.finish()])
    audio = np.concatenate([audio, np.zeros(-audio.size % PACKET_SAMPLES, np.float32)])
    encoder = OpusEncoder()
    return [encoder.encode(piece) for piece in audio.reshape(-1, PACKET_SAMPLES)]
