import asyncio
from collections.abc import AsyncGenerator, Collection, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import pytest

from bot.access import AccessPolicy, Action, Person
from bot.messenger import MessageContent, MessageRef, MessengerError
from bot.questions.asker import Asker, open_questions
from bot.questions.keeper import Handler
from bot.questions.question import (
    Answer,
    Cancelled,
    CancelReason,
    Choice,
    FreeText,
    Given,
    Question,
    TooManyQuestions,
)
from bot.questions.store import QuestionStore
from tests.bot.questions.test_question import ANNA, HERE, QUESTION, many
from tests.fakes.inline_database import InlineDatabase
from tests.fakes.messenger import FakeMessenger
from tests.fakes.virtual_clock import run_on_virtual_clock

OWNER = Person(id=9, name="olga")
STRANGER = Person(id=66, name="sven")
POLICY = AccessPolicy(owner_ids=frozenset({9}), allowed_user_ids=frozenset({1, 2}))


@dataclass
class World:
    """What outlives a bot."""

    messenger: FakeMessenger = field(default_factory=FakeMessenger)
    database: InlineDatabase = field(default_factory=InlineDatabase)
    handled: list[tuple[Question, Answer]] = field(default_factory=list[tuple[Question, Answer]])
    handler_fails: list[Exception] = field(default_factory=list[Exception])

    @property
    def store(self) -> QuestionStore:
        return QuestionStore(self.database)

    async def handle(self, question: Question, answer: Answer) -> MessageContent | None:
        if self.handler_fails:
            raise self.handler_fails.pop(0)
        self.handled.append((question, answer))
        return None

    @asynccontextmanager
    async def bot(
        self,
        *,
        handler: Handler | None = None,
        most_open: int = 50,
        fleeting: Collection[str] = (),
    ) -> AsyncGenerator[Asker, None]:
        """Ask questions, as one bot; another may come after it."""
        async with open_questions(
            self.messenger,
            self.store,
            authorize=POLICY.authorize,
            on_answer={"color": handler or self.handle},
            fleeting=fleeting,
            clock=asyncio.get_running_loop().time,
            most_open=most_open,
        ) as asker:
            yield asker

    @property
    def text(self) -> str:
        (message,) = self.messenger.messages
        return message.text

    @property
    def has_buttons(self) -> bool:
        (message,) = self.messenger.messages
        return bool(message.versions[-1].buttons)


def run(work: Coroutine[None, None, None]) -> None:
    run_on_virtual_clock(work)


def given_by(person: Person = ANNA, *, number: int | None = 0, text: str | None = None) -> Given:
    return Given(by=person, place=HERE, number=None if text is not None else number, text=text)


async def press(asker: Asker, given: Given | None = None, question: Question = QUESTION) -> str:
    return await asker.answered(question.id, given or given_by()) or ""


def test_whoever_asks_gets_the_answer_and_the_message_shows_it() -> None:
    async def story() -> None:
        world = World()
        async with world.bot() as asker, asyncio.TaskGroup() as tasks:
            asking = tasks.create_task(asker.ask(QUESTION))
            await asyncio.sleep(5)
            assert world.has_buttons
            assert await press(asker, given_by(number=1)) == ""
            answer = await asking
            await asyncio.sleep(1)

        assert answer == Answer(question_id="q1", by=ANNA, value="n", at=5.0)
        assert world.text == "Shall I?\n-# ✅ No · @anna"
        assert not world.has_buttons
        assert [each for _, each in world.handled] == [answer]
        assert await world.store.undone() == []

    run(story())


def test_of_two_presses_at_once_one_wins_and_the_other_person_is_told_who_was_first() -> None:
    async def story() -> None:
        world = World()
        async with world.bot() as asker:
            await asker.pose(QUESTION)
            await asyncio.sleep(1)
            async with asyncio.TaskGroup() as tasks:
                presses = [
                    tasks.create_task(press(asker, given_by(person)))
                    for person in (ANNA, OWNER, ANNA, OWNER)
                ]
            await asyncio.sleep(1)

        told = [each.result() for each in presses]
        assert told == ["", *["anna was first to answer that."] * 3]
        assert [answer.by for _, answer in world.handled] == [ANNA]

    run(story())


