import asyncio
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

import pytest

from bot.access import Person, Place
from bot.conversation.conversation import BROKE, HUNG_UP, MOST_WAITING_TURNS
from bot.conversation.conversation_parts import ClaudeSessionBegan, ConversationParts
from bot.conversation.conversations import Conversations, open_conversations
from bot.conversation.message_store import MessageStore
from bot.conversation.session import Notify, Session, Streaming
from bot.conversation.store import SessionStore
from bot.conversation.text_chat import TextChat
from bot.conversation.turn import Turn
from bot.messenger import MessageRef
from bot.migrations import migrations
from bot.speaker.speaker import Answered, Knobs, TextCame
from bot.text.layout import lay_out
from extensions.database import Database, open_database
from tests.fakes.cards import FakeCards
from tests.fakes.clock import FakeClock
from tests.fakes.messenger import FakeMessenger
from tests.fakes.speaker import FakeSpeaker
from tests.fakes.waiting import until

OLGA = Person(id=1, name="olga")
UWE = Person(id=7, name="uwe")
HERE = Place(guild_id=10, channel_id=11)
THERE = Place(guild_id=10, channel_id=12)


@dataclass
class World:
    """What the conversations are made of, kept over restarts."""

    folder: Path
    messenger: FakeMessenger = field(default_factory=FakeMessenger)
    cards: FakeCards = field(default_factory=FakeCards)
    speakers: dict[str, FakeSpeaker] = field(default_factory=dict)
    began: dict[str, ClaudeSessionBegan] = field(default_factory=dict)
    resumed: list[Session] = field(default_factory=list)
    changed: list[Session] = field(default_factory=list)
    clock: FakeClock = field(default_factory=lambda: FakeClock(1_780_000_000.0))
    database: Database | None = None

    @property
    def messages(self) -> MessageStore:
        assert self.database is not None
        return MessageStore(self.database)

    def surface(self, place: Place) -> TextChat:
        return TextChat(self.messenger, place, lay_out, self.cards, self.clock)

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
                ConversationParts(
                    turns=MessageStore(database),
                    make_speaker=make_speaker,
                    make_surface=self.surface,
                    clock=self.clock,
                    new_id=lambda: next(ids),
                    changed=self.changed.append,
                ),
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


class BreakingSpeaker(FakeSpeaker):
    """Breaks while it answers for the first time."""

    def __init__(self) -> None:
        super().__init__()
        self.breaks = asyncio.Event()
        self.runs = 0

    async def run(self) -> None:
        self.runs += 1
        if self.runs == 1:
            await self.breaks.wait()
            raise KeyError("seat")
        await super().run()


