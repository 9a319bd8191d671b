"""Lines open, live through what happens to them, end, and outlive restarts."""

import asyncio
import sqlite3
from contextlib import suppress
from dataclasses import replace

import pytest

from bot.access import Person, Place
from bot.config import VoiceConfig
from bot.conversation.conversation import Conversation
from bot.conversation.line_opening import BROKE
from bot.conversation.line_status import LINE_CARD
from bot.conversation.line_table import ASKED_TO_SPEAK, BACK, BACK_UNANSWERED, MAY_SPEAK
from bot.conversation.lines import ONE_ALREADY
from bot.voice_door import (
    ChannelGone,
    Interrupted,
    JoinTrouble,
    Lost,
    MayNotSpeak,
    MaySpeak,
    Restored,
    ThrownOut,
    VoiceEvent,
)
from tests.fakes.line_house import (
    DEN,
    GREETING,
    GUILD,
    LOUNGE,
    MISSING,
    OTHER_USER,
    STRANGER,
    USER,
    Furniture,
    open_line_house,
)
from tests.fakes.virtual_clock import run_on_virtual_clock
from tests.fakes.waiting import until
from voice.errors import EngineError
from voice.events import LineMode


def last_card(furniture: Furniture) -> str:
    """Return the status message as it stays."""
    card = [card for card in furniture.cards.shown if card.kind == LINE_CARD][-1]
    assert card.is_final
    return card.content.text


async def begin_nothing() -> Conversation | None:
    return None


# Opening.


async def test_a_line_says_and_posts_that_it_listens() -> None:
    async with open_line_house() as house:
        told = await house.pick_up()
        await until(lambda: len(house.posted) == 1)
        name = house.conversation.session.name

        assert told == (
            f"Picked up: **{name}**, on the line in <#31>: I listen to whoever is alone with me;"
            " among others, say my name."
        )
        assert house.pipeline.said == [GREETING]
        assert house.posted == [
            (
                "👂 I am listening in this channel: what people say who may talk to me is written"
                " down, and kept for 7 days. Audio is never stored. `/voice mute state:on` makes me"
                " stop listening, and `/hangup` ends the line."
            )
        ]
        assert house.status.text.startswith(f"☎️ **{name}** · 👂 listening")
        assert house.pipeline.options.names == ("Papercup", "Paper cup")
        assert house.speaker.is_warm


async def test_the_speaker_of_a_line_knows_that_it_is_heard_until_the_line_ends() -> None:
    async with open_line_house() as house:
        await house.conversations.open(LOUNGE, USER, name="notes")
        await house.pick_up()
        assert house.conversation.session.name == "notes"
        assert [knobs.is_spoken for knobs in house.speaker.knobs] == [True]
        await house.call("model", name="opus")
        assert house.conversation.session.knobs.is_spoken
        await house.call("new", name="fresh", at=LOUNGE)
        assert house.conversation.session.knobs.is_spoken
        await house.call("hangup")
        conversation, _ = await house.conversations.open(LOUNGE, USER)
        assert not conversation.session.knobs.is_spoken


@pytest.mark.parametrize("trouble", JoinTrouble)
async def test_where_the_bot_cannot_come_no_conversation_is_opened(trouble: JoinTrouble) -> None:
    async with open_line_house() as house:
        house.door.refuse(trouble)
        house.door.enters(LOUNGE, USER)
        told = await house.call("pickup")
        assert told.startswith("I cannot come to <#31>. ")
        assert len(house.conversations) == 0
        assert "Picked up" in await house.call("pickup")


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (EngineError("There is no model."), "There is no model."),
        (ExceptionGroup("", [EngineError("There is no model.")]), "There is no model."),
        (RuntimeError("oops"), BROKE),
    ],
)
async def test_where_nobody_can_be_heard_the_channel_is_left_again(
    fault: Exception, sentence: str
) -> None:
    async with open_line_house() as house:
        house.options.pipelines.fault = fault
        house.door.enters(LOUNGE, USER)
        assert await house.call("pickup") == sentence
        assert house.door.links == {}
        assert len(house.conversations) == 0
        house.options.pipelines.fault = None
        assert "Picked up" in await house.call("pickup")


async def test_a_line_without_a_conversation_ends_at_once() -> None:
    async with open_line_house() as house:
        house.door.enters(LOUNGE, USER)
        assert await house.lines.open(LOUNGE, begin_nothing) is None
        await house.has_ended()
        assert house.posted == []
        assert await house.store.all() == []


