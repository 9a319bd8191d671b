import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from bot.access import Person, Place
from bot.messenger import MessageRef, MessengerError
from bot.migrations import migrations
from bot.notices.batch import Addressee
from bot.notices.delivery import (
    NoticeDelivery,
    deliver_owed,
    delivering_notices,
    known_failures,
)
from bot.notices.mailbox import NoticePace
from bot.notices.notice import TOLD_DIRECTLY
from bot.notices.store import FailedNotices, NoticeStore, OwedNotice
from extensions.database import Database, open_database
from extensions.errors import JobNotFoundError
from extensions.jobs.job import Job, JobStatus, Outcome
from tests.fakes.example_job import JOB
from tests.fakes.messenger import DIRECT, FakeMessenger
from tests.fakes.waiting import until

CARD = MessageRef(channel_id=11, message_id=7)
HERE = Place(guild_id=10, channel_id=11)
THERE = Place(guild_id=10, channel_id=12)
IN_PRIVATE = Place(guild_id=None, channel_id=13)
DONE = Outcome(status=JobStatus.COMPLETED, summary="done")
SETTLED = JOB.started(at=1000.0).settled(DONE, at=1240.0)
OWED = OwedNotice(job_id=SETTLED.id, run_number=1, place=HERE, person_id=1)


def job(number: int, *, person_id: int = 1) -> Job:
    """Return a settled job of that number."""
    origin = replace(JOB.origin, person_id=person_id)
    return replace(SETTLED, id=f"{number:08x}", name=f"job-{number}", origin=origin)


class OneCard:
    async def ref_of(self, job_id: str, *, timeout_seconds: float) -> MessageRef | None:
        del job_id, timeout_seconds
        return CARD


@dataclass
class FixedAudience:
    """Who wants to hear of each job."""

    places: Sequence[Place] = (HERE,)
    is_told_directly: bool = True
    closed_ears: set[str] = field(default_factory=set[str])
    """The jobs that may not be told of."""

    async def addressees(self, job: Job) -> list[Addressee]:
        person_id = job.origin.person_id if self.is_told_directly else None
        return [Addressee(place=place, person_id=person_id) for place in self.places]

    async def may_hear(self, addressee: Addressee, job: Job) -> bool:
        assert addressee.place in self.places
        return job.id not in self.closed_ears

    def may_listen(self, addressee: Addressee, job: Job, people: Sequence[Person]) -> bool:
        raise NotImplementedError("nothing is spoken here")


@dataclass
class Desk:
    delivery: NoticeDelivery
    store: NoticeStore
    database: Database

    async def all_is_said(self) -> None:
        async def is_so() -> bool:
            return not await self.store.owed()

        await until(is_so)

    async def failures(self) -> FailedNotices:
        return (await known_failures(self.store, now=1240.0)).known


@asynccontextmanager
async def delivering(
    tmp_path: Path,
    messenger: FakeMessenger,
    audience: FixedAudience | None = None,
    *,
    gather_seconds: float = 0.05,
) -> AsyncGenerator[Desk, None]:
    async with (
        asyncio.timeout(10),
        open_database(tmp_path / "papercup.db", migrations()) as database,
    ):
        store = NoticeStore(database)
        async with delivering_notices(
            messenger,
            store,
            OneCard(),
            audience=audience or FixedAudience(),
            clock=lambda: 1240.0,
            pace=NoticePace(gather_seconds=gather_seconds, retry_seconds=(0.01,)),
            failures=await known_failures(store, now=1240.0),
        ) as delivery:
            yield Desk(delivery, store, database)


async def test_a_notice_is_a_reply_to_the_jobs_card(tmp_path: Path) -> None:
    messenger = FakeMessenger()
    async with delivering(tmp_path, messenger) as desk:
        desk.delivery.job_settled(SETTLED)
        await until(lambda: bool(messenger.messages))
        await desk.all_is_said()

    (message,) = messenger.messages
    assert message.reply_to == CARD
    assert message.text.startswith("🔔 **fibonacci** just finished")


async def test_what_nobody_wants_to_hear_is_not_said_and_not_owed(tmp_path: Path) -> None:
    messenger = FakeMessenger()
    async with delivering(tmp_path, messenger, FixedAudience(places=())) as desk:
        desk.delivery.job_settled(SETTLED)
        await asyncio.sleep(0)
        assert await desk.store.owed() == []

    assert messenger.messages == []


