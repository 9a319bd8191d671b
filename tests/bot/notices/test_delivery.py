import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from bot.access import Place
from bot.messenger import MessageRef, MessengerError
from bot.migrations import migrations
from bot.notices.delivery import NoticeDelivery, deliver_owed, delivering_notices
from bot.notices.store import NoticeStore, OwedNotice
from extensions.database import open_database
from extensions.jobs.job import Job, JobStatus, Outcome
from tests.fakes.example_job import JOB
from tests.fakes.messenger import FakeMessenger
from tests.fakes.waiting import until

CARD = MessageRef(channel_id=11, message_id=7)
HERE = Place(guild_id=10, channel_id=11)
SETTLED = JOB.started(at=1000.0).settled(
    Outcome(status=JobStatus.COMPLETED, summary="done"), at=1240.0
)
OWED = OwedNotice(job_id=SETTLED.id, place=HERE)


class OneCard:
    async def ref_of(self, job_id: str, *, timeout_seconds: float) -> MessageRef | None:
        del job_id, timeout_seconds
        return CARD


@asynccontextmanager
async def delivering(
    tmp_path: Path, messenger: FakeMessenger, *, is_wanted: bool = True
) -> AsyncGenerator[tuple[NoticeDelivery, NoticeStore], None]:
    async def wants_notices(session_id: str) -> bool:
        assert session_id == SETTLED.origin.session_id
        return is_wanted

    async with (
        asyncio.timeout(10),
        open_database(tmp_path / "papercup.db", migrations()) as database,
    ):
        store = NoticeStore(database)
        async with delivering_notices(
            messenger, store, OneCard(), wants_notices=wants_notices, clock=lambda: 1240.0
        ) as delivery:
            yield delivery, store


async def nothing_owed(store: NoticeStore) -> None:
    async def is_so() -> bool:
        return not await store.owed()

    await until(is_so)


async def test_a_notice_is_a_reply_to_the_jobs_card(tmp_path: Path) -> None:
    messenger = FakeMessenger()
    async with delivering(tmp_path, messenger) as (delivery, store):
        delivery.job_settled(SETTLED)
        await until(lambda: bool(messenger.messages))
        await nothing_owed(store)

    (message,) = messenger.messages
    assert message.reply_to == CARD
    assert message.text.startswith("🔔 **fibonacci** just finished")


async def test_with_notices_off_nothing_is_said_and_nothing_is_owed(tmp_path: Path) -> None:
    messenger = FakeMessenger()
    async with delivering(tmp_path, messenger, is_wanted=False) as (delivery, store):
        delivery.job_settled(SETTLED)
        await asyncio.sleep(0)
        assert await store.owed() == []

    assert messenger.messages == []


async def test_a_notice_that_seemed_to_fail_but_arrived_is_not_sent_again(tmp_path: Path) -> None:
    messenger = FakeMessenger()
    messenger.lost_answers = 1
    async with delivering(tmp_path, messenger) as (delivery, store):
        delivery.job_settled(SETTLED)
        await until(lambda: bool(messenger.messages))
        await nothing_owed(store)

    assert len(messenger.messages) == 1


async def test_what_was_owed_when_the_bot_stopped_is_delivered_at_the_next_start(
    tmp_path: Path,
) -> None:
    messenger = FakeMessenger()
    messenger.failures = [MessengerError("no connection")]
    async with delivering(tmp_path, messenger) as (delivery, store):
        delivery.job_settled(SETTLED)
        await until(lambda: not messenger.failures)
    assert messenger.messages == []

    async def find(job_id: str) -> Job:
        assert job_id == SETTLED.id
        return SETTLED

    async with delivering(tmp_path, messenger) as (delivery, store):
        await deliver_owed(delivery, store, find)
        await nothing_owed(store)

    assert len(messenger.messages) == 1


async def test_one_place_is_not_told_twice_of_one_job(tmp_path: Path) -> None:
    async with delivering(tmp_path, FakeMessenger()) as (_, store):
        assert await store.owe(OWED, at=1.0)
        assert not await store.owe(OWED, at=2.0)

        assert await store.owed() == [OWED]


async def test_a_job_whose_end_is_told_again_is_announced_once(tmp_path: Path) -> None:
    messenger = FakeMessenger()
    for _ in range(2):
        async with delivering(tmp_path, messenger) as (delivery, store):
            delivery.job_settled(SETTLED)
            await until(lambda: bool(messenger.messages))
            await nothing_owed(store)

    assert len(messenger.messages) == 1