async def test_a_line_whose_conversation_cannot_be_stored_ends_at_once() -> None:
    async def begin() -> Conversation | None:
        raise sqlite3.OperationalError

    async with open_line_house() as house:
        house.door.enters(LOUNGE, USER)
        with pytest.raises(sqlite3.Error):
            await house.lines.open(LOUNGE, begin)
        await house.has_ended()
        assert not house.voiced.is_voiced(LOUNGE)


async def test_a_line_for_which_nobody_waits_any_more_is_not_left_half_open() -> None:
    async def begin() -> Conversation | None:
        await asyncio.Event().wait()
        return None

    async with open_line_house() as house:
        house.door.enters(LOUNGE, USER)
        with suppress(TimeoutError):
            async with asyncio.timeout(0.01):
                await house.lines.open(LOUNGE, begin)
        await house.has_ended()
        assert "Picked up" in await house.pick_up()


async def test_there_is_one_line_in_a_server_and_others_in_others() -> None:
    elsewhere = Place(guild_id=20, channel_id=41)

    async with open_line_house() as house:

        async def begin() -> Conversation:
            conversation, _ = await house.conversations.open(elsewhere, USER)
            return conversation

        await house.pick_up()
        assert await house.lines.open(DEN, begin_nothing) == ONE_ALREADY
        await house.lines.open(elsewhere, begin)
        assert house.lines.place_in(GUILD) == LOUNGE
        assert house.lines.place_in(20) == elsewhere
        assert house.lines.place_in(None) is None
        assert house.lines.is_open_in(LOUNGE)
        assert not house.lines.is_open_in(DEN)


# What happens to it.


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (ThrownOut(), "Somebody disconnected me, so I hung up. `/pickup` brings me back."),
        (
            Lost(trouble=JoinTrouble.TIMED_OUT),
            (
                "I lost the line, and hung up. Discord did not let me in in time. Try again in a"
                " minute. `/pickup` brings me back."
            ),
        ),
    ],
)
async def test_a_line_that_is_lost_is_hung_up_and_says_why(
    event: VoiceEvent, sentence: str
) -> None:
    async with open_line_house() as house:
        await house.pick_up()
        name = house.conversation.session.name
        house.door.happens(GUILD, event)
        await house.has_ended()
        await until(lambda: sentence in house.posted)

        assert house.pipeline.is_closed
        assert len(house.conversations) == 0
        assert await house.store.all() == []
        assert last_card(house.options) == f"☎️ **{name}** · hung up\n{sentence}"
        assert "Picked up again" in await house.call("pickup")


async def test_nothing_is_posted_in_a_channel_that_is_gone() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        await until(lambda: len(house.posted) == 1)
        house.door.happens(GUILD, ChannelGone())
        await house.has_ended()
        assert len(house.posted) == 1


async def test_a_short_break_is_shown_and_not_talked_about() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        changes = house.pipeline.people_changes
        house.door.happens(GUILD, Interrupted())
        await until(lambda: "🔌 reconnecting" in house.status.text)
        house.door.happens(GUILD, Restored())
        await until(lambda: "👂 listening" in house.status.text)
        await until(lambda: house.pipeline.people_changes > changes)
        assert house.pipeline.said == [GREETING]


def test_a_long_break_is_talked_about() -> None:
    async def scene() -> None:
        async with open_line_house() as house:
            await house.pick_up()
            house.door.happens(GUILD, Interrupted())
            await asyncio.sleep(30)
            house.door.happens(GUILD, Restored())
            await until(lambda: BACK in house.pipeline.said)

    run_on_virtual_clock(scene())


async def test_on_a_stage_it_says_who_has_to_let_it_speak() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        house.door.happens(GUILD, MayNotSpeak(may_ask=True))
        await until(lambda: ASKED_TO_SPEAK in house.posted)
        house.door.happens(GUILD, MaySpeak())
        await until(lambda: MAY_SPEAK in house.pipeline.said)