async def test_many_that_settle_at_once_become_one_message_in_each_place(tmp_path: Path) -> None:
    messenger = FakeMessenger()
    audience = FixedAudience(places=(HERE, THERE))
    async with delivering(tmp_path, messenger, audience, gather_seconds=2.0) as desk:
        for number in range(500):
            desk.delivery.job_settled(job(number))
        await until(lambda: len(messenger.messages) == 2)
        await desk.all_is_said()
        rows = await desk.database.run(
            lambda c: c.execute(
                "SELECT channel_id, message_id, count(*) AS notices FROM notices GROUP BY 1, 2"
            ).fetchall()
        )

    assert [message.text.splitlines()[0] for message in messenger.messages] == [
        "🔔 500 jobs have settled: 500 completed."
    ] * 2
    assert [tuple(row) for row in rows] == [(11, 1000, 500), (12, 1001, 500)]
    assert messenger.messages[0].reply_to is None


async def test_a_job_that_settles_later_has_a_message_of_its_own(tmp_path: Path) -> None:
    messenger = FakeMessenger()
    async with delivering(tmp_path, messenger) as desk:
        for number in range(2):
            desk.delivery.job_settled(job(number))
            await until(lambda: len(messenger.messages) == number + 1)  # noqa: B023 - at once

    assert ["job-0" in message.text for message in messenger.messages] == [True, False]


async def test_a_notice_that_seemed_to_fail_but_arrived_is_not_sent_again(tmp_path: Path) -> None:
    messenger = FakeMessenger()
    messenger.lost_answers = 1
    async with delivering(tmp_path, messenger) as desk:
        desk.delivery.job_settled(SETTLED)
        await until(lambda: bool(messenger.messages))
        await desk.all_is_said()

    assert len(messenger.messages) == 1


async def test_it_waits_as_long_as_discord_wants(tmp_path: Path) -> None:
    messenger = FakeMessenger()
    messenger.failures = [MessengerError("slow down", retry_after_seconds=3600.0)]
    async with delivering(tmp_path, messenger) as desk:
        desk.delivery.job_settled(SETTLED)
        await until(lambda: not messenger.failures)
        await asyncio.sleep(0.1)

    assert messenger.messages == []


async def test_what_was_owed_when_the_bot_stopped_is_delivered_at_the_next_start(
    tmp_path: Path,
) -> None:
    messenger = FakeMessenger()
    jobs = {one.id: one for one in map(job, range(3))}
    messenger.failures = [MessengerError("no connection")]
    async with delivering(tmp_path, messenger) as desk:
        for one in jobs.values():
            desk.delivery.job_settled(one)
        await until(lambda: not messenger.failures)
        desk.delivery.stop()
        began_with = {owed.nonce for owed in await desk.store.owed()}

    async def find(job_id: str) -> Job:
        return jobs[job_id]

    async with delivering(tmp_path, messenger) as desk:
        await deliver_owed(desk.delivery, desk.store, find)
        await desk.all_is_said()

    (message,) = messenger.messages
    assert {message.nonce} == began_with
    assert message.text.startswith("🔔 3 jobs have settled")


async def test_what_is_owed_of_a_job_that_has_gone_on_or_is_gone_is_not_said(
    tmp_path: Path,
) -> None:
    messenger = FakeMessenger()
    again = replace(SETTLED, run_number=2)

    async def find(job_id: str) -> Job:
        if job_id != SETTLED.id:
            raise JobNotFoundError(job_id)
        return again

    async with delivering(tmp_path, messenger) as desk:
        await desk.store.owe([OWED, replace(OWED, job_id="00000000")], at=1.0)
        await deliver_owed(desk.delivery, desk.store, find)

        assert await desk.store.owed() == []
        assert await desk.failures() == FailedNotices(count=1, newest_reason="the job is gone")
    assert messenger.messages == []


async def test_one_place_is_told_once_of_each_run_of_a_job(tmp_path: Path) -> None:
    async with delivering(tmp_path, FakeMessenger()) as desk:
        assert await desk.store.owe([OWED], at=1.0) == [OWED]
        assert await desk.store.owe([OWED], at=2.0) == []

        assert await desk.store.owed() == [OWED]
        second = replace(OWED, run_number=2)
        assert await desk.store.owe([second], at=3.0) == [second]


async def test_a_job_whose_end_is_told_again_is_announced_once(tmp_path: Path) -> None:
    messenger = FakeMessenger()
    for _ in range(2):
        async with delivering(tmp_path, messenger) as desk:
            desk.delivery.job_settled(SETTLED)
            await until(lambda: bool(messenger.messages))
            await desk.all_is_said()

    assert len(messenger.messages) == 1