def test_a_question_outlives_a_restart_and_is_answered_once() -> None:
    async def story() -> None:
        world = World()
        async with world.bot() as asker:
            await asker.pose(QUESTION)
            await asyncio.sleep(1)
        async with world.bot() as asker:
            assert await press(asker) == ""
            await asyncio.sleep(1)
        async with world.bot() as asker:
            assert await press(asker, given_by(OWNER, number=1)) == "anna was first to answer that."
            # Whoever asks the same again gets what was answered.
            again = await asker.ask(QUESTION)

        assert isinstance(again, Answer)
        assert again.value == "y"
        assert world.text == "Shall I?\n-# ✅ Yes · @anna"
        assert len(world.handled) == 1

    run(story())


def test_what_was_answered_but_not_acted_upon_is_acted_upon_at_the_next_start() -> None:
    async def story() -> None:
        world = World()
        begun = asyncio.Event()

        async def hangs(question: Question, answer: Answer) -> None:
            del question, answer
            begun.set()
            await asyncio.Event().wait()

        async with world.bot(handler=hangs) as asker:
            await asker.pose(QUESTION)
            await asyncio.sleep(1)
            await press(asker)
            await begun.wait()
        async with world.bot():
            await asyncio.sleep(1)

        assert [answer.is_tried for _, answer in world.handled] == [True]
        assert not world.has_buttons

    run(story())


