import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.conversation.conversation import BROKE, HUNG_UP, NOT_NOTED, Conversation
from bot.conversation.message_record import MessageState
from bot.conversation.session import Session
from bot.conversation.text_chat import ANSWERED_TOGETHER, TextChat
from bot.conversation.turn import Turn
from bot.messenger import MessageRef
from bot.speaker.speaker import Answered, SpeakerEvent, TextCame
from tests.bot.conversation.test_conversations import HERE, OLGA, World, turn
from tests.fakes.messenger import FakeMessenger
from tests.fakes.speaker import FakeSpeaker
from tests.fakes.waiting import until

SESSION = Session(
    id="5e55", name="chat", place=HERE, opened_by=1, created_at=0.0, last_active_at=0.0
)


class FakeLog:
    """Implements `TurnLog`."""

    def __init__(self, *, is_broken: bool = False) -> None:
        self.is_broken = is_broken
        self.entries: list[tuple[str, str | float]] = []

    async def begun(self, turn: Turn, *, session_id: str, at: float) -> None:
        self._note("begun", f"{session_id} {turn.text} {at}")

    async def shown_in(self, turn: Turn, refs: Sequence[MessageRef]) -> None:
        self._note("shown in", f"{turn.text} {[ref.message_id for ref in refs]}")

    async def answer_is_whole(self, turn: Turn, text: str) -> None:
        self._note("whole", f"{turn.text} {text}")

    async def finished(self, turn: Turn, state: MessageState) -> None:
        self._note(state.value, turn.text)

    def _note(self, what: str, about: str) -> None:
        if self.is_broken:
            raise sqlite3.OperationalError("disk I/O error")
        self.entries.append((what, about))


class BrokenSpeaker(FakeSpeaker):
    """Breaks in the middle of each answer."""

    async def answer(self, text: str) -> AsyncGenerator[SpeakerEvent, None]:
        self.asked.append(text)
        yield TextCame("I think")
        raise RuntimeError(text)


@dataclass
class Scene:
    """A conversation that runs."""

    messenger: FakeMessenger
    speaker: FakeSpeaker
    conversation: Conversation

    def says(self, text: str) -> None:
        self.speaker.events.put_nowait(TextCame(text))
        self.speaker.events.put_nowait(Answered())

    async def shows(self, *texts: str) -> None:
        await until(lambda: [message.text for message in self.messenger.messages] == list(texts))


@asynccontextmanager
async def open_scene(
    log: FakeLog, speaker: FakeSpeaker | None = None
) -> AsyncGenerator[Scene, None]:
    messenger, speaker = FakeMessenger(), speaker or FakeSpeaker()
    chat = TextChat(messenger, HERE, lambda text: [text])
    conversation = Conversation(SESSION, speaker, chat, log, lambda: 7.0)
    async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
        running = tasks.create_task(conversation.run())
        yield Scene(messenger, speaker, conversation)
        running.cancel()


async def test_a_turn_is_stored_at_each_step_before_the_next_is_taken() -> None:
    log = FakeLog()
    async with open_scene(log) as scene:
        scene.conversation.take(turn("one"))
        scene.says("Hi.")
        await until(lambda: len(log.entries) == 4)

    assert log.entries == [
        ("begun", "5e55 one 7.0"),
        ("whole", "one Hi."),
        ("shown in", "one [1000]"),
        ("answered", "one"),
    ]


async def test_messages_that_came_during_a_turn_are_answered_together_and_marked() -> None:
    log = FakeLog()
    async with open_scene(log) as scene:
        scene.conversation.take(turn("one", 5))
        await until(lambda: scene.speaker.asked == ["olga: one"])
        scene.conversation.take(turn("two", 6))
        scene.conversation.take(turn("three", 7))
        scene.says("first")
        await until(lambda: len(scene.speaker.asked) == 2)
        scene.says("second")
        await until(lambda: log.entries[-1][0] == "answered" and len(log.entries) == 8)

    assert scene.speaker.asked[1] == "olga: two\n\nthree"
    first, second = scene.messenger.messages
    assert (first.reply_to, second.reply_to) == (turn("", 5).asked_in, turn("", 7).asked_in)
    assert scene.messenger.reactions == [(turn("", 6).asked_in, ANSWERED_TOGETHER)]


async def test_an_answer_that_is_known_is_shown_without_asking_anybody() -> None:
    log = FakeLog()
    async with open_scene(log) as scene:
        known = Turn(people=(OLGA,), text="one", asked_in=turn("").asked_in, answer="Hi.")
        scene.conversation.take_again(known)
        await until(lambda: bool(log.entries) and log.entries[-1][0] == "answered")

    assert scene.speaker.asked == []
    assert [message.text for message in scene.messenger.messages] == ["Hi."]


async def test_a_turn_that_breaks_says_so_in_its_reply_and_the_next_is_answered() -> None:
    async with open_scene(FakeLog(), BrokenSpeaker()) as scene:
        scene.conversation.take(turn("one", 5))
        await scene.shows(f"⚠️ {BROKE}")
        scene.conversation.take(turn("two", 6))
        await scene.shows(f"⚠️ {BROKE}", f"⚠️ {BROKE}")


async def test_a_turn_that_cannot_be_stored_is_not_begun_and_its_author_is_told() -> None:
    log = FakeLog(is_broken=True)
    async with open_scene(log) as scene:
        scene.conversation.take(turn("one", 5))
        await scene.shows(f"⚠️ {NOT_NOTED}")
        assert scene.speaker.asked == []
        log.is_broken = False
        scene.conversation.take(turn("two", 6))
        scene.says("Better.")
        await scene.shows(f"⚠️ {NOT_NOTED}", "Better.")


async def test_whoever_is_not_answered_when_a_conversation_ends_is_told(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.running() as conversations:
        conversation, _ = await conversations.open(HERE, OLGA)
        speaker = world.speakers[conversation.session.id]
        conversation.take(turn("one", 5))
        await until(lambda: bool(speaker.asked))
        speaker.events.put_nowait(TextCame("Well"))
        await until(lambda: bool(world.messenger.messages))
        conversation.take(turn("two", 6))
        await conversations.close(HERE)

    assert [(m.reply_to, m.text) for m in world.messenger.messages] == [
        (turn("", number).asked_in, f"⚠️ {HUNG_UP}") for number in (5, 6)
    ]
