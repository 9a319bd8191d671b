"""What a line costs that is idle, a person who talks, and the bot while it speaks."""

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import numpy as np

from benchmarks.rows import Row, Target
from benchmarks.voice.clips import Clip, clip_of, envelope, packets_of
from benchmarks.voice.corpus import corpus
from benchmarks.voice.line import Line, running_line
from benchmarks.voice.sentences import REPLIES
from benchmarks.voice.stage import Stage, models, running_stage
from voice.link import PACKET_SECONDS
from voice.opus import OpusDecoder
from voice.samples import FRAME_SAMPLES, HEARING_RATE, Samples

_LINES = 16
_IDLE_SECONDS = 5.0
_SETTLED_AFTER_SECONDS = 1.5
_TALK_SECONDS = 12.0
"""Shorter than what is cut; so nothing is written down meanwhile."""
_MARGIN_SECONDS = 1.0
_SOUND_SHARE = 0.05
_KEPT_AROUND = HEARING_RATE // 25
"""How much of a pause is kept on both sides of it: 40 ms."""

_IDLE_PERCENT = 0.1
_TALKING_PERCENT = 0.6
_SPEAKING_PERCENT = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """What was measured: shares of one core, from 0 to 1."""

    idle: float
    talking: float
    models_in_loop: float
    """Of Opus and voice activity for one person who talks, if nothing comes in between."""
    speaking: float

    def rows(self) -> list[Row]:
        """Return what is told of it."""
        return [
            _row(
                "idle line",
                self.idle,
                _IDLE_PERCENT,
                f"CPU time of {_LINES} lines on which nobody talks for"
                f" {_IDLE_SECONDS:g} s, over their number",
            ),
            _row(
                "talking person",
                self.talking,
                _TALKING_PERCENT,
                f"CPU time of {_LINES} lines on which somebody talks without a pause: jitter,"
                " Opus, voice activity, turns; no decryption, and nothing is written down; Opus"
                f" and voice activity alone, in a loop with warm caches: {self.models_in_loop:.2%}",
            ),
            _row(
                "speaking bot",
                self.speaking,
                _SPEAKING_PERCENT,
                f"CPU time of {_LINES} lines over what they speak: hibari, loudness, Opus,"
                " sending; no encryption",
            ),
        ]


async def measure() -> Shares:
    """Measure it."""
    async with running_stage() as stage:
        async with _lines(stage, _LINES):
            await asyncio.sleep(_SETTLED_AFTER_SECONDS)
            idle = await _cpu_in(_IDLE_SECONDS)
        async with _lines(stage, _LINES) as lines:
            talking = await _talking(stage, lines)
            speaking = await _speaking(lines)
    return Shares(
        idle=idle / _IDLE_SECONDS / _LINES,
        talking=talking / _LINES,
        models_in_loop=_models_in_loop(),
        speaking=speaking,
    )


async def _talking(stage: Stage, lines: Sequence[Line]) -> float:
    """Return how many cores it takes that all talk."""
    clip = _without_pauses(corpus().readings, _TALK_SECONDS)
    await stage.people.learn(clip)
    began = time.monotonic()
    for line in lines:
        stage.people.say(
            clip, port=line.link.port, person_id=line.person_id, at=began, seed=line.person_id
        )
    await asyncio.sleep(_MARGIN_SECONDS)
    seconds = clip.seconds - 2 * _MARGIN_SECONDS
    cpu = await _cpu_in(seconds)
    for line in lines:
        await line.answered()
        await line.hush()
    return cpu / seconds


def _models_in_loop() -> float:
    """Return how many cores it takes to decode and judge what one person says."""
    clip = _without_pauses(corpus().readings, _TALK_SECONDS)
    packets, decoder = packets_of(clip.audio), OpusDecoder()
    stream = models().voice_activity.stream()
    cpu = time.process_time()
    audio = np.concatenate([decoder.decode(packet) for packet in packets])
    for at in range(0, audio.size - FRAME_SAMPLES, FRAME_SAMPLES):
        stream.probability(audio[at : at + FRAME_SAMPLES])
    return (time.process_time() - cpu) / clip.seconds


async def _speaking(lines: Sequence[Line]) -> float:
    """Return how many cores it takes to speak on one of the lines."""
    sent, cpu = sum(line.link.sent_count for line in lines), time.process_time()
    async with asyncio.TaskGroup() as tasks:
        for number, line in enumerate(lines):
            tasks.create_task(line.say(REPLIES[number % len(REPLIES)]))
    cpu = time.process_time() - cpu
    packets = sum(line.link.sent_count for line in lines) - sent
    return cpu / (packets * PACKET_SECONDS)


async def _cpu_in(seconds: float) -> float:
    cpu = time.process_time()
    await asyncio.sleep(seconds)
    return time.process_time() - cpu


@asynccontextmanager
async def _lines(stage: Stage, count: int) -> AsyncGenerator[list[Line], None]:
    async with AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(running_line(stage, person_id))
            for person_id in range(1, count + 1)
        ]


def _without_pauses(clips: Sequence[Clip], seconds: float) -> Clip:
    """Return clips one behind the other, without the pauses in and between them."""
    audio = np.concatenate([_voice_in(clip.audio) for clip in clips])
    return clip_of("talk", "", audio[: round(seconds * HEARING_RATE)])


def _voice_in(audio: Samples) -> Samples:
    loud = envelope(audio)
    is_sound = loud > _SOUND_SHARE * float(loud.max())
    around = np.ones(2 * _KEPT_AROUND + 1)
    return audio[np.convolve(is_sound, around, "same") > 0]


def _row(name: str, share: float, limit: float, against: str) -> Row:
    return Row(
        name=f"{name}: share of one core",
        value=100.0 * share,
        unit="%",
        target=Target("≤", limit),
        against=against,
    )
