"""Hears clips with the real ear and the real models, as fast as they can, on a clock of its own."""

import heapq
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count

from voice.ear import Ear, EarOptions, EarStep, Listen
from voice.endpointer_steps import Withdraw
from voice.events import HeardPacket, Utterance, UtteranceEnded
from voice.hearing_models import HearingModels
from voice.link import PACKET_SECONDS

_PERSON = 1
_AFTERWARDS_SECONDS = 3.0
"""Longer than anybody's end is waited for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """A packet, and when it comes in."""

    opus: bytes
    number: int
    """Of the packets of its sender, those counted that were lost."""
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedHearing:
    """What was heard of one clip."""

    utterances: tuple[Utterance, ...]

    @property
    def text(self) -> str:
        """All that was heard."""
        return " ".join(utterance.text for utterance in self.utterances)


def hear(models: HearingModels, arrivals: Sequence[Arrival]) -> SimulatedHearing:
    """Hear packets of one person; each model takes as long as it really takes, of that clock."""
    return _Simulation(models).run(arrivals)


class _Simulation:
    def __init__(self, models: HearingModels) -> None:
        self._models = models
        self._ear = Ear(
            _PERSON,
            models.voice_activity.stream(),
            EarOptions(),
            counts=Counter(),
            judged=_raise,
        )
        self._due: list[tuple[float, int, partial[list[EarStep]]]] = []
        self._order = count()
        self._withdrawn: set[int] = set()
        self._utterances: list[Utterance] = []

    def run(self, arrivals: Sequence[Arrival]) -> SimulatedHearing:
        for arrival in arrivals:
            packet = HeardPacket(
                person_id=_PERSON,
                sequence=arrival.number % 2**16,
                timestamp=round(arrival.number * PACKET_SECONDS * 48_000) % 2**32,
                opus=arrival.opus,
                at=arrival.at,
            )
            self._put(arrival.at, partial(self._ear.packet, packet))
        end = max(arrival.at for arrival in arrivals) + _AFTERWARDS_SECONDS
        while (at := self._next_at()) is not None and at <= end:
            self._step(at)
        return SimulatedHearing(utterances=tuple(self._utterances))

    def _next_at(self) -> float | None:
        times = [self._due[0][0]] if self._due else []
        if self._ear.next_at is not None:
            times.append(self._ear.next_at)
        return min(times, default=None)

    def _step(self, at: float) -> None:
        is_event = bool(self._due) and self._due[0][0] <= at
        steps = heapq.heappop(self._due)[2]() if is_event else self._ear.passed(at)
        for step in steps:
            match step:
                case Listen():
                    self._listen(step, at)
                case Withdraw(number=number):
                    self._withdrawn.add(number)
                case UtteranceEnded(utterance=utterance):
                    self._utterances.append(utterance)
                case _:
                    pass

    def _listen(self, wanted: Listen, at: float) -> None:
        began = time.perf_counter()
        text = self._models.speech_to_text.transcribe(wanted.audio)
        written_after = time.perf_counter() - began
        self._put(
            at + written_after, partial(self._written, wanted.number, text, at, written_after)
        )
        if wanted.is_over:
            return
        over = self._models.end_of_turn.probability(wanted.audio)
        judged_after = time.perf_counter() - began - written_after
        self._put(at + judged_after, partial(self._judged, wanted.number, over, at, judged_after))

    def _written(self, number: int, text: str, at: float, seconds: float) -> list[EarStep]:
        if number in self._withdrawn:
            return []
        return self._ear.written(number, text, seconds=seconds, at=at + seconds)

    def _judged(self, number: int, over: float, at: float, seconds: float) -> list[EarStep]:
        if number in self._withdrawn:
            return []
        return self._ear.judged(number, over, seconds=seconds, at=at + seconds)

    def _put(self, at: float, event: partial[list[EarStep]]) -> None:
        heapq.heappush(self._due, (at, next(self._order), event))


def _raise(error: Exception | None) -> None:
    if error is not None:
        raise error