async def test_a_line_that_is_moved_takes_its_session_along() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        session = house.conversation.session
        house.pipeline.hears(USER.id, "hello")
        await house.is_asked("uwe (aloud): hello")
        house.door.enters(DEN, USER)
        house.door.moves(DEN)
        await until(lambda: house.line.place == DEN)
        await until(lambda: f"I was moved here, and **{session.name}** with me." in house.posted)
        notices = [text for text in house.posted if text.startswith("👂 I am listening in this")]
        assert len(notices) == 2

        assert house.conversation.session.id == session.id
        assert house.conversations.in_place(LOUNGE) is None
        house.answers("Hi.")
        await house.has_spoken("Hi.")
        house.pipeline.hears(USER.id, "and now")
        await house.is_asked("uwe (aloud): hello", "uwe (aloud): and now")
        assert house.lines.is_open_in(DEN)
        assert not house.lines.is_open_in(LOUNGE)
        cards = [card for card in house.options.cards.shown if card.kind == LINE_CARD]
        (old,) = [card for card in cards if card.place == LOUNGE and card.is_final]
        assert old.content.text.splitlines()[:2] == [
            f"☎️ **{session.name}** · hung up",
            "I was moved to <#32>.",
        ]
        assert cards[-1].place == DEN
        (kept,) = await house.store.all()
        assert kept.place == DEN


async def test_a_line_that_is_moved_to_another_conversation_ends_and_leaves_that_alone() -> None:
    async with open_line_house() as house:
        other, _ = await house.conversations.open(DEN, OTHER_USER, name="other")
        await house.pick_up()
        house.door.moves(DEN)
        await house.has_ended()
        assert house.conversations.in_place(DEN) is other
        assert house.conversations.in_place(LOUNGE) is None


def test_a_line_on_which_nobody_is_ends_after_a_while() -> None:
    async def scene() -> None:
        async with open_line_house(Furniture(config=VoiceConfig(alone_minutes=5))) as house:
            await house.pick_up()
            house.door.exits(LOUNGE, USER)
            await asyncio.sleep(299)
            house.door.enters(LOUNGE, USER)
            await asyncio.sleep(600)
            assert house.lines.is_open_in(LOUNGE)
            house.door.exits(LOUNGE, USER)
            await asyncio.sleep(299)
            assert house.lines.is_open_in(LOUNGE)
            await asyncio.sleep(2)
            await house.has_ended()
            assert "Nobody was here for 5 minutes, so I hung up." in house.posted

    run_on_virtual_clock(scene())


async def test_an_announcement_ends_with_its_line() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        house.pipeline.pause.clear()
        session_id = house.conversation.session.id
        async with asyncio.TaskGroup() as tasks:
            heard = tasks.create_task(house.lines.announce(session_id, lambda: "Heads up."))
            await asyncio.sleep(0)
            await house.call("hangup")
        assert heard.result() is None
        assert house.pipeline.announced == []


async def test_hanging_up_in_the_middle_of_an_answer_says_nothing_of_it() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        house.pipeline.hears(USER.id, "hello")
        await house.is_asked("uwe (aloud): hello")
        posted = list(house.posted)
        assert (await house.call("hangup")).startswith("-# On the line in <#31>:\nHung up on **")
        assert house.posted == posted
        assert house.door.links == {}
        assert await house.messages.cut_off() == frozenset()


async def test_what_breaks_on_a_line_ends_it_and_nothing_else() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        await house.options.database.run(lambda c: c.execute("DROP TABLE lines"))
        house.door.moves(DEN)
        await house.has_ended()
        await until(lambda: f"I had to hang up. {BROKE}" in house.posted)
        assert len(house.conversations) == 0


# Restarts.


async def restarted(furniture: Furniture, *, unanswered: bool = False) -> None:
    """Have a bot on a line stop."""
    async with open_line_house(furniture) as house:
        await house.pick_up()
        await house.call("voice mode", mode="name")
        await house.call("voice mute", state="on")
        if unanswered:
            house.pipeline.hears(USER.id, "hello")
            await house.is_asked("uwe (aloud): hello")
    assert furniture.door.links == {}


@pytest.mark.parametrize(("unanswered", "sentence"), [(False, BACK), (True, BACK_UNANSWERED)])
async def test_a_later_bot_goes_on_with_a_line_and_says_that_it_was_cut_off(
    sentence: str, *, unanswered: bool
) -> None:
    furniture = Furniture()
    await restarted(furniture, unanswered=unanswered)
    async with open_line_house(furniture) as house:
        await until(lambda: sentence in house.posted)
        await until(lambda: sentence in house.pipeline.said)

        assert house.pipeline.options.mode is LineMode.NAME
        assert house.pipeline.options.is_muted
        assert GREETING not in house.pipeline.said
        assert house.conversation.session.knobs.is_spoken
        assert house.speaker.asked == []
        if unanswered:
            assert "👤 **uwe**: hello" in house.status.text
        first, *_, last = [card for card in furniture.cards.shown if card.kind == LINE_CARD]
        assert first.subject == last.subject