async def test_a_conversation_that_breaks_says_so_goes_on_and_ends_no_other(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    world = World(tmp_path)
    breaking = BreakingSpeaker()
    world.speakers["00000001"] = breaking
    async with world.running() as conversations:
        conversation, _ = await conversations.open(HERE, OLGA, new=True)
        other, _ = await conversations.open(THERE, OLGA)
        assert world.speakers[conversation.session.id] is breaking
        conversation.take(turn("one", 5))
        await until(lambda: breaking.asked == ["olga: one"])
        breaking.breaks.set()
        await until(lambda: bool(world.messenger.messages))
        conversation.take(turn("two", 6))
        await until(lambda: breaking.asked[-1] == "olga: two")
        other.take(turn("three", 7))
        await until(lambda: world.speakers[other.session.id].asked == ["olga: three"])

    assert world.messenger.messages[0].text == f"⚠️ {BROKE}"
    assert "its conversation broke" in caplog.text


class SlowSpeaker(FakeSpeaker):
    """Takes its time to end."""

    def __init__(self) -> None:
        super().__init__()
        self.may_end = asyncio.Event()
        self.is_ending = asyncio.Event()

    async def run(self) -> None:
        try:
            await super().run()
        finally:
            self.is_ending.set()
            await self.may_end.wait()


async def test_what_is_open_does_not_wait_for_another_that_ends(tmp_path: Path) -> None:
    world = World(tmp_path)
    slow = world.speakers["00000001"] = SlowSpeaker()
    async with world.running() as conversations, asyncio.TaskGroup() as tasks:
        await conversations.open(HERE, OLGA)
        other, _ = await conversations.open(THERE, OLGA)
        tasks.create_task(conversations.close(HERE))
        await slow.is_ending.wait()
        async with asyncio.timeout(1):
            found, _ = await conversations.open(THERE, OLGA)
        slow.may_end.set()

    assert found is other


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


def anything(_: Session) -> bool:
    return True


async def test_in_a_closed_place_goes_on_what_was_open_there_last(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.running() as conversations:
        first, _ = await conversations.open(HERE, OLGA)
        world.began[first.session.id]("c1a0de")
        world.clock.advance(60)
        second, second_is_new = await conversations.open(HERE, OLGA, new=True)
        await conversations.close(HERE)
        world.clock.advance(60)
        third, third_is_new = await conversations.open(HERE, UWE)
        world.clock.advance(60)
        assert await conversations.resume(first.session.id, HERE, may_change=anything)
        await conversations.close(HERE)
        fourth, _ = await conversations.open(HERE, UWE)

        assert await conversations.close(THERE) is None
    assert (second_is_new, third_is_new) == (True, True)
    assert first.session.id != second.session.id == third.session.id
    assert third.session.opened_by == OLGA.id
    assert fourth.session.id == first.session.id
    assert world.resumed[-1].claude_session_id == "c1a0de"


async def test_a_channel_goes_on_with_its_own_session_after_a_restart(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.running() as conversations:
        closed, _ = await conversations.open(HERE, OLGA)
        await conversations.open(THERE, OLGA)
        await conversations.close(HERE)

    async with world.running() as conversations:
        again, is_new = await conversations.open(HERE, OLGA)

    assert is_new
    assert again.session.id == closed.session.id


async def test_sessions_are_called_by_the_time_or_as_wanted_and_each_otherwise(
    tmp_path: Path,
) -> None:
    elsewhere = Place(guild_id=20, channel_id=21)
    async with World(tmp_path).running() as conversations:
        opened = [
            await conversations.open(HERE, OLGA),
            await conversations.open(THERE, OLGA),
            await conversations.open(elsewhere, OLGA),
            await conversations.open(HERE, OLGA, new=True, name="notes"),
            await conversations.open(HERE, OLGA, new=True, name="notes"),
        ]

    assert [conversation.session.name for conversation, _ in opened] == [
        "chat-2026-05-28-2026",
        "chat-2026-05-28-2026-2",
        "chat-2026-05-28-2026",
        "notes",
        "notes-2",
    ]


async def test_a_changed_knob_reaches_the_speaker_and_the_next_bot(tmp_path: Path) -> None:
    world = World(tmp_path)
    knobs = Knobs(model="opus")
    async with world.running() as conversations:
        conversation, _ = await conversations.open(HERE, OLGA)
        session = replace(conversation.session, streaming=Streaming.FULL)
        assert await conversations.change(conversation, session)
        assert world.speakers[session.id].knobs == []
        assert await conversations.change(conversation, replace(session, knobs=knobs))
        assert world.speakers[session.id].knobs == [knobs]
        assert world.changed[-1].knobs == knobs

    async with world.running() as conversations:
        again = conversations.in_place(HERE)
        assert again is not None
        assert (again.session.knobs, again.session.streaming) == (knobs, Streaming.FULL)


async def test_a_conversation_that_was_ended_is_changed_no_more(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.running() as conversations:
        old, _ = await conversations.open(HERE, OLGA)
        moved = await conversations.resume(old.session.id, THERE, may_change=anything)
        assert moved is not None
        assert not await conversations.change(old, replace(old.session, knobs=Knobs(model="x")))
        assert not await conversations.rename(old, "other")
        world.began[old.session.id]("c1a0de")
        await until(lambda: world.changed[-1].is_open)

    async with world.running() as conversations:
        assert [place.channel_id for place in conversations.places] == [THERE.channel_id]
        again = conversations.in_place(THERE)
        assert again is not None
        assert (again.session.knobs, again.session.name) == (Knobs(), moved.session.name)


_NO_ROOM = """
    CREATE TRIGGER no_room BEFORE INSERT ON sessions WHEN NEW.is_open = 1
    BEGIN SELECT RAISE(ABORT, 'the disk is full'); END
"""


@pytest.mark.parametrize("is_resumed", [False, True])
async def test_whoever_waits_is_told_even_if_nothing_can_be_opened_in_its_place(
    tmp_path: Path, *, is_resumed: bool
) -> None:
    world = World(tmp_path)
    async with world.running() as conversations:
        earlier, _ = await conversations.open(THERE, OLGA)
        ended, _ = await conversations.open(HERE, OLGA)
        ended.take(turn("one"))
        await until(lambda: ended.running_turn is not None)
        assert world.database is not None
        await world.database.run(lambda c: c.execute(_NO_ROOM))
        opening = (
            conversations.resume(earlier.session.id, HERE, may_change=anything)
            if is_resumed
            else conversations.open(HERE, OLGA, new=True)
        )
        with pytest.raises(sqlite3.IntegrityError, match="disk is full"):
            await opening

    assert [message.text for message in world.messenger.messages] == [f"⚠️ {HUNG_UP}"]
