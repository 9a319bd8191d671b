import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from bot.cards.cards import keeping_cards
from bot.cards.job_cards import JobCards, show_ends
from bot.cards.store import CardStore
from bot.messenger import MessageRef, MessengerError
from bot.migrations import migrations
from extensions.database import open_database
from extensions.jobs.job import Job, JobStatus, Outcome
from extensions.jobs.progress import Progress
from extensions.jobs.run import ResumeReason
from tests.fakes.example_job import JOB
from tests.fakes.messenger import FakeMessenger
from tests.fakes.waiting import until

DONE = Outcome(status=JobStatus.COMPLETED, summary="done")


@asynccontextmanager
async def keeping(tmp_path: Path, messenger: FakeMessenger) -> AsyncGenerator[JobCards, None]:
    async with (
        asyncio.timeout(10),
        open_database(tmp_path / "papercup.db", migrations()) as database,
        keeping_cards(messenger, CardStore(database)) as cards,
    ):
        yield JobCards(cards)


async def card_of(cards: JobCards, job: Job) -> MessageRef | None:
    return await cards.ref_of(job.id, timeout_seconds=5)


async def test_a_job_has_one_card_that_is_edited_in_place(tmp_path: Path) -> None:
    messenger = FakeMessenger()
    running = JOB.started(at=1010.0)
    async with keeping(tmp_path, messenger) as cards:
        cards.job_changed(JOB, Progress())
        await card_of(cards, JOB)
        cards.job_changed(running, Progress())
        cards.job_changed(running.settled(DONE, at=1020.0), Progress())
        await until(lambda: "completed" in messenger.messages[0].text)

    assert len(messenger.messages) == 1


async def test_the_card_of_an_earlier_start_is_found_again(tmp_path: Path) -> None:
    messenger = FakeMessenger()
    async with keeping(tmp_path, messenger) as cards:
        cards.job_changed(JOB, Progress())
        first = await card_of(cards, JOB)

    async with keeping(tmp_path, messenger) as cards:
        cards.job_changed(JOB.started(at=1010.0).settled(DONE, at=1020.0), Progress())
        again = await card_of(cards, JOB)
        await until(lambda: "completed" in messenger.messages[0].text)

    assert first == again
    assert len(messenger.messages) == 1


async def test_a_job_that_goes_on_while_its_end_is_shown_is_shown_going_on(tmp_path: Path) -> None:
    messenger = FakeMessenger()
    lost = Outcome(status=JobStatus.INTERRUPTED)
    stopped = JOB.started(at=1010.0).settled(lost, at=1020.0)
    async with keeping(tmp_path, messenger) as cards:
        cards.job_changed(stopped, Progress())
        # Its keeper has begun, and does not know yet.
        await asyncio.sleep(0)
        cards.job_changed(stopped.resumed(ResumeReason.ASKED).started(at=1030.0), Progress())
        await until(lambda: any("running" in m.text for m in messenger.messages))

    assert len(messenger.messages) == 1


async def test_a_job_that_was_never_seen_has_no_card(tmp_path: Path) -> None:
    async with keeping(tmp_path, FakeMessenger()) as cards:
        assert await card_of(cards, replace(JOB, id="00000000")) is None


async def test_a_card_that_does_not_show_the_end_yet_is_brought_up_to_date_at_the_next_start(
    tmp_path: Path,
) -> None:
    messenger = FakeMessenger()
    running = JOB.started(at=1010.0)
    async with keeping(tmp_path, messenger) as cards:
        cards.job_changed(running, Progress())
        await card_of(cards, running)
    assert "running" in messenger.messages[0].text

    async def find(job_id: str) -> Job:
        assert job_id == JOB.id
        return running.settled(DONE, at=1020.0)

    for _ in range(2):  # the second time there is nothing left to show
        async with (
            open_database(tmp_path / "papercup.db", migrations()) as database,
            keeping_cards(messenger, CardStore(database)) as kept,
        ):
            await show_ends(JobCards(kept), CardStore(database), find)
            await until(lambda: "completed" in messenger.messages[0].text)
            await cards_are_final(CardStore(database))

    assert len(messenger.messages) == 1
    assert len(messenger.messages[0].versions) == 2


async def cards_are_final(store: CardStore) -> None:
    async def is_so() -> bool:
        return not await store.unfinished("job")

    await until(is_so)


async def test_a_card_whose_post_seemed_to_fail_does_not_keep_its_old_text(tmp_path: Path) -> None:
    messenger = FakeMessenger()
    messenger.failures = [MessengerError("no connection")]
    async with keeping(tmp_path, messenger) as cards:
        cards.job_changed(JOB.started(at=1010.0).settled(DONE, at=1020.0), Progress())
        await until(lambda: bool(messenger.messages), timeout_seconds=20)

    assert "completed" in messenger.messages[0].text


async def test_cards_of_an_earlier_version_are_kept(tmp_path: Path) -> None:
    before = [script for script in migrations() if "cards_of_all_kinds" not in script][:6]
    async with open_database(tmp_path / "papercup.db", before) as database:
        await database.run(
            lambda c: c.executescript(
                "INSERT INTO cards (job_id, channel_id, message_id, is_final)"
                " VALUES ('8d08ba4f', 11, 77, 0), ('0000000a', 11, 78, 1);"
            )
        )
    # Whatever other steps there are between, this one is what changes the cards.
    (step,) = [script for script in migrations() if "cards_of_all_kinds" in script]
    async with open_database(tmp_path / "papercup.db", [*before, step]) as database:
        store = CardStore(database)
        async with keeping_cards(FakeMessenger(), store) as cards:
            ref = await card_of(JobCards(cards), JOB)
        unfinished = await store.unfinished("job")

    assert ref == MessageRef(channel_id=11, message_id=77)
    assert unfinished == ["8d08ba4f"]
