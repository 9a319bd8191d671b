"""How long people wait who talk to the bot, and who interrupt it; and how long on a naive line."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from random import Random

from benchmarks.rows import Row, Target
from benchmarks.samples import Samples
from benchmarks.voice.clips import Clip
from benchmarks.voice.corpus import corpus
from benchmarks.voice.edge_service import running_edge_service
from benchmarks.voice.naive import SILENCE_SECONDS, running_naive_line
from benchmarks.voice.people import Lateness
from benchmarks.voice.stage import Stage, models, running_stage
from benchmarks.voice.talk import Exchange, Talk, talk, talk_to
from voice.engines.faster_whisper import FasterWhisper
from voice.engines.protocols import EngineError, SpeechToText

LINES = 4
_NAIVE_SHARE = 0.5
"""Of the turns of the real line; the naive one is slower."""
_SEED = 3

_TRANSCRIPT_MS = (420.0, 950.0)
_SILENCE_MS = (350.0, 480.0)
_OFFLINE_MS = 25.0
_EDGE_MS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversations:
    """What was measured."""

    offline: Talk
    edge: Talk
    naive: Talk
    naive_edge: Talk
    naive_engine: str
    """What wrote down what was said to the naive line."""
    lateness: Lateness
    """Of the people with whom the offline voice talked."""

    def rows(self) -> list[Row]:
        """Return what is told of it."""
        said = [*self.offline.exchanges, *self.edge.exchanges]
        return [
            *self._transcript_rows(said),
            *self._packet_rows(),
            *self._silence_rows(said),
            self._turn_row(),
            *self._naive_rows(),
        ]

    def _transcript_rows(self, said: Sequence[Exchange]) -> list[Row]:
        early = sum(exchange.was_early for exchange in said)
        unanswered = self.offline.unanswered + self.edge.unanswered
        return pair(
            "end of speech → transcript",
            [exchange.to_transcript for exchange in said],
            limits_ms=_TRANSCRIPT_MS,
            against=f"from the last sound of the voice, on {LINES} lines at once;"
            f" {unanswered} were not answered, {early} answered while still being said;"
            f" people's packets were late by {self.lateness.p50 * 1000:.1f} ms (p99"
            f" {self.lateness.p99 * 1000:.0f})",
        )

    def _packet_rows(self) -> list[Row]:
        return [
            *pair(
                "transcript → first Opus packet, offline voice",
                [exchange.to_packet for exchange in self.offline.exchanges],
                limits_ms=(_OFFLINE_MS, None),
                against="hibari; the first chunk of the answer has 5 to 9 words",
            ),
            *pair(
                "transcript → first Opus packet, edge stand-in",
                [exchange.to_packet for exchange in self.edge.exchanges],
                limits_ms=(_EDGE_MS, None),
                against="edge-tts on loopback: a connection, some 20 ms of synthesis, mp3",
            ),
        ]

    def _silence_rows(self, said: Sequence[Exchange]) -> list[Row]:
        silences = [each.to_silence for each in said if each.to_silence is not None]
        return pair(
            "start of interruption → last packet of the bot",
            silences,
            limits_ms=_SILENCE_MS,
            against="from the first sound of a voice that says a whole sentence",
        )

    def _turn_row(self) -> Row:
        talk = self.offline
        return Row(
            name="CPU time of a turn",
            value=1000 * talk.cpu_seconds / len(talk.exchanges),
            unit="ms",
            against=f"all of the process, with {LINES} lines, over the turns: heard for some 3 s,"
            " written down, judged, answered for some 4 s",
        )

    def _naive_rows(self) -> list[Row]:
        return [
            _ratio("offline voice", self.offline, self.naive, self.naive_engine),
            _ratio("edge stand-in", self.edge, self.naive_edge, self.naive_engine),
        ]


async def measure(rounds: int, whisper: str) -> Conversations:
    """Measure it.

    Args:
        rounds: How often everyone talks to the bot.
        whisper: Which model faster-whisper writes down with on the naive line, if it is there.
    """
    clips = list(corpus().whole)
    Random(_SEED).shuffle(clips)  # noqa: S311 - no secret
    naive_engine = await asyncio.to_thread(_naive_engine, whisper)
    naive_turns = max(1, round(rounds * _NAIVE_SHARE))
    async with running_stage() as stage:
        offline = await talk(stage, clips, lines=LINES, turns=rounds)
        naive = await _talk_naively(stage, naive_engine, clips, naive_turns)
    async with running_edge_service() as url, running_stage(edge_url=url) as edge_stage:
        edge = await talk(edge_stage, clips[::-1], lines=LINES, turns=naive_turns)
        naive_edge = await _talk_naively(edge_stage, naive_engine, clips, naive_turns)
    return Conversations(
        offline=offline,
        edge=edge,
        naive=naive,
        naive_edge=naive_edge,
        naive_engine=naive_engine.name,
        lateness=stage.people.lateness,
    )


def pair(
    name: str,
    seconds: Sequence[float],
    *,
    limits_ms: tuple[float | None, float | None],
    against: str,
) -> list[Row]:
    """Return the median and the 95th percentile as rows, each with its limit, if it has one."""
    samples = Samples(seconds)
    median, high = (None if limit is None else Target("≤", limit) for limit in limits_ms)
    count = f"n = {samples.count}"
    return [
        Row(
            name=f"{name}, p50",
            value=samples.median * 1000,
            unit="ms",
            target=median,
            against=f"{count}; {against}",
        ),
        Row(name=f"{name}, p95", value=samples.p95 * 1000, unit="ms", target=high, against=count),
    ]


def _ratio(voice: str, real: Talk, naive: Talk, engine: str) -> Row:
    ours, theirs = (
        Samples([exchange.to_sound for exchange in each.exchanges]) for each in (real, naive)
    )
    return Row(
        name=f"end of speech → first packet, the naive way against ours, {voice}",
        value=theirs.median / ours.median,
        unit="times",
        against=f"medians {theirs.median * 1000:.0f} and {ours.median * 1000:.0f} ms, n ="
        f" {theirs.count}; naive: {SILENCE_SECONDS * 1000:.0f} ms of silence, then {engine}, then"
        " the whole answer is made",
    )


def _naive_engine(whisper: str) -> SpeechToText:
    try:
        return FasterWhisper(whisper, "en", 1)
    except EngineError:
        return models().speech_to_text


async def _talk_naively(
    stage: Stage, engine: SpeechToText, clips: Sequence[Clip], turns: int
) -> Talk:
    async with AsyncExitStack() as stack:
        lines = [
            await stack.enter_async_context(running_naive_line(stage, engine, person_id))
            for person_id in range(1, LINES + 1)
        ]
        return await talk_to(stage.people, lines, clips, turns=turns)
