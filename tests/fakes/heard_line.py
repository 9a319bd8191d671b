"""A line on which people are heard: real Opus, virtual time, models that do what they are told."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from tests.fakes.talking_person import TalkingPerson
from tests.fakes.virtual_clock import run_on_virtual_clock
from tests.fakes.voice_models import FakeModels, FakePool
from voice.engines.protocols import EngineError
from voice.events import HearingEvent, Utterance, UtteranceEnded
from voice.hearing import Hearing, running_hearing

WORDS = "#" * 25
"""Half a second of voice."""
END = "_____"


@dataclass
class Line:
    """A line on which somebody is heard."""

    hearing: Hearing
    fake: FakeModels
    pool: FakePool
    events: list[HearingEvent]
    troubles: list[EngineError]
    people: list[TalkingPerson] = field(default_factory=list)

    def person(self, person_id: int = 1) -> TalkingPerson:
        return TalkingPerson(self.hearing.packet, person_id)

    @property
    def utterances(self) -> list[Utterance]:
        return [event.utterance for event in self.events if isinstance(event, UtteranceEnded)]

    @property
    def texts(self) -> list[str]:
        return [utterance.text for utterance in self.utterances]

    def of(self, *kinds: type) -> list[HearingEvent]:
        return [event for event in self.events if isinstance(event, kinds)]


def on_a_line(scene: Callable[[Line], Awaitable[None]], *, texts: list[str] | None = None) -> Line:
    """Play a scene on a line, and return what came of it."""

    async def play() -> Line:
        fake, pool = FakeModels(), FakePool(seconds=0.05)
        if texts is not None:
            fake.speech_to_text.texts = texts
        events: list[HearingEvent] = []
        troubles: list[EngineError] = []
        async with running_hearing(
            fake.models(), pool, events.append, broke=troubles.append
        ) as hearing:
            line = Line(hearing, fake, pool, events, troubles)
            await scene(line)
        return line

    return run_on_virtual_clock(play())
