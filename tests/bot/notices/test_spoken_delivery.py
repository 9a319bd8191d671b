"""Notices on a voice line: spoken there, else written, else brought to the person directly."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from bot.access import Person, Place
from bot.messenger import MessageRef
from bot.migrations import migrations
from bot.notices.batch import Addressee
from bot.notices.delivery import NoticeDelivery, deliver_owed, delivering_notices, known_failures
from bot.notices.mailbox import NoticePace
from bot.notices.spoken_delivery import SpokenNotices, SpokenPace
from bot.notices.store import NoticeStore
from extensions.database import open_database
from extensions.jobs.job import Job, JobStatus, Outcome
from tests.fakes.example_job import JOB
from tests.fakes.messenger import DIRECT, FakeMessenger
from tests.fakes.notice_lines import ANNA, FakeLines
from tests.fakes.waiting import until
from voice.events import Heard

LINE = Place(guild_id=10, channel_id=11)
CHAT = Place(guild_id=10, channel_id=12)
BEN = Person(id=2, name="Ben", guild_id=10)
DONE = Outcome(status=JobStatus.COMPLETED, summary="done")
SETTLED = JOB.started(at=1000.0).settled(DONE, at=1240.0)
SPOKEN = "Heads up — fibonacci just finished after 4 minutes. Want the rundown?"
QUICK = SpokenPace(gather_seconds=0.0)


def job(number: int) -> Job:
    return replace(SETTLED, id=f"{number:08x}", name=f"task-{number}")


class NoCards:
    async def ref_of(self, job_id: str, *, timeout_seconds: float) -> MessageRef | None:
        del job_id, timeout_seconds
        return None


@dataclass
class Listeners:
    """All want to hear of everything; before Ben, some of it may not be said."""

    places: Sequence[Place] = (LINE,)
    not_for_ben: set[str] = field(default_factory=set[str])
    not_for_anybody: set[str] = field(default_factory=set[str])
    asked: list[str] = field(default_factory=list[str])
    """Of which jobs it was asked who may hear of them: they wait from then on."""

    async def addressees(self, job: Job) -> list[Addressee]:
        return [Addressee(place=place, person_id=job.origin.person_id) for place in self.places]

    async def may_hear(self, addressee: Addressee, job: Job) -> bool:
        assert addressee.place in self.places
        self.asked.append(job.id)
        return job.id not in self.not_for_anybody

    def may_listen(self, addressee: Addressee, job: Job, people: Sequence[Person]) -> bool:
        assert addressee.place == LINE
        return BEN not in people or job.id not in self.not_for_ben


@dataclass
class Scene:
    delivery: NoticeDelivery
    store: NoticeStore
    messenger: FakeMessenger
    lines: FakeLines
    listeners: Listeners

    @property
    def written(self) -> list[str]:
        """The first lines of what was written."""
        return [message.text.splitlines()[0] for message in self.messenger.messages]

    async def all_is_said(self) -> None:
        async def is_so() -> bool:
            return not await self.store.owed()

        await until(is_so)

    async def settles(self, *jobs: Job) -> None:
        """Have jobs settle, and wait until all is said of them."""
        for one in jobs:
            self.delivery.job_settled(one)

        await until(lambda: bool(self.lines.spoken or self.messenger.messages))
        await self.all_is_said()


@asynccontextmanager
async def scene(
    folder: Path,
    lines: FakeLines | None = None,
    listeners: Listeners | None = None,
    *,
    messenger: FakeMessenger | None = None,
    pace: SpokenPace = QUICK,
) -> AsyncGenerator[Scene, None]:
    lines, spoken = lines or FakeLines(), SpokenNotices(pace)
    messenger, listeners = messenger or FakeMessenger(), listeners or Listeners()
    async with (
        asyncio.timeout(10),
        open_database(folder / "papercup.db", migrations()) as database,
    ):
        store = NoticeStore(database)
        with spoken.through(lines):
            async with delivering_notices(
                messenger,
                store,
                NoCards(),
                audience=listeners,
                clock=lambda: 1240.0,
                pace=NoticePace(gather_seconds=0.0, retry_seconds=(0.01,)),
                failures=await known_failures(store, now=1240.0),
                spoken=spoken,
            ) as delivery:
                yield Scene(delivery, store, messenger, lines, listeners)


async def find(job_id: str) -> Job:
    assert job_id == SETTLED.id
    return SETTLED


async def test_on_a_line_it_is_spoken_and_nothing_is_written(tmp_path: Path) -> None:
    async with scene(tmp_path) as it:
        await it.settles(SETTLED)

    assert it.lines.spoken == [SPOKEN]
    assert it.messenger.messages == []


async def test_the_speaker_knows_what_was_said(tmp_path: Path) -> None:
    async with scene(tmp_path) as it:
        await it.settles(SETTLED)

    ((session_id, note),) = it.lines.notes
    assert session_id == it.lines.session_id
    assert SPOKEN in note
    assert SETTLED.id in note


async def test_elsewhere_it_is_written_as_ever(tmp_path: Path) -> None:
    async with scene(tmp_path, listeners=Listeners(places=(CHAT,))) as it:
        await it.settles(SETTLED)

    assert it.lines.spoken == []
    assert it.written == ["🔔 **fibonacci** just finished after 4 minutes."]


async def test_each_place_is_told_in_its_own_way(tmp_path: Path) -> None:
    async with scene(tmp_path, listeners=Listeners(places=(LINE, CHAT))) as it:
        await it.settles(SETTLED)

    assert it.lines.spoken == [SPOKEN]
    assert [message.ref.channel_id for message in it.messenger.messages] == [CHAT.channel_id]


@pytest.mark.parametrize(
    "heard",
    [
        Heard(text="Heads up — fibonacci", is_whole=False, interrupted_by=1),
        Heard(text=SPOKEN, is_whole=False),
        Heard(text="", is_whole=False),
        None,
    ],
    ids=["interrupted", "nobody there at its end", "nothing of it", "the line closed"],
)
async def test_what_was_not_heard_to_its_end_is_written(
    tmp_path: Path, heard: Heard | None
) -> None:
    async with scene(tmp_path, FakeLines(hear=lambda _: heard)) as it:
        await it.settles(SETTLED)

    assert it.lines.spoken == [SPOKEN]
    assert it.written == ["🔔 **fibonacci** just finished after 4 minutes."]
    assert len(it.lines.notes) == (1 if heard is not None and heard.text else 0)


async def test_where_it_cannot_even_be_written_the_person_is_told_directly(
    tmp_path: Path,
) -> None:
    lines = FakeLines(hear=lambda _: Heard(text="", is_whole=False))
    messenger = FakeMessenger()
    messenger.closed_channels = {LINE.channel_id}
    async with scene(tmp_path, lines, messenger=messenger) as it:
        await it.settles(SETTLED)

    assert [message.ref.channel_id for message in messenger.messages] == [DIRECT + 1]


async def test_a_line_that_breaks_has_it_written(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def break_down(text: str) -> Heard:
        raise LookupError(text)

    async with scene(tmp_path, FakeLines(hear=break_down)) as it:
        await it.settles(SETTLED)

    assert it.written == ["🔔 **fibonacci** just finished after 4 minutes."]
    assert "could not be spoken" in caplog.text


async def test_what_settles_while_people_talk_becomes_one_notice(tmp_path: Path) -> None:
    async with scene(tmp_path) as it:
        it.lines.pause.clear()
        it.delivery.job_settled(job(1))
        await until(lambda: it.lines.waiting == 1)
        it.delivery.job_settled(job(2))
        await until(lambda: len(it.listeners.asked) == 2)
        it.lines.pause.set()
        await it.all_is_said()

    assert it.lines.spoken == ["Heads up — task 1 and task 2 just finished. Want the rundown?"]
    assert it.messenger.messages == []


async def test_what_settles_while_it_speaks_is_told_after_it(tmp_path: Path) -> None:
    async with scene(tmp_path) as it:
        it.lines.end.clear()
        it.delivery.job_settled(job(1))
        await until(lambda: len(it.lines.spoken) == 1)
        it.delivery.job_settled(job(2))
        await until(lambda: len(it.lines.spoken) == 2)
        it.lines.end.set()
        await it.all_is_said()

    assert [text.split(" just")[0] for text in it.lines.spoken] == [
        "Heads up — task 1",
        "Heads up — task 2",
    ]


async def test_if_nobody_pauses_it_is_written(tmp_path: Path) -> None:
    pace = replace(QUICK, wait_seconds=0.01)
    async with scene(tmp_path, pace=pace) as it:
        it.lines.pause.clear()
        await it.settles(SETTLED)

    assert it.lines.spoken == []
    assert it.written == ["🔔 **fibonacci** just finished after 4 minutes."]


async def test_a_speech_that_never_ends_is_written_too(tmp_path: Path) -> None:
    async with scene(tmp_path, pace=replace(QUICK, speak_seconds=0.01)) as it:
        it.lines.end.clear()
        await it.settles(SETTLED)

    assert it.written == ["🔔 **fibonacci** just finished after 4 minutes."]


async def test_whoever_is_there_when_it_is_spoken_must_be_allowed_to_hear_it(
    tmp_path: Path,
) -> None:
    async with scene(tmp_path, listeners=Listeners(not_for_ben={job(1).id})) as it:
        it.lines.pause.clear()
        it.delivery.job_settled(job(1))
        await until(lambda: it.lines.waiting == 1)
        it.delivery.job_settled(job(2))
        await until(lambda: len(it.listeners.asked) == 2)
        it.lines.listeners = (ANNA, BEN)
        it.lines.pause.set()
        await it.all_is_said()

    assert it.lines.spoken == ["Heads up — task 2 just finished after 4 minutes. Want the rundown?"]
    assert it.written == ["🔔 **task-1** just finished after 4 minutes."]
    assert job(1).id not in it.lines.notes[0][1]


async def test_before_nobody_nothing_is_spoken(tmp_path: Path) -> None:
    async with scene(tmp_path, FakeLines(listeners=())) as it:
        await it.settles(SETTLED)

    assert it.lines.spoken == []
    assert it.written == ["🔔 **fibonacci** just finished after 4 minutes."]


async def test_what_may_not_be_told_there_is_neither_spoken_nor_written(tmp_path: Path) -> None:
    listeners = Listeners(not_for_anybody={SETTLED.id})
    async with scene(tmp_path, listeners=listeners) as it:
        await it.settles(SETTLED, job(2))

    assert it.lines.spoken == ["Heads up — task 2 just finished after 4 minutes. Want the rundown?"]
    assert it.messenger.messages == []


async def test_if_it_is_unknown_after_a_restart_whether_it_was_heard_it_is_written(
    tmp_path: Path,
) -> None:
    async with scene(tmp_path) as it:
        it.lines.end.clear()
        it.delivery.job_settled(SETTLED)
        await until(lambda: bool(it.lines.spoken))
    async with scene(tmp_path) as later:
        await deliver_owed(later.delivery, later.store, find)
        await later.all_is_said()

    assert later.lines.spoken == []
    assert later.written == ["🔔 **fibonacci** just finished after 4 minutes."]


async def test_what_was_heard_is_told_no_more_after_a_restart(tmp_path: Path) -> None:
    async with scene(tmp_path) as it:
        await it.settles(SETTLED)
    async with scene(tmp_path) as later:
        later.delivery.job_settled(SETTLED)
        await deliver_owed(later.delivery, later.store, find)
        await later.settles(job(2))

    assert later.lines.spoken == [
        "Heads up — task 2 just finished after 4 minutes. Want the rundown?"
    ]
    assert later.messenger.messages == []


def test_once_the_lines_are_closed_nothing_is_spoken() -> None:
    lines, spoken = FakeLines(), SpokenNotices()
    with spoken.through(lines):
        assert spoken.has_line(LINE)
        assert not spoken.has_line(CHAT)
    assert not spoken.has_line(LINE)
