from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from bot.access import AccessPolicy, Person
from bot.conversation.job_rights import NO_TURN, NOT_A_SPEAKER, JobRights
from bot.conversation.turn import Turn
from extensions.callers import Caller, CallerKind
from extensions.jobs.job import Job, Origin
from tests.fakes.example_job import JOB
from tests.fakes.talk_house import HERE, OTHER_USER, USER, TalkHouse, ref
from tests.fakes.waiting import until

POLICY = AccessPolicy(
    owner_ids=frozenset({1}), allowed_user_ids=frozenset({7, 8}), operator_role_ids=frozenset({5})
)
OPERATOR = Person(id=6, name="otto", guild_id=10, role_ids=frozenset({5}))


def job_of(person: Person, *, guild_id: int | None = 10) -> Job:
    return replace(JOB, origin=replace(JOB.origin, person_id=person.id, guild_id=guild_id))


@asynccontextmanager
async def answering(
    folder: Path, *people: Person
) -> AsyncGenerator[tuple[JobRights, Caller], None]:
    """Have these people be answered while the block lasts; nobody, if there are none."""
    async with TalkHouse(folder, POLICY).open() as talk:
        conversation, _ = await talk.conversations.open(HERE, people[0] if people else USER)
        if people:
            conversation.take(Turn(people=people, text="hi", asked_in=ref(1)))
            await until(lambda: conversation.running_turn is not None)
        speaker = Caller(CallerKind.SPEAKER, conversation.session.id)
        yield JobRights(POLICY.authorize, talk.conversations), speaker


async def test_a_speaker_starts_jobs_only_for_whoever_it_is_answering(tmp_path: Path) -> None:
    async with answering(tmp_path, USER) as (rights, speaker):
        assert rights.origin_of(speaker) == Origin(
            session_id=speaker.subject, person_id=7, guild_id=10, channel_id=11
        )
        assert rights.origin_of(Caller(CallerKind.SPEAKER, "other")) == NO_TURN
        assert rights.origin_of(Caller(CallerKind.JOB, JOB.id)) == NOT_A_SPEAKER


async def test_outside_a_turn_a_speaker_may_do_nothing_with_jobs(tmp_path: Path) -> None:
    async with answering(tmp_path) as (rights, speaker):
        assert rights.origin_of(speaker) == NO_TURN
        assert not rights.may_see(speaker, job_of(USER))
        assert not rights.may_cancel(speaker, job_of(USER))


async def test_a_speaker_sees_and_cancels_what_everyone_in_its_turn_may(tmp_path: Path) -> None:
    async with answering(tmp_path, OPERATOR) as (rights, speaker):
        assert rights.may_see(speaker, job_of(USER))
        assert rights.may_cancel(speaker, job_of(USER))
    async with answering(tmp_path, OPERATOR, OTHER_USER) as (rights, speaker):
        assert not rights.may_see(speaker, job_of(USER))
        assert not rights.may_cancel(speaker, job_of(USER))
        assert not rights.may_cancel(speaker, job_of(OPERATOR))


async def test_what_was_asked_for_in_private_is_out_of_reach_before_others(tmp_path: Path) -> None:
    async with answering(tmp_path, USER) as (rights, speaker):
        private = job_of(USER, guild_id=None)
        assert not rights.may_see(speaker, private)
        assert not rights.may_cancel(speaker, private)


async def test_a_job_sees_itself_and_cancels_nothing(tmp_path: Path) -> None:
    async with answering(tmp_path, USER) as (rights, _):
        job = Caller(CallerKind.JOB, JOB.id)
        assert rights.may_see(job, JOB)
        assert not rights.may_see(job, replace(JOB, id="00000000"))
        assert not rights.may_cancel(job, JOB)
