import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise

import pytest

from bot.access import Place
from bot.cards.card import Card, CardKey
from bot.cards.cards import Cards, keeping_cards
from bot.cards.store import CardStore
from bot.messenger import MessageContent, MessageRef, MessengerError
from tests.fakes.inline_database import InlineDatabase
from tests.fakes.messenger import FakeMessenger
from tests.fakes.virtual_clock import run_on_virtual_clock

HERE = Place(guild_id=10, channel_id=11)
CARD = Card(kind="session", subject="5e551011", place=HERE, content=MessageContent(text="one"))


class TimingMessenger(FakeMessenger):
    """Notes when each card was edited, and holds a post up if it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.edits: list[tuple[float, str]] = []
        self.may_post = asyncio.Event()
        self.may_post.set()
        self.may_pin = True
        self.deletes_fail = 0

    async def post(
        self,
        place: Place,
        content: MessageContent,
        *,
        nonce: str,
        reply_to: MessageRef | None = None,
    ) -> MessageRef:
        await self.may_post.wait()
        return await super().post(place, content, nonce=nonce, reply_to=reply_to)

    async def edit(self, ref: MessageRef, content: MessageContent) -> None:
        self.edits.append((asyncio.get_running_loop().time(), content.text))
        if ref in self.deleted:
            raise MessengerError("Unknown Message", is_final=True)
        await super().edit(ref, content)

    async def pin(self, ref: MessageRef) -> None:
        if not self.may_pin:
            raise MessengerError("Missing Permissions", is_final=True)
        await super().pin(ref)

    async def delete(self, ref: MessageRef) -> None:
        if self.deletes_fail:
            self.deletes_fail -= 1
            raise MessengerError("no connection")
        await super().delete(ref)


@dataclass
class World:
    messenger: TimingMessenger = field(default_factory=TimingMessenger)
    database: InlineDatabase = field(default_factory=InlineDatabase)

    @property
    def store(self) -> CardStore:
        return CardStore(self.database)

    @asynccontextmanager
    async def bot(self) -> AsyncGenerator[Cards, None]:
        """Keep cards, as one bot; another may come after it."""
        async with keeping_cards(self.messenger, self.store) as cards:
            yield cards

    @property
    def texts(self) -> list[str]:
        return [message.text for message in self.messenger.messages]


def saying(text: str, card: Card = CARD) -> Card:
    return replace(card, content=MessageContent(text=text))


def run(work: Coroutine[None, None, None]) -> None:
    run_on_virtual_clock(work)


def test_a_card_is_edited_once_in_two_seconds_and_its_latest_content_wins() -> None:
    async def story() -> None:
        world = World()
        async with world.bot() as cards:
            for number in range(100):
                cards.show(saying(str(number)))
                await asyncio.sleep(0.1)
            await asyncio.sleep(10)

        assert world.texts == ["99"]
        times = [at for at, _ in world.messenger.edits]
        assert len(times) == 5
        assert all(later - sooner > 1.99 for sooner, later in pairwise(times))

    run(story())


def test_the_cards_of_a_channel_share_an_edit_a_second_and_none_is_left_behind() -> None:
    async def story() -> None:
        world = World()
        cards_here = [replace(CARD, subject=f"s{number}") for number in range(10)]
        elsewhere = replace(CARD, subject="other", place=Place(guild_id=10, channel_id=12))
        async with world.bot() as cards:
            for second in range(60):
                for card in (*cards_here, elsewhere):
                    cards.show(saying(f"{card.subject} {second}", card))
                await asyncio.sleep(1)
            edits = world.messenger.edits.copy()
        here = [(at, text.split()[0]) for at, text in edits if not text.startswith("other")]
        times = [at for at, _ in here]
        counts = {card.subject: [who for _, who in here].count(card.subject) for card in cards_here}

        assert all(later - sooner > 0.99 for sooner, later in pairwise(times))
        assert max(counts.values()) - min(counts.values()) <= 1
        # The other channel is as quick as if it were alone.
        assert len(edits) - len(here) >= 28

    run(story())


def test_what_does_not_change_is_not_edited() -> None:
    async def story() -> None:
        world = World()
        async with world.bot() as cards:
            for _ in range(5):
                cards.show(CARD)
                await asyncio.sleep(60)

        assert world.messenger.edits == []

    run(story())


def test_when_discord_asks_for_time_all_cards_of_the_channel_wait() -> None:
    async def story() -> None:
        world = World()
        async with world.bot() as cards:
            for subject in "ab":
                cards.show(saying("one", replace(CARD, subject=subject)))
            await asyncio.sleep(10)
            world.messenger.failures = [MessengerError("slow down", retry_after_seconds=30.0)]
            cards.show(saying("a two", replace(CARD, subject="a")))
            await asyncio.sleep(0.1)
            cards.show(saying("b two", replace(CARD, subject="b")))
            await asyncio.sleep(100)

        (refused_at, _), *others = world.messenger.edits
        assert sorted(text for _, text in others) == ["a two", "b two"]
        assert all(at >= refused_at + 30 for at, _ in others)

    run(story())


def test_an_outage_is_outlasted() -> None:
    async def story() -> None:
        world = World()
        world.messenger.failures = [MessengerError("no connection")] * 20
        async with world.bot() as cards:
            cards.show(saying("done", replace(CARD, is_final=True)))
            await asyncio.sleep(3600)

        assert world.texts == ["done"]

    run(story())


def test_a_card_that_can_be_shown_nowhere_for_hours_is_left_to_the_next_start() -> None:
    async def story() -> None:
        world = World()
        world.messenger.failures = [MessengerError("no connection")] * 200
        async with world.bot() as cards:
            cards.show(replace(CARD, is_final=True))
            await asyncio.sleep(24 * 3600)

        assert len(world.messenger.failures) > 100
        assert await world.store.unfinished("session") == [CARD.subject]

    run(story())


def test_what_a_bot_began_to_post_is_found_by_the_next_and_not_posted_twice() -> None:
    async def story() -> None:
        world = World()
        world.messenger.lost_answers = 1
        async with world.bot() as cards:
            cards.show(CARD)
            await asyncio.sleep(1)
        assert await cards.ref_of("session", CARD.subject, timeout_seconds=0) is None

        async with world.bot() as cards:
            cards.show(saying("two"))
            await asyncio.sleep(1)
            ref = await cards.ref_of("session", CARD.subject, timeout_seconds=0)

        assert world.texts == ["two"]
        assert ref == world.messenger.messages[0].ref

    run(story())


def test_a_withdrawn_card_is_deleted_and_shown_anew_if_it_is_wanted_again() -> None:
    async def story() -> None:
        world = World()
        async with world.bot() as cards:
            cards.show(CARD)
            await asyncio.sleep(5)
            await cards.withdraw("session", CARD.subject)
            assert world.texts == []
            assert await cards.ref_of("session", CARD.subject, timeout_seconds=1) is None

            cards.show(saying("again"))
            await asyncio.sleep(5)
            assert world.texts == ["again"]
            await cards.withdraw("session", "unheard of")

        assert len(world.messenger.deleted) == 1

    run(story())


def test_a_card_that_is_withdrawn_while_it_is_being_posted_does_not_stay() -> None:
    async def story() -> None:
        world = World()
        world.messenger.may_post.clear()
        async with world.bot() as cards, asyncio.TaskGroup() as tasks:
            cards.show(CARD)
            await asyncio.sleep(1)
            tasks.create_task(cards.withdraw("session", CARD.subject))
            await asyncio.sleep(1)
            world.messenger.may_post.set()

        assert world.texts == []
        assert len(world.messenger.deleted) == 1

    run(story())


def test_a_card_that_could_not_be_deleted_is_deleted_by_the_next_bot() -> None:
    async def story() -> None:
        world = World()
        async with world.bot() as cards:
            cards.show(CARD)
            await asyncio.sleep(5)
            world.messenger.deletes_fail = 1000
            await cards.withdraw("session", CARD.subject)
        assert world.texts == ["one"]
        assert await world.store.unfinished("session") == []

        world.messenger.deletes_fail = 1
        async with world.bot():
            await asyncio.sleep(30)
        assert world.texts == []
        assert await world.store.withdrawn() == []

    run(story())


def test_what_an_earlier_bot_left_without_an_end_can_be_taken_away() -> None:
    async def story() -> None:
        world = World()
        async with world.bot() as cards:
            cards.show(CARD)
            cards.show(saying("done", replace(CARD, subject="ended", is_final=True)))
            await asyncio.sleep(5)
        async with world.bot() as cards:
            await cards.withdraw_unfinished("session")
            await asyncio.sleep(5)

        assert world.texts == ["done"]

    run(story())


def test_a_card_that_goes_on_is_not_withdrawn_with_the_unfinished_ones() -> None:
    async def story() -> None:
        world = World()
        async with world.bot() as cards:
            cards.show(CARD)
            await asyncio.sleep(5)
        async with world.bot() as cards:
            await cards.withdraw_unfinished("session", but={CARD.subject})
            await asyncio.sleep(5)
            assert len(world.texts) == 1

    run(story())


def test_a_card_that_somebody_deleted_is_left_alone_until_it_was_withdrawn() -> None:
    async def story() -> None:
        world = World()
        async with world.bot() as cards:
            cards.show(CARD)
            await asyncio.sleep(5)
            await world.messenger.delete(world.messenger.messages[0].ref)
            for text in ("two", "three", "four"):
                cards.show(saying(text))
                await asyncio.sleep(10)
            assert len(world.messenger.edits) == 1
            assert world.texts == []

            await cards.withdraw("session", CARD.subject)
            cards.show(saying("anew"))
            await asyncio.sleep(5)
            assert world.texts == ["anew"]

    run(story())


def test_a_card_whose_channel_is_closed_is_not_tried_again_at_each_start() -> None:
    async def story() -> None:
        world = World()
        world.messenger.closed_channels = {HERE.channel_id}
        async with world.bot() as cards:
            cards.show(CARD)
            ref = await cards.ref_of("session", CARD.subject, timeout_seconds=5)
            await asyncio.sleep(5)

        assert ref is None
        assert await world.store.unfinished("session") == []

    run(story())


def test_a_card_is_pinned_once_and_its_pin_taken_out() -> None:
    async def story() -> None:
        world = World()
        pinned = replace(CARD, is_pinned=True)
        async with world.bot() as cards:
            for text in ("one", "two"):
                cards.show(saying(text, pinned))
                await asyncio.sleep(5)
            assert world.messenger.pinned == [world.messenger.messages[0].ref]
            cards.show(saying("three"))
            await asyncio.sleep(5)
            assert world.messenger.pinned == []

    run(story())


def test_that_a_card_may_not_be_pinned_is_only_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        world = World()
        world.messenger.may_pin = False
        async with world.bot() as cards:
            for text in ("one", "two"):
                cards.show(saying(text, replace(CARD, is_pinned=True)))
                await asyncio.sleep(5)
        assert world.texts == ["two"]

    run(story())
    assert caplog.text.count("Missing Permissions") == 1


def test_a_card_is_a_reply_to_what_it_belongs_to() -> None:
    async def story() -> None:
        world = World()
        question = MessageRef(channel_id=11, message_id=5)
        async with world.bot() as cards:
            cards.show(replace(CARD, reply_to=question))
            await asyncio.sleep(1)

        assert [message.reply_to for message in world.messenger.messages] == [question]

    run(story())


def test_cards_of_several_kinds_are_told_apart() -> None:
    async def story() -> None:
        world = World()
        async with world.bot() as cards:
            cards.show(saying("of the session"))
            cards.show(saying("of the job", replace(CARD, kind="job")))
            await asyncio.sleep(5)
            await cards.withdraw("session", CARD.subject)
        assert world.texts == ["of the job"]
        assert await world.store.find(CardKey(kind="session", subject=CARD.subject)) is None

    run(story())


def test_a_card_is_brought_to_its_end_although_the_disk_was_full_for_a_while() -> None:
    async def story() -> None:
        world = World()
        async with world.bot() as cards:
            cards.show(saying("at work"))
            await asyncio.sleep(5)
            for change in ("INSERT", "UPDATE"):
                world.database.connection.execute(
                    f"CREATE TRIGGER full_{change} BEFORE {change} ON cards"
                    " BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
                )
            cards.show(replace(saying("done"), is_final=True))
            cards.show(saying("of another", replace(CARD, subject="new")))
            await asyncio.sleep(60)
            for change in ("INSERT", "UPDATE"):
                world.database.connection.execute(f"DROP TRIGGER full_{change}")
            await asyncio.sleep(120)

        assert world.texts == ["done", "of another"]
        kept = [
            await world.store.find(CardKey(kind="session", subject=s)) for s in ("5e551011", "new")
        ]
        assert [card and (card.ref is not None, card.is_final) for card in kept] == [
            (True, True),
            (True, False),
        ]

    run(story())


def test_a_card_that_was_posted_but_could_not_be_noted_is_posted_once() -> None:
    async def story() -> None:
        world = World()
        world.database.connection.execute(
            "CREATE TRIGGER full BEFORE UPDATE ON cards BEGIN SELECT RAISE(ABORT, 'full'); END"
        )
        async with world.bot() as cards:
            cards.show(CARD)
            await asyncio.sleep(60)
            assert world.texts == ["one"]
            world.database.connection.execute("DROP TRIGGER full")
            await asyncio.sleep(120)
        kept = await world.store.find(CardKey(kind="session", subject=CARD.subject))

        assert (world.texts, kept and kept.ref is not None) == (["one"], True)

    run(story())


def test_cards_that_show_their_end_can_be_forgotten_while_their_messages_stay() -> None:
    async def story() -> None:
        world = World()
        work = replace(CARD, kind="work")
        async with world.bot() as cards:
            cards.show(replace(saying("done", work), subject="1", is_final=True))
            cards.show(replace(saying("at work", work), subject="2"))
            cards.show(replace(saying("a job's end"), kind="job", is_final=True))
            await asyncio.sleep(5)
            await world.store.forget_ended("work")

        assert world.texts == ["done", "at work", "a job's end"]
        assert await world.store.find(CardKey(kind="work", subject="1")) is None
        assert await world.store.unfinished("work") == ["2"]
        assert await world.store.find(CardKey(kind="job", subject=CARD.subject)) is not None

    run(story())
