from dataclasses import dataclass, replace
from typing import cast

import pytest

from bot.access import Person, Place
from bot.conversation.conversation import Conversation
from bot.conversation.session import Session
from bot.conversation.turn import Turn
from bot.messenger import MessageRef
from bot.plugin_services.occasions import Occasions
from extensions.callers import Caller, CallerKind
from extensions.errors import JobNotFoundError
from extensions.hooks import Occasion
from extensions.jobs.job import Job
from tests.fakes.example_job import JOB

SESSION = Session(
    id="5e55",
    name="call",
    place=Place(guild_id=1, channel_id=2),
    opened_by=7,
    created_at=0.0,
    last_active_at=0.0,
)
TURN = Turn(
    people=(Person(id=9, name="tom"),), text="hi", asked_in=MessageRef(channel_id=2, message_id=3)
)
SPEAKER = Caller(CallerKind.SPEAKER, "5e55")


@dataclass
class OneConversation:
    """Implements what is asked of the open conversations."""

    session: Session = SESSION
    running_turn: Turn | None = None

    def of_session(self, session_id: str) -> Conversation | None:
        return cast("Conversation", self) if session_id == self.session.id else None


async def find_job(job_id: str) -> Job:
    if job_id != JOB.id:
        raise JobNotFoundError(job_id)
    return JOB


@pytest.fixture
def occasions() -> Occasions:
    return Occasions()


async def test_a_speaker_works_for_the_person_whose_turn_it_is(occasions: Occasions) -> None:
    with occasions.known_by(OneConversation(running_turn=TURN), find_job):
        assert await occasions.of(SPEAKER) == Occasion(
            session_id="5e55", person_id=9, guild_id=1, channel_id=2
        )


async def test_between_turns_it_works_for_whoever_opened_the_session(occasions: Occasions) -> None:
    with occasions.known_by(OneConversation(), find_job):
        assert (await occasions.of(SPEAKER)).person_id == 7


async def test_the_speaker_of_a_session_that_was_closed_works_for_nobody_known(
    occasions: Occasions,
) -> None:
    other = OneConversation(session=replace(SESSION, id="other"))
    with occasions.known_by(other, find_job):
        assert await occasions.of(SPEAKER) == Occasion(session_id="5e55")


async def test_a_job_works_for_whoever_asked_for_it(occasions: Occasions) -> None:
    with occasions.known_by(OneConversation(), find_job):
        occasion = await occasions.of(Caller(CallerKind.JOB, JOB.id))
    assert (occasion.agent_id, occasion.person_id) == (JOB.id, JOB.origin.person_id)


@pytest.mark.parametrize("kind", CallerKind)
async def test_what_nobody_knows_of_works_for_nobody(
    occasions: Occasions, kind: CallerKind
) -> None:
    before = await occasions.of(Caller(kind, "gone"))
    with occasions.known_by(OneConversation(), find_job):
        known = await occasions.of(Caller(kind, "gone"))
    assert before == known
    assert (known.person_id, known.channel_id) == (None, None)
