import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from bot.access import Person, Place
from bot.conversation.conversation import MOST_WAITING_TURNS
from bot.conversation.conversations import (
    ClaudeSessionBegan,
    Conversations,
    open_conversations,
)
from bot.conversation.message_store import MessageStore
from bot.conversation.session import Notify, Session
from bot.conversation.store import SessionStore
from bot.conversation.text_chat import TextChat
from bot.conversation.turn import Turn
from bot.messenger import MessageRef
from bot.migrations import migrations
from bot.speaker.speaker import Answered, TextCame
from extensions.database import Database, open_database
from tests.fakes.clock import FakeClock
from tests.fakes.messenger import FakeMessenger
from tests.fakes.speaker import FakeSpeaker
from tests.fakes.waiting import until

OLGA = Person(id=1, name="olga")
HERE = Place(guild_id=10, channel_id=11)
THERE = Place(guild_id=10, channel_id=12)


@dataclass
class World:
    """What the conversations are made of, kept over restarts."""

    folder: Path
    messenger: FakeMessenger = field(default_factory=FakeMessenger)
    speakers: dict[str, FakeSpeaker] = field(default_factory=dict)
    began: dict[str, ClaudeSessionBegan] = field(default_factory=dict)
    resumed: list[Session] = field(default_factory=list)
    clock: FakeClock = field(default_factory=lambda: FakeClock(1_780_000_000.0))
    database: Database | None = None

    @property
    def messages(self) -> MessageStore:
        assert self.database is not None
        return MessageStore(self.database)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[Conversations, None]:
        ids = (f"{number:08x}" for number in count(len(self.speakers)))

        def make_speaker(session: Session, began: ClaudeSessionBegan) -> FakeSpeaker:
            self.resumed.append(session)
            self.began[session.id] = began
            return self.speakers.setdefault(session.id, FakeSpeaker())

        async with (
            asyncio.timeout(10),
            open_database(self.folder / "papercup.db", migrations()) as database,
            open_conversations(
                SessionStore(database),
                MessageStore(database),
                make_speaker=make_speaker,
                make_surface=lambda place: TextChat(self.messenger, place, lambda text: [text]),
                clock=self.clock,
                new_id=lambda: next(ids),
            ) as conversations,
        ):
            self.database = database
            yield conversations


def turn(text: str, number: int = 5) -> Turn:
    return Turn(people=(OLGA,), text=text, asked_in=MessageRef(channel_id=11, message_id=number))


async def test_two_openings_at_once_give_one_conversation(tmp_path: Path) -> None:
    async with World(tmp_path).running() as conversations, asyncio.TaskGroup() as tasks:
        first = tasks.create_task(conversations.open(HERE, OLGA))
        second = tasks.create_task(conversations.open(HERE, OLGA))
        (one, one_is_new), (other, other_is_new) = await first, await second

    assert one is other
    assert (one_is_new, other_is_new) == (True, False)


async def test_turns_are_answered_one_after_the_other(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.running() as conversations:
        conversation, _ = await conversations.open(HERE, OLGA)
        speaker = world.speakers[conversation.session.id]
        assert conversation.take(turn("one", 5))
        await until(lambda: speaker.asked == ["olga: one"])
        assert conversation.take(turn("two", 6))
        assert conversation.running_turn == turn("one", 5)
        for text in ("first", "second"):
            speaker.events.put_nowait(TextCame(text))
            speaker.events.put_nowait(Answered())
        await until(lambda: len(world.messenger.messages) == 2)

    assert [message.text for message in world.messenger.messages] == ["first", "second"]
    assert speaker.asked == ["olga: one", "olga: two"]


async def test_a_cancelled_turn_ends_and_the_next_is_answered(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.running() as conversations:
        conversation, _ = await conversations.open(HERE, OLGA)
        speaker = world.speakers[conversation.session.id]
        assert not await conversation.cancel()
        conversation.take(turn("one"))
        await until(lambda: bool(speaker.asked))
        assert await conversation.cancel()
        await until(lambda: bool(world.messenger.messages))

    assert world.messenger.messages[0].text == "⚠️ Cancelled."


async def test_more_turns_than_can_wait_are_refused(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.running() as conversations:
        conversation, _ = await conversations.open(HERE, OLGA)
        conversation.take(turn("running"))
        await until(lambda: conversation.running_turn is not None)
        taken = [conversation.take(turn("waiting")) for _ in range(MOST_WAITING_TURNS + 1)]

    assert taken == [True] * MOST_WAITING_TURNS + [False]


async def test_a_restart_goes_on_with_what_was_open_and_not_with_what_was_closed(
    tmp_path: Path,
) -> None:
    world = World(tmp_path)
    async with world.running() as conversations:
        kept, _ = await conversations.open(HERE, OLGA)
        await conversations.open(THERE, OLGA)
        world.began[kept.session.id]("c1a0de")
        await conversations.set_notify(kept, Notify.ON)
        assert await conversations.close(THERE) is not None
    world.resumed.clear()

    async with world.running() as conversations:
        again = conversations.in_place(HERE)
        assert conversations.in_place(THERE) is None

    assert again is not None
    assert (again.session.claude_session_id, again.session.notify) == ("c1a0de", Notify.ON)
    assert [session.id for session in world.resumed] == [kept.session.id]


async def test_a_closed_place_can_be_opened_again(tmp_path: Path) -> None:
    async with World(tmp_path).running() as conversations:
        first, _ = await conversations.open(HERE, OLGA)
        await conversations.close(HERE)
        second, is_new = await conversations.open(HERE, OLGA)

        assert await conversations.close(THERE) is None
    assert is_new
    assert first.session.id != second.session.id
