import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from bot.access import AccessPolicy, Person, Place
from bot.conversation.incoming import ButtonPress
from bot.conversation.job_texts import NO_SUCH_JOB
from bot.conversation.rundown import GONE_ON, RUNDOWN_PURPOSE, RundownDesk, rundown_giver
from bot.messenger import MessageContent, MessengerError
from bot.notices.notice import TOLD_DIRECTLY, notice, told_directly
from bot.questions.asker import open_questions
from bot.questions.store import QuestionStore
from bot.text.layout import lay_out
from extensions.errors import JobNotFoundError
from extensions.jobs.job import Job, JobStatus, Outcome
from extensions.jobs.run import ResumeReason
from tests.fakes.example_job import JOB
from tests.fakes.inline_database import InlineDatabase
from tests.fakes.messenger import FakeMessage, FakeMessenger
from tests.fakes.virtual_clock import run_on_virtual_clock

HERE = Place(guild_id=10, channel_id=11)
ANNA = Person(id=1, name="anna")
OPAL = Person(id=5, name="opal", guild_id=10, role_ids=frozenset({77}))
USER = Person(id=2, name="uwe", guild_id=10)
POLICY = AccessPolicy(
    owner_ids=frozenset({9}),
    allowed_user_ids=frozenset({1, 2}),
    operator_role_ids=frozenset({77}),
)


def settled(summary: str) -> Job:
    outcome = Outcome(status=JobStatus.COMPLETED, summary=summary)
    return JOB.started(at=1000.0).settled(outcome, at=1240.0)


@dataclass
class World:
    """What outlives a bot: a notice stands in the channel."""

    job: Job | None = field(default_factory=lambda: settled("It is done."))
    messenger: FakeMessenger = field(default_factory=FakeMessenger)
    database: InlineDatabase = field(default_factory=InlineDatabase)
    is_direct: bool = False

    async def find(self, job_id: str) -> Job:
        if self.job is None:
            raise JobNotFoundError(job_id)
        return self.job

    async def tell(self) -> None:
        assert self.job is not None
        content = notice(self.job)
        content = told_directly(content) if self.is_direct else content
        await self.messenger.post(HERE, content, nonce=f"notice-{len(self.messenger.messages)}")

    @asynccontextmanager
    async def bot(self) -> AsyncGenerator[RundownDesk, None]:
        giver = rundown_giver(self.messenger, self.find, lay_out)
        async with open_questions(
            self.messenger,
            QuestionStore(self.database),
            authorize=POLICY.authorize,
            on_answer={RUNDOWN_PURPOSE: giver},
            clock=asyncio.get_running_loop().time,
        ) as asker:
            yield RundownDesk(POLICY.authorize, asker, self.find)

    def press_of(self, person: Person, message: FakeMessage) -> ButtonPress:
        (button,) = [b for b in message.versions[0].buttons if b.label == "Rundown"]
        return ButtonPress(action=button.action, message=message.ref, person=person, place=HERE)

    async def press(
        self, desk: RundownDesk, person: Person = ANNA, *, number: int = 0
    ) -> str | None:
        """Press the button under the notice of that number, and return what one is told."""
        press = self.press_of(person, self.messenger.messages[number])
        content: MessageContent | None = await desk.offer().buttons[press.action.verb](press)
        await asyncio.sleep(1)
        return None if content is None else content.text

    @property
    def labels(self) -> list[str]:
        return [button.label for button in self.messenger.messages[0].versions[-1].buttons]


def run(work: Coroutine[None, None, None]) -> None:
    run_on_virtual_clock(work)


def test_the_rundown_is_posted_for_all_as_a_reply_and_the_notice_says_for_whom() -> None:
    async def story() -> None:
        world = World()
        await world.tell()
        async with world.bot() as desk:
            assert await world.press(desk) is None

        told, given = world.messenger.messages
        assert told.text.splitlines()[-1] == "Rundown below, for @anna."
        assert "Want the rundown?" not in told.text
        assert world.labels == ["Files"]
        assert given.reply_to == told.ref
        assert given.text == "**fibonacci** just finished after 4 minutes.\n\nIt is done."

    run(story())


def test_of_several_people_who_want_it_the_first_gets_it_and_it_is_posted_once() -> None:
    async def story() -> None:
        world = World()
        await world.tell()
        async with world.bot() as desk, asyncio.TaskGroup() as tasks:
            presses = [
                tasks.create_task(world.press(desk, person)) for person in (ANNA, OPAL, ANNA)
            ]
        async with world.bot() as desk:
            later = await world.press(desk, OPAL)

        told = [each.result() for each in presses]
        assert told == [None, *["anna was first to answer that."] * 2]
        assert later == "anna was first to answer that."
        assert len(world.messenger.messages) == 2

    run(story())


