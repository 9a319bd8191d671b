"""The bot's own voice comes back through a room: the real models, the real voice, virtual time.

These are echoes that have to stay known. Not every one is: voice/echo.py tells how many are not.
"""

import asyncio
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest

from simulator.discord.voice.opus import OpusDecoder
from tests.fakes.loudspeakers import Room
from tests.fakes.real_models import real_models
from tests.fakes.speaking import written
from tests.fakes.talking_person import TalkingPerson
from tests.fakes.virtual_clock import run_on_virtual_clock
from tests.fakes.voice_link import FakeLink
from tests.fakes.voice_models import FakePool
from voice.clips import Clips
from voice.engines.hibari import open_hibari
from voice.engines.protocols import SpokenAudio, SpokenWord
from voice.events import SILENCE, Heard, LineState, Participant, Remark, SpokenTurn, StopCause
from voice.link import PACKET_SECONDS
from voice.opus import OpusEncoder
from voice.pipeline import open_pipeline
from voice.pipeline_parts import PipelineParts
from voice.turn_options import TurnOptions
from voice.voices import Voices

ALICE = 1


@cache
def spoken(text: str) -> list[SpokenAudio | SpokenWord]:
    async def all_of_it() -> list[SpokenAudio | SpokenWord]:
        return [item async for item in open_hibari().speak(text)]

    # In another thread's loop: the test's own has a clock that jumps.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, all_of_it()).result()


class InstantHibari:
    """Implements `TextToSpeech`: takes no time."""

    name = "instant hibari"

    async def speak(self, text: str) -> AsyncGenerator[SpokenAudio | SpokenWord, None]:
        for item in spoken(text):
            yield item


class Listener:
    """Implements `LineListener`."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def participant(self, person_id: int) -> Participant:
        return Participant(person_id=person_id, name="Alice", may_talk=True)

    def turn_taken(self, turn: SpokenTurn) -> None:
        self.heard.append(turn.utterance.text)

    def overheard(self, remark: Remark) -> None:
        self.heard.append(remark.text)

    def speech_stopped(self, by: int, cause: StopCause) -> None:
        pass

    def work_cancelled(self, by: int) -> None:
        pass

    def state_changed(self, state: LineState, person_id: int | None) -> None:
        pass


async def play_back(link: FakeLink, decibels: float) -> None:
    room, decoder, encoder = Room(decibels), OpusDecoder(), OpusEncoder()
    alice, taken = TalkingPerson(link.hear, ALICE), 0
    while True:
        await asyncio.sleep(PACKET_SECONDS)
        sent = link.sent_packets[taken : taken + 1]
        taken += len(sent)
        sound = room.heard(decoder.decode(sent[0].opus) if sent else None)
        alice.timestamp += 960
        alice.sequence = (alice.sequence + 1) % 2**16
        alice.send(SILENCE if sound is None else encoder.encode(sound))


def said_into_its_echo(text: str, decibels: float) -> tuple[Heard, list[str]]:
    """Return what was heard of a text while it came back, and what was taken for words."""

    async def play() -> tuple[Heard, list[str]]:
        link, listener = FakeLink(people=[ALICE], listeners=[ALICE]), Listener()
        voices = Voices(None, InstantHibari())
        parts = PipelineParts(
            link=link,
            listener=listener,
            models=real_models(),
            pool=FakePool(seconds=0.06),
            voices=voices,
            clips=Clips(voices),
            turns=TurnOptions(tone=False, filler=False),
            clock=asyncio.get_running_loop().time,
        )
        async with open_pipeline(parts) as pipeline, asyncio.TaskGroup() as tasks:
            await asyncio.sleep(1.0)
            playing = tasks.create_task(play_back(link, decibels))
            heard = await pipeline.answer(written(text), to=ALICE)
            await asyncio.sleep(2.0)
            playing.cancel()
        return heard, listener.heard

    return run_on_virtual_clock(play())


@pytest.mark.parametrize(
    ("text", "decibels"),
    [
        ("That is done already. I will tell you when the second half is there.", -15),
        ("I found three of them. The largest one belongs to a customer in Norway.", -25),
    ],
)
def test_these_words_of_the_bot_are_known_when_they_come_back_and_do_not_stop_it(
    text: str, decibels: float
) -> None:
    assert said_into_its_echo(text, decibels) == (Heard(text=text, is_whole=True), [])