@pytest.mark.parametrize("left", [(), (STRANGER,)])
async def test_a_later_bot_hangs_up_where_nobody_is_left_who_may_talk(
    left: tuple[Person, ...],
) -> None:
    furniture = Furniture()
    await restarted(furniture)
    furniture.door.people[LOUNGE] = list(left)
    async with open_line_house(furniture) as house:
        sentence = "I was away, and nobody is here any more, so I hung up."
        await until(lambda: sentence in house.posted)
        assert furniture.door.joined == [LOUNGE]
        assert len(house.conversations) == 0
        assert await house.store.all() == []
        assert last_card(furniture).endswith(f"hung up\n{sentence}")


async def test_a_later_bot_hangs_up_where_it_cannot_come_any_more() -> None:
    furniture = Furniture()
    await restarted(furniture)
    furniture.door.refuse(JoinTrouble.GONE)
    async with open_line_house(furniture) as house:
        sentence = "I was away, and could not come back. There is no such voice channel any more."
        await until(lambda: sentence in house.posted)
        assert len(house.conversations) == 0


async def test_a_later_bot_without_voice_hangs_up_and_says_how_to_add_it() -> None:
    furniture = Furniture()
    await restarted(furniture)
    furniture.has_voice = False
    async with open_line_house(furniture) as house:
        await until(lambda: f"I had to hang up. {MISSING}" in house.posted)
        assert len(house.conversations) == 0


async def test_what_is_written_before_a_later_bot_has_come_back_is_for_it_already() -> None:
    furniture = Furniture()
    await restarted(furniture)
    furniture.is_ready_at_once = False
    furniture.ready.clear()
    async with open_line_house(furniture) as house:
        assert house.lines.is_open_in(LOUNGE)
        assert not house.lines.is_open_in(DEN)
        assert house.lines.place_in(GUILD) is None
        furniture.ready.set()
        await until(lambda: BACK in house.pipeline.said)
        assert house.lines.place_in(GUILD) == LOUNGE
        await house.call("hangup")
        assert not house.lines.is_open_in(LOUNGE)


async def test_what_is_older_than_is_wished_is_forgotten() -> None:
    furniture = Furniture(config=VoiceConfig(transcript_days=1))
    async with open_line_house(furniture) as house:
        await house.pick_up()
        house.pipeline.hears(USER.id, "hello")
        await house.is_asked("uwe (aloud): hello")
        session_id = house.conversation.session.id
        await until(lambda: "hello" in house.status.text)
        assert await house.transcripts.newest(session_id, 9)
    furniture.clock.advance(86_400)
    async with open_line_house(furniture) as house:

        async def is_forgotten() -> bool:
            return await house.transcripts.newest(session_id, 9) == []

        await until(is_forgotten)


async def test_roles_are_looked_up_anew_after_a_while() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        house.line._looked_at -= 3600
        house.door.people[LOUNGE] = [replace(USER, name="Uwe II")]
        house.pipeline.hears(USER.id, "hello")
        await until(lambda: house.line.people.name_of(USER.id) == "Uwe II")


async def test_what_is_said_while_a_line_ends_does_not_open_its_conversation_again() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        pipeline, speaker = house.pipeline, house.speaker
        async with asyncio.TaskGroup() as tasks:
            hanging_up = tasks.create_task(house.call("hangup"))
            while not hanging_up.done():
                pipeline.hears(USER.id, "bye")
                await asyncio.sleep(0)
        assert house.conversations.in_place(LOUNGE) is None
        assert speaker.asked == []
        assert await house.messages.cut_off() == frozenset()


async def test_once_a_line_is_ending_nothing_is_taken_that_is_said_on_it() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        await house.line.end()
        house.pipeline.hears(USER.id, "bye")
        await until(house.line._turns._came.empty)
        for _ in range(20):
            await asyncio.sleep(0)
        assert house.speaker.asked == []


async def test_roles_are_looked_up_anew_when_somebody_begins_to_talk() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        house.line._looked_at -= 3600
        house.door.people[LOUNGE] = [replace(USER, name="Uwe II")]
        assert house.line.participant(USER.id).name == USER.name
        await until(lambda: house.line.participant(USER.id).name == "Uwe II")