def test_whoever_may_see_the_job_may_have_it_and_nobody_else() -> None:
    async def story() -> None:
        world = World()
        await world.tell()
        async with world.bot() as desk:
            assert "somebody else's" in (await world.press(desk, USER) or "")
            assert "list" in (await world.press(desk, Person(id=66, name="sven")) or "")
            assert world.labels == ["Rundown", "Files"]
            # An operator may see what belongs to the server, though not answer for others.
            assert await world.press(desk, OPAL) is None
        assert world.messenger.messages[0].text.endswith("for @opal.")

    run(story())


def test_each_place_that_was_told_has_a_rundown_of_its_own() -> None:
    async def story() -> None:
        world = World()
        await world.tell()
        await world.tell()
        async with world.bot() as desk:
            assert await world.press(desk, ANNA) is None
            assert await world.press(desk, OPAL, number=1) is None
        assert len(world.messenger.messages) == 4

    run(story())


def test_a_long_rundown_is_a_preview_and_a_file() -> None:
    async def story() -> None:
        world = World(job=settled("word " * 5000))
        await world.tell()
        async with world.bot() as desk:
            await world.press(desk)

        _, given = world.messenger.messages
        (file,) = given.versions[-1].files
        assert file.content.decode().count("word") == 5000

    run(story())


def test_a_rundown_of_several_messages_is_a_reply_in_the_first() -> None:
    async def story() -> None:
        world = World(job=settled("A sentence of some words.\n\n" * 150))
        await world.tell()
        async with world.bot() as desk:
            await world.press(desk)

        told, first, *others = world.messenger.messages
        assert others
        assert first.reply_to == told.ref
        assert {message.reply_to for message in others} == {None}

    run(story())


def test_a_rundown_that_broke_off_goes_on_and_no_part_is_posted_twice() -> None:
    async def story() -> None:
        world = World(job=settled("A sentence of some words.\n\n" * 150))
        await world.tell()
        world.messenger.lost_answers = 2
        async with world.bot() as desk:
            await world.press(desk)
        async with world.bot():
            await asyncio.sleep(60)

        texts = [message.text for message in world.messenger.messages[1:]]
        assert texts == list(lay_out(texts_of(world)).messages)
        assert world.labels == ["Files"]

    run(story())


def texts_of(world: World) -> str:
    assert world.job is not None
    assert world.job.outcome is not None
    return f"**fibonacci** just finished after 4 minutes.\n\n{world.job.outcome.summary}"


def test_where_nothing_can_be_posted_any_more_it_ends() -> None:
    async def story() -> None:
        world = World()
        await world.tell()
        async with world.bot() as desk:
            world.messenger.failures = [MessengerError("Missing Access", is_final=True)] * 2
            await world.press(desk)
            await asyncio.sleep(60)
        assert await QuestionStore(world.database).undone() == []

    run(story())


def test_a_notice_that_went_to_a_person_stays_one() -> None:
    async def story() -> None:
        world = World(is_direct=True)
        await world.tell()
        async with world.bot() as desk:
            await world.press(desk)
        assert world.messenger.messages[0].text.splitlines()[-2:] == [
            "Rundown below, for @anna.",
            TOLD_DIRECTLY,
        ]

    run(story())


def test_of_a_job_that_is_gone_or_has_gone_on_there_is_no_rundown() -> None:
    async def story() -> None:
        lost = Outcome(status=JobStatus.INTERRUPTED, summary="so far")
        world = World(job=JOB.started(at=1000.0).settled(lost, at=1240.0))
        await world.tell()
        assert world.job is not None
        async with world.bot() as desk:
            world.job = world.job.resumed(ResumeReason.ASKED)
            assert await world.press(desk) == GONE_ON
            world.job = replace(world.job, run_number=1).started(at=1.0)
            assert await world.press(desk) == GONE_ON
            world.job = None
            assert await world.press(desk) == NO_SUCH_JOB
        assert world.labels == ["Resume", "Rundown", "Files"]

    run(story())


def test_a_job_that_goes_on_before_its_rundown_is_posted_ends_the_wish() -> None:
    async def story() -> None:
        world = World()
        await world.tell()
        assert world.job is not None
        async with world.bot() as desk:
            world.messenger.failures = [MessengerError("no connection")]
            await world.press(desk)
            world.job = replace(world.job, run_number=2)
            await asyncio.sleep(60)
        (told,) = world.messenger.messages
        assert told.text.splitlines()[-1] == f"-# {GONE_ON}"

    run(story())
