"""The real models hear real Opus: people who read, a voice of this machine, loss, and noises.

Time is virtual: the clips are heard as fast as the models can.
"""

import asyncio
import difflib
import re
from functools import cache

import numpy as np
import pytest

from tests.fakes.noises import clips
from tests.fakes.real_models import real_models, recording, two_cities
from tests.fakes.talking_person import TalkingPerson, opus_of
from tests.fakes.virtual_clock import run_on_virtual_clock
from tests.fakes.voice_models import FakePool
from voice.audio_files import read_audio
from voice.engines.hibari import open_hibari
from voice.engines.protocols import EngineError, SpokenAudio
from voice.events import EndReason, HearingEvent, Utterance, UtteranceEnded
from voice.hearing import running_hearing
from voice.hearing_report import HearingReport
from voice.samples import HEARING_RATE, Samples

BECKETT = ["Ever tried.", "Ever failed.", "No matter.", "Try again.", "Fail again.", "Fail better."]
DICKENS = [
    "It was the best of times, it was the worst of times.",
    "It was the age of wisdom. It was the age of foolishness.",
    "It was the epoch of belief, it was the epoch of incredulity.",
]
TOLD = "Could you run the tests again, and tell me which of them have failed?"


def heard(packets: list[bytes], *, loss: float = 0.0) -> tuple[list[Utterance], HearingReport]:
    """Return what is heard when somebody's audio arrives, of which a share is lost."""
    events: list[HearingEvent] = []
    troubles: list[EngineError] = []

    async def play() -> HearingReport:
        pool = FakePool(seconds=0.06)
        async with running_hearing(
            real_models(), pool, events.append, broke=troubles.append
        ) as hearing:
            await TalkingPerson(hearing.packet).speaks(packets, loss=loss)
            await asyncio.sleep(2)
            return hearing.report()

    report = run_on_virtual_clock(play())
    assert troubles == []
    return [event.utterance for event in events if isinstance(event, UtteranceEnded)], report


def errors(said: str, written: str) -> float:
    """Return how many of the words that were said are wrong, as a share."""
    want, got = (re.findall(r"[a-z']+", text.lower()) for text in (said, written))
    same = difflib.SequenceMatcher(None, want, got, autojunk=False).get_matching_blocks()
    return 1 - sum(block.size for block in same) / len(want)


def joined(utterances: list[Utterance]) -> str:
    return " ".join(utterance.text for utterance in utterances)


@cache
def beckett() -> list[bytes]:
    return opus_of(read_audio(recording("beckett.wav")), HEARING_RATE)


@cache
def dickens() -> list[bytes]:
    return opus_of(two_cities()[: round(13.3 * HEARING_RATE)], HEARING_RATE)


@cache
def of_this_machine(text: str) -> tuple[Samples, ...]:
    async def speak() -> list[Samples]:
        return [
            item.samples
            async for item in open_hibari().speak(text)
            if isinstance(item, SpokenAudio)
        ]

    return tuple(asyncio.run(speak()))


def test_sentences_with_pauses_between_them_are_told_one_by_one() -> None:
    utterances, report = heard(beckett())
    assert len(utterances) == len(BECKETT)
    assert errors(" ".join(BECKETT), joined(utterances)) <= 2 / 12
    assert {utterance.reason for utterance in utterances} == {EndReason.COMPLETE}
    assert report.stages["end of speech → transcript"].p95_seconds < 0.35


def test_two_clauses_with_a_pause_between_them_are_one_utterance() -> None:
    utterances, _ = heard(dickens())
    assert len(utterances) == len(DICKENS)
    for said, utterance in zip(DICKENS, utterances, strict=True):
        assert errors(said, utterance.text) <= 0.2


@pytest.mark.parametrize("loss", [0.05, 0.15])
def test_people_are_understood_though_packets_are_lost(loss: float) -> None:
    utterances, report = heard(dickens(), loss=loss)
    assert errors(" ".join(DICKENS), joined(utterances)) <= 0.2
    assert report.counts["lost"] == pytest.approx(loss * len(dickens()), rel=0.4)
    assert report.counts["recovered"] > 0.6 * report.counts["lost"]


def test_the_voice_of_this_machine_is_understood() -> None:
    audio = np.concatenate(of_this_machine(TOLD))
    utterances, _ = heard(opus_of(audio))
    assert errors(TOLD, joined(utterances)) == 0
    assert [utterance.reason for utterance in utterances] == [EndReason.COMPLETE]


def test_somebody_who_speaks_softly_is_understood() -> None:
    audio = np.concatenate(of_this_machine(TOLD)) * np.float32(0.03)
    utterances, _ = heard(opus_of(audio))
    assert errors(TOLD, joined(utterances)) <= 0.1


def test_there_are_24_noises() -> None:
    assert len(clips()) == 24


@pytest.mark.parametrize("name", clips())
def test_a_noise_is_no_utterance(name: str) -> None:
    utterances, _ = heard(opus_of(clips()[name]))
    assert utterances == []