async def test_where_it_cannot_be_said_each_person_is_told_directly(tmp_path: Path) -> None:
    messenger = FakeMessenger()
    messenger.closed_channels = {HERE.channel_id}
    async with delivering(tmp_path, messenger) as desk:
        for number, person_id in enumerate([1, 1, 2]):
            desk.delivery.job_settled(job(number, person_id=person_id))
        await until(lambda: len(messenger.messages) == 2)
        await desk.all_is_said()
        assert await desk.failures() == FailedNotices()

    told = {message.ref.channel_id - DIRECT: message for message in messenger.messages}
    assert sorted(told) == [1, 2]
    assert told[1].text.startswith("🔔 2 jobs have settled")
    assert told[2].text.startswith("🔔 **job-2** just finished")
    assert all(TOLD_DIRECTLY in message.text for message in messenger.messages)
    assert {message.reply_to for message in messenger.messages} == {None}


async def test_who_is_to_be_told_directly_is_told_so_after_a_restart_too(tmp_path: Path) -> None:
    messenger = FakeMessenger()

    async def find(job_id: str) -> Job:
        assert job_id == SETTLED.id
        return SETTLED

    async with delivering(tmp_path, messenger) as desk:
        await desk.store.owe([OWED], at=1.0)
        await desk.store.begin([OWED.redirected()])
    async with delivering(tmp_path, messenger) as desk:
        await deliver_owed(desk.delivery, desk.store, find)
        await desk.all_is_said()

    assert [message.ref.channel_id for message in messenger.messages] == [DIRECT + 1]


@pytest.mark.parametrize("place", [HERE, IN_PRIVATE])
async def test_a_notice_that_can_be_said_nowhere_is_recorded_with_the_reason(
    tmp_path: Path, place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    messenger = FakeMessenger()
    messenger.closed_channels = {place.channel_id}
    messenger.unreachable_people = {1}
    reason = "no mutual servers" if place is HERE else "Missing Access"
    async with delivering(tmp_path, messenger, FixedAudience(places=(place,))) as desk:
        desk.delivery.job_settled(SETTLED)
        await until(lambda: "its notice cannot be delivered" in caplog.text)
        await desk.all_is_said()
        assert await desk.failures() == FailedNotices(count=1, newest_reason=reason)

    assert messenger.messages == []
    assert f"job {SETTLED.id}" in caplog.text


async def test_nobody_is_told_directly_of_what_is_told_for_everyone(tmp_path: Path) -> None:
    messenger = FakeMessenger()
    messenger.closed_channels = {HERE.channel_id}
    audience = FixedAudience(is_told_directly=False)
    async with delivering(tmp_path, messenger, audience) as desk:
        desk.delivery.job_settled(SETTLED)

        async def has_failed() -> bool:
            return (await desk.failures()).count == 1

        await until(has_failed)
    assert messenger.messages == []


async def test_what_not_everyone_there_may_see_is_left_out(tmp_path: Path) -> None:
    messenger = FakeMessenger()
    audience = FixedAudience(closed_ears={job(1).id})
    async with delivering(tmp_path, messenger, audience) as desk:
        for number in range(2):
            desk.delivery.job_settled(job(number))
        await until(lambda: bool(messenger.messages))
        await desk.all_is_said()
        assert await desk.failures() == FailedNotices()

    (message,) = messenger.messages
    assert "job-0" in message.text
    assert "job-1" not in message.text


async def test_a_notice_of_an_earlier_version_is_still_owed_once(tmp_path: Path) -> None:
    first_versions = migrations()[:2]
    async with open_database(tmp_path / "papercup.db", first_versions) as database:
        await database.run(
            lambda c: c.executescript(
                "INSERT INTO notices VALUES ('8d08ba4f', 10, 11, 5.0, NULL);"
                "INSERT INTO notices VALUES ('0000000a', 10, 11, 6.0, 77);"
            )
        )
    async with delivering(tmp_path, FakeMessenger()) as desk:
        owed = await desk.store.owed()
        again = await desk.store.owe([replace(OWED, job_id="0000000a")], at=7.0)

    assert owed == [replace(OWED, person_id=None, nonce="notice-8d08ba4f")]
    assert again == []


async def test_what_is_owed_and_settles_anew_at_once_is_said_once(tmp_path: Path) -> None:
    async def find(job_id: str) -> Job:
        assert job_id == SETTLED.id
        return SETTLED

    messenger = FakeMessenger()
    async with delivering(tmp_path, messenger) as desk:
        desk.delivery.job_settled(SETTLED)
        while not await desk.store.owed():  # noqa: ASYNC110 - the database tells nobody
            await asyncio.sleep(0)
        await deliver_owed(desk.delivery, desk.store, find)
        await desk.all_is_said()

    (message,) = messenger.messages
    labels = [button.label for button in message.versions[-1].buttons]
    assert len(labels) == len(set(labels))
