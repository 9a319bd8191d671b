"""Somebody without headphones: what they hear of the bot goes back through their microphone."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import count

import numpy as np

from simulator.discord.model import Account
from simulator.discord.voice.opus import PACKET_SAMPLES, PACKET_SECONDS, RATE, OpusDecoder, Samples
from simulator.discord.voice.peers import SILENCE
from simulator.discord.voice.talker import Talker
from voice.opus import OpusEncoder

_DELAY_FRAMES = 6
"""How late it comes back, 120 ms: clients keep some of it ready before they play it."""
_REVERBERATION_SECONDS = 0.3
"""After which sound in the room has lost 60 dB."""
_SILENT = 1e-5
_SILENCE_PACKETS = 5
_SEED = 3
_NOTHING: Samples = np.zeros(PACKET_SAMPLES, np.float32)


class Room:
    """How a room sounds: each frame comes back late, softer, and for a while."""

    def __init__(self, decibels: float) -> None:
        response = _response(decibels)
        self._size = 1 << (len(response) + PACKET_SAMPLES).bit_length()
        self._spectrum = np.fft.rfft(response, self._size)
        self._coming = np.zeros(self._size, np.float32)
        self._late = deque([_NOTHING] * _DELAY_FRAMES)

    def heard(self, played: Samples | None) -> Samples | None:
        """Return what is heard in the room while a frame, or nothing, is played there.

        `None`: it is silent.
        """
        self._late.append(_NOTHING if played is None else played)
        frame = self._late.popleft()
        if frame.any():
            sound = np.fft.irfft(np.fft.rfft(frame, self._size) * self._spectrum, self._size)
            self._coming += sound
        heard = self._coming[:PACKET_SAMPLES].copy()
        self._coming = np.concatenate([self._coming[PACKET_SAMPLES:], _NOTHING])
        return heard if float(np.abs(heard).max()) > _SILENT else None


@asynccontextmanager
async def loudspeakers(
    talker: Talker, speaker: Account, *, decibels: float
) -> AsyncGenerator[None, None]:
    """Send back what somebody hears of a speaker, so much softer, while the block lasts."""
    async with asyncio.TaskGroup() as tasks:
        playing = tasks.create_task(_play_back(talker, speaker, Room(decibels)))
        try:
            yield
        finally:
            playing.cancel()


async def _play_back(talker: Talker, speaker: Account, room: Room) -> None:
    loop, decoder, encoder = asyncio.get_running_loop(), OpusDecoder(), OpusEncoder()
    began_at, taken, silences = loop.time(), len(talker.recording.packets(speaker)), 0
    for number in count(1):
        await asyncio.sleep(began_at + number * PACKET_SECONDS - loop.time())
        packets = talker.recording.packets(speaker)[taken : taken + 1]
        taken += len(packets)
        sound = room.heard(decoder.decode(packets[0].opus) if packets else None)
        if sound is not None:
            if not silences:
                talker.announce()
            silences = _SILENCE_PACKETS
            talker.send_packet(encoder.encode(sound))
        elif silences:
            silences -= 1
            talker.send_packet(SILENCE)


def _response(decibels: float) -> Samples:
    """Return what comes back of a click: it, and then its many echoes, less and less loud."""
    rng = np.random.default_rng(_SEED)
    times = np.arange(round(_REVERBERATION_SECONDS * RATE)) / RATE
    tail = 0.3 * rng.normal(0, 1, times.size) * 10 ** (-3 * times / _REVERBERATION_SECONDS)
    tail[0] = 10.0
    response: Samples = tail * 10 ** (decibels / 20) / np.sqrt(np.sum(tail**2))
    return response.astype(np.float32)