def test_what_breaks_while_an_answer_is_acted_upon_is_tried_again_at_the_next_start(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def story() -> None:
        world = World(handler_fails=[RuntimeError("our bug")])
        async with world.bot() as asker:
            await asker.pose(QUESTION)
            await asyncio.sleep(1)
            await press(asker)
            await asyncio.sleep(1000)
            assert world.handled == []
            assert not world.has_buttons
        async with world.bot():
            await asyncio.sleep(1)
        assert len(world.handled) == 1

    run(story())
    assert "its answer could not be acted upon" in caplog.text


def test_what_discord_did_not_take_is_tried_again_soon() -> None:
    async def story() -> None:
        world = World(handler_fails=[MessengerError("no connection")] * 3)
        async with world.bot() as asker:
            await asker.pose(QUESTION)
            await asyncio.sleep(1)
            world.messenger.failures = [MessengerError("no connection")] * 3
            await press(asker)
            await asyncio.sleep(120)

        assert [answer.is_tried for _, answer in world.handled] == [True]
        assert world.text.endswith("@anna")

    run(story())


def test_the_message_shows_what_the_handler_says_it_should() -> None:
    async def handler(question: Question, answer: Answer) -> MessageContent:
        return MessageContent(text=f"{question.subject}: {answer.by.name}")

    async def story() -> None:
        world = World()
        async with world.bot(handler=handler) as asker:
            await asker.pose(QUESTION)
            await asyncio.sleep(1)
            await press(asker)
            await asyncio.sleep(1)
        assert world.text == "8d08ba4f: anna"

    run(story())


def test_a_question_expires_and_its_message_says_so() -> None:
    async def story() -> None:
        world = World()
        async with world.bot() as asker:
            got = await asker.ask(replace(QUESTION, expires_at=7200.0))
            assert asyncio.get_running_loop().time() == pytest.approx(7200.0)
            await asyncio.sleep(1)
            told = await press(asker)

        assert got == Cancelled(question_id="q1", reason=CancelReason.EXPIRED)
        assert told == "Nobody answered in time."
        assert world.text == "Shall I?\n-# ⌛ Nobody answered in time."
        assert not world.has_buttons
        assert world.handled == []

    run(story())


def test_a_question_that_expired_while_no_bot_was_there_takes_no_answer() -> None:
    async def story() -> None:
        world = World()
        async with world.bot() as asker:
            await asker.pose(replace(QUESTION, expires_at=100.0))
            await asyncio.sleep(1)
        await asyncio.sleep(100)
        async with world.bot() as asker:
            # At once, before it was marked as expired.
            assert await press(asker) == "Nobody answered in time."
            await asyncio.sleep(1)
        assert world.text.endswith("Nobody answered in time.")

    run(story())


def test_a_withdrawn_question_is_not_asked_any_more() -> None:
    async def story() -> None:
        world = World()
        async with world.bot() as asker, asyncio.TaskGroup() as tasks:
            asking = tasks.create_task(asker.ask(QUESTION))
            await asyncio.sleep(1)
            await asker.withdraw(QUESTION.id)
            await asker.withdraw("unheard-of")
            got = await asking
            await asyncio.sleep(1)
            assert await press(asker) == "This is not asked any more."

        assert got == Cancelled(question_id="q1", reason=CancelReason.WITHDRAWN)
        assert world.text == "Shall I?\n-# ⌛ This is not asked any more."

    run(story())


def test_a_stranger_is_told_why_not_and_the_question_stays_open() -> None:
    async def story() -> None:
        world = World()
        other = Person(id=2, name="bob")
        async with world.bot() as asker:
            await asker.pose(QUESTION)
            await asyncio.sleep(1)
            refusals = [await press(asker, given_by(person)) for person in (STRANGER, other)]
            assert world.has_buttons
            assert await press(asker, given_by(OWNER)) == ""
            await asyncio.sleep(1)

        assert "not on this Papercup's list" in refusals[0]
        assert "somebody else's" in refusals[1]
        assert [answer.by for _, answer in world.handled] == [OWNER]

    run(story())


def test_an_answer_may_need_more_than_that_the_question_is_ones_own() -> None:
    async def story() -> None:
        world = World()
        question = replace(QUESTION, actions=(Action.ANSWER, Action.RUN_FREELY))
        async with world.bot() as asker:
            await asker.pose(question)
            await asyncio.sleep(1)
            assert "does not allow" in await press(asker)
            assert await press(asker, given_by(OWNER)) == ""

    run(story())


def test_words_are_written_in_a_form() -> None:
    async def story() -> None:
        world = World()
        question = replace(QUESTION, free_text=FreeText(title="Why?", label="Reason"))
        async with world.bot() as asker:
            await asker.pose(question)
            await asyncio.sleep(1)
        async with world.bot() as asker:
            form = asker.form_for("q1", ANNA, HERE)
            assert form is not None
            assert (form.title, form.fields[0].label) == ("Why?", "Reason")
            assert asker.form_for("q1", STRANGER, HERE) is None
            assert "list" in await asker.why_no_form("q1", STRANGER, HERE)
            assert "nothing in your answer" in await press(asker, given_by(text="  "))
            assert await press(asker, given_by(text="since\nwhen?")) == ""
            await asyncio.sleep(1)
            assert asker.form_for("q1", ANNA, HERE) is None
            assert "first" in await asker.why_no_form("q1", ANNA, HERE)
            assert "not known" in await asker.why_no_form("q2", ANNA, HERE)

        ((_, answer),) = world.handled
        assert (answer.value, answer.text) == (None, "since\nwhen?")
        assert world.text == "Shall I?\n-# ✅ @anna wrote:\n> since\n> when?"

    run(story())


def test_a_question_whose_post_seemed_to_fail_but_arrived_is_not_posted_again() -> None:
    async def story() -> None:
        world = World()
        world.messenger.lost_answers = 1
        async with world.bot() as asker:
            await asker.pose(QUESTION)
            await asyncio.sleep(1)
        async with world.bot() as asker:
            await asyncio.sleep(60)
            await press(asker)
            await asyncio.sleep(1)
        assert world.text.endswith("@anna")

    run(story())


def test_whoever_presses_shows_where_the_question_stands() -> None:
    async def story() -> None:
        world = World()
        world.messenger.lost_answers = 1
        async with world.bot() as asker:
            await asker.pose(QUESTION)
            await asyncio.sleep(1)
            ref = world.messenger.messages[0].ref
            await press(asker, replace(given_by(), message=ref))
            await asyncio.sleep(5)
        ((_, answer),) = world.handled
        assert answer.message == ref
        assert world.text.endswith("@anna")

    run(story())


def test_an_outage_is_outlasted_and_nothing_is_asked_twice() -> None:
    async def story() -> None:
        world = World()
        world.messenger.failures = [MessengerError("slow down", retry_after_seconds=600.0)] * 3
        async with world.bot() as asker:
            await asker.pose(QUESTION)
            await asyncio.sleep(1700)
            assert world.messenger.messages == []
            await asyncio.sleep(200)
        assert world.text == "Shall I?"

    run(story())


def test_where_it_cannot_be_asked_nobody_waits_for_an_answer() -> None:
    async def story() -> None:
        world = World()
        world.messenger.closed_channels = {HERE.channel_id}
        async with world.bot() as asker:
            got = await asker.ask(QUESTION)
        assert got == Cancelled(question_id="q1", reason=CancelReason.UNDELIVERABLE)

    run(story())


def test_only_so_many_questions_are_open_in_a_place() -> None:
    async def story() -> None:
        world = World()
        async with world.bot(most_open=2) as asker:
            got = [await asker.pose(replace(QUESTION, id=f"q{n}")) for n in range(3)]
            refused = await asker.ask(replace(QUESTION, id="q2"))
            elsewhere = replace(QUESTION, id="q3", place=replace(HERE, channel_id=12))
            assert await asker.pose(elsewhere) is None
            await press(asker, question=replace(QUESTION, id="q0"))
            assert await asker.pose(replace(QUESTION, id="q2")) is None

        assert got == [None, None, TooManyQuestions(question_id="q2", limit=2)]
        assert refused == TooManyQuestions(question_id="q2", limit=2)

    run(story())


def test_whoever_waits_when_papercup_stops_is_let_go_and_the_question_stays_open() -> None:
    async def story() -> None:
        world = World()
        async with asyncio.TaskGroup() as tasks:
            async with world.bot() as asker:
                asking = tasks.create_task(asker.ask(QUESTION))
                await asyncio.sleep(1)
            got = await asking
        assert got == Cancelled(question_id="q1", reason=CancelReason.STOPPED)
        (left,) = await world.store.undone()
        assert left.end is None

    run(story())


def test_a_question_under_another_message_is_stored_when_it_is_answered() -> None:
    async def story() -> None:
        world = World()
        ref = await world.messenger.post(HERE, MessageContent(text="a notice"), nonce="n")
        given = replace(given_by(number=None), value="y", message=ref)
        async with world.bot() as asker:
            assert "list" in (await asker.take(QUESTION, replace(given, by=STRANGER)) or "")
            assert await world.store.undone() == []
            async with asyncio.TaskGroup() as tasks:
                presses = [
                    tasks.create_task(asker.take(QUESTION, replace(given, by=person)))
                    for person in (ANNA, OWNER)
                ]
            await asyncio.sleep(1)

        assert [each.result() for each in presses] == [None, "anna was first to answer that."]
        assert world.text == "Shall I?\n-# ✅ Yes · @anna"

    run(story())


def test_a_question_for_which_nobody_waits_after_a_restart_is_not_asked_any_more() -> None:
    async def story() -> None:
        world = World()
        answered = replace(QUESTION, id="q2")
        async with world.bot() as asker:
            await asker.pose(QUESTION)
            await asyncio.sleep(1)
            world.messenger.failures = [MessengerError("no connection")] * 9
            await asker.pose(answered)
            await press(asker, question=answered)
        world.messenger.failures = []
        async with world.bot(fleeting={"color"}) as asker:
            got = await asker.ask(QUESTION)
            told = await press(asker)
            await asyncio.sleep(1)

        assert got == Cancelled(question_id="q1", reason=CancelReason.ABANDONED)
        assert told == "Papercup was restarted, so this is not asked any more."
        assert world.messenger.messages[0].text == f"Shall I?\n-# ⌛ {told}"
        # What was answered stays so.
        assert [question.id for question, _ in world.handled] == ["q2"]
        assert await world.store.undone() == []

    run(story())


def test_questions_that_are_long_over_can_be_forgotten() -> None:
    async def story() -> None:
        world = World()
        async with world.bot() as asker:
            for question in (QUESTION, replace(QUESTION, id="q2", expires_at=100.0)):
                await asker.pose(question)
            await world.store.forget("color", before=200.0)
            await asyncio.sleep(150)
            for before in (100.0, 101.0):
                known = await world.store.find("q2")
                assert known is not None
                await world.store.forget("color", before=before)
            assert await world.store.find("q2") is None
            assert await world.store.find("q1") is not None

    run(story())


def test_a_question_keeps_all_of_itself_over_a_restart() -> None:
    async def story() -> None:
        world = World()
        question = replace(
            QUESTION,
            choices=(*many(25), Choice(value="x", label="None", stands_apart=True)),
            free_text=FreeText(
                button="Else", placeholder="…", prefill="so", is_long=True, longest=7
            ),
            actions=(Action.ANSWER, Action.SPAWN),
            expires_at=1e9,
            reply_to=MessageRef(channel_id=11, message_id=5),
        )
        async with world.bot() as asker:
            await asker.pose(question)
            await asyncio.sleep(1)
            (message,) = world.messenger.messages
            assert message.reply_to == question.reply_to
        person = Person(id=9, name="olga", guild_id=10, role_ids=frozenset({4, 5}))
        async with world.bot() as asker:
            await press(asker, replace(given_by(person, number=None), value="24"))
            await asyncio.sleep(1)

        ((kept, answer),) = world.handled
        assert kept == question
        assert answer.by == person
        assert answer.value == "24"

    run(story())
