"""A line as it is written at first: it waits for silence, writes down, and then makes all of it.

After 600 ms of silence what was said is written down, and the answer is played once all of it is
speech. Opus, voice activity and the voice are those of the bot.
"""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import cycle

import numpy as np

from benchmarks.voice.line import TakenTurn
from benchmarks.voice.loopback_link import LoopbackLink, running_link
from benchmarks.voice.sentences import REPLIES
from benchmarks.voice.stage import Stage
from voice.clips import speech_clip
from voice.engines.protocols import SpeechToText
from voice.events import SILENCE, HeardPacket
from voice.model_pool import Priority
from voice.opus import OpusDecoder
from voice.samples import FRAME_SAMPLES, Samples

SILENCE_SECONDS = 0.6

_TICK_SECONDS = 0.02
_LEAST_FRAMES = 6
"""Of voice; with less, nothing was said."""
_PREROLL_FRAMES = 10
_NOTHING: Samples = np.zeros(0, np.float32)


class NaiveLine:
    """One person on a naive line; get it from `running_naive_line`."""

    def __init__(
        self, stage: Stage, speech_to_text: SpeechToText, link: LoopbackLink, person_id: int
    ) -> None:
        self.link = link
        self.person_id = person_id
        self.turns: list[TakenTurn] = []
        self.changed = asyncio.Event()
        """Set when a turn was taken; cleared by whoever waits for it."""
        self._stage = stage
        self._speech_to_text = speech_to_text
        self._decoder = OpusDecoder()
        self._stream = stage.models.voice_activity.stream()
        self._replies = cycle(REPLIES)
        self._samples = _NOTHING
        self._frames: list[Samples] = []
        self._voiced = 0
        self._voice_at = 0.0

    def hear(self, packet: HeardPacket) -> None:
        """Take a packet."""
        if packet.opus == SILENCE:
            return
        self._samples = np.concatenate([self._samples, self._decoder.decode(packet.opus)])
        while self._samples.size >= FRAME_SAMPLES:
            frame, self._samples = self._samples[:FRAME_SAMPLES], self._samples[FRAME_SAMPLES:]
            self._judge(frame)

    def _judge(self, frame: Samples) -> None:
        is_voice = self._stream.probability(frame) >= 0.5  # noqa: PLR2004 - likelier than not
        self._frames.append(frame)
        if is_voice:
            self._voiced += 1
            self._voice_at = time.monotonic()
            if self._voiced == _LEAST_FRAMES:
                self.link.drop()
        elif not self._voiced:
            self._frames = self._frames[-_PREROLL_FRAMES:]

    async def run(self) -> None:
        """Answer what is said, until cancelled."""
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            if self._voiced and time.monotonic() - self._voice_at >= SILENCE_SECONDS:
                audio, voiced = np.concatenate(self._frames), self._voiced
                self._frames, self._voiced = [], 0
                if voiced >= _LEAST_FRAMES:
                    await self._answer(audio)

    async def _answer(self, audio: Samples) -> None:
        text = await self._stage.pool.run(
            Priority.FINAL, lambda: self._speech_to_text.transcribe(audio)
        )
        self.turns.append(TakenTurn(text=text, at=time.monotonic()))
        self.changed.set()
        clip = await speech_clip(next(self._replies), self._stage.voices.for_turn())
        self.link.play(clip.packets)


@asynccontextmanager
async def running_naive_line(
    stage: Stage, speech_to_text: SpeechToText, person_id: int
) -> AsyncGenerator[NaiveLine, None]:
    """Have a naive line with one person on it while the block lasts."""
    async with running_link(person_id, stage.people.port) as link, asyncio.TaskGroup() as tasks:
        line = NaiveLine(stage, speech_to_text, link, person_id)
        link.listen(line.hear)
        running = tasks.create_task(line.run())
        try:
            yield line
        finally:
            running.cancel()
