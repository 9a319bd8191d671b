"""The commands about voice lines, from wherever they are called."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from bot.access import NOT_ON_THE_LIST, NOT_YOURS
from bot.conversation.line_doctor import IS_MUTED, NOT_THERE, TEST_PROMPT
from bot.conversation.line_status import PUSH_VERB
from bot.conversation.line_table import NOT_IN_VOICE
from bot.conversation.session_words import NOT_OPEN
from bot.conversation.transcript import SaidHow
from bot.conversation.voice_desk import (
    LINE_IS_OVER,
    LISTENING,
    NO_LINE,
    NOT_LISTENING,
    SAYING,
    TALK_NOW,
)
from bot.messenger import ButtonAction
from tests.fakes.line_house import (
    DEN,
    HERE,
    LOUNGE,
    MISSING,
    OTHER_USER,
    OWNER,
    STRANGER,
    USER,
    Furniture,
    open_line_house,
)
from tests.fakes.waiting import until
from voice.events import LineMode

ON_LINE = "-# On the line in <#31>:\n"


# /voice and /say.


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("voice mode", {"mode": "push"}),
        ("voice mute", {"state": "on"}),
        ("voice use", {"name": "x"}),
        ("voice doctor", {}),
        ("say", {"text": "hello"}),
    ],
)
async def test_without_a_line_there_is_nothing_to_set_or_say(
    command: str, options: dict[str, Any]
) -> None:
    async with open_line_house() as house:
        assert await house.call(command, **options) == NO_LINE
        await house.call("pickup")
        assert await house.call(command, **options) == NO_LINE
    async with open_line_house(Furniture(has_voice=False)) as house:
        assert await house.call(command, **options) == MISSING


async def test_the_mode_is_set_shown_and_kept() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        assert list(house.status.buttons) == []
        told = await house.call("voice mode", mode="push")
        assert told == f"{ON_LINE}I answer whoever has pressed *Talk* under my status message."
        assert house.pipeline.modes == [LineMode.PUSH]
        (button,) = house.status.buttons
        assert button.action == ButtonAction(verb=PUSH_VERB, subject=house.line.kept.id)
        assert (await house.store.all())[0].mode is LineMode.PUSH
        assert "voice, mode push" in await house.call("status", at=LOUNGE)


async def test_the_button_to_talk_is_for_those_who_may_talk() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        await house.call("voice mode", mode="push")
        (button,) = house.status.buttons
        assert await house.press(button.action, by=STRANGER) == NOT_ON_THE_LIST.reason
        assert await house.press(button.action) == TALK_NOW
        assert house.pipeline.pushed == [USER.id]
        assert await house.press(replace(button.action, subject="old")) == LINE_IS_OVER
        await house.call("hangup")
        assert await house.press(button.action) == LINE_IS_OVER


async def test_it_listens_no_more_and_again() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        assert await house.call("voice mute", state="on", at=LOUNGE) == NOT_LISTENING
        assert "🔇 not listening" in house.status.text
        assert "voice, mode open · not listening" in await house.call("status", at=LOUNGE)
        assert await house.call("voice mute", state="off", at=LOUNGE) == LISTENING
        assert house.pipeline.muted == [True, False]
        assert "👂 listening" in house.status.text


async def test_another_voice_is_used_if_there_is_one() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        assert await house.call("voice use", name="Bob", at=LOUNGE) == (
            "I cannot speak with `Bob`: there is no voice 'Bob'"
        )
        assert await house.call("voice use", name="en-GB-Sonia", at=LOUNGE) == (
            "I speak with `en-GB-Sonia` from my next answer on."
        )
        assert house.pipeline.voice == "en-GB-Sonia"
        assert (await house.store.all())[0].voice == "en-GB-Sonia"


async def test_a_voice_that_cannot_be_reached_is_not_said_to_speak() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        house.pipeline.can_reach_voices = False
        assert await house.call("voice use", name="en-GB-Sonia", at=LOUNGE) == (
            "I speak with `en-GB-Sonia` as soon as it can be reached; until then with `fake mouth`."
        )


async def test_a_voice_that_is_found_too_late_leaves_no_line_for_a_later_bot() -> None:
    async with open_line_house() as house, asyncio.TaskGroup() as tasks:
        await house.pick_up()
        house.pipeline.finds_voices.clear()
        using = tasks.create_task(house.call("voice use", name="en-GB-Sonia", at=LOUNGE))
        await until(house.pipeline.looks_for_voice.is_set)
        pipeline = house.pipeline
        await house.call("hangup", at=LOUNGE)
        pipeline.finds_voices.set()
        assert await using == LINE_IS_OVER
        assert await house.store.all() == []


async def test_voices_are_listed_and_completed() -> None:
    async with open_line_house() as house:
        assert await house.call("voice list") == (
            "`en-GB-Sonia` · en-GB · Female\n`de-DE-Katja` · de-DE"
        )
        await house.pick_up()
        assert await house.call("voice list", language="de") == (
            f"{ON_LINE}I speak with `fake mouth`.\n`de-DE-Katja` · de-DE"
        )
        found = await house.complete("voice use", "name", "son")
        assert [each.value for each in found] == ["en-GB-Sonia"]
        assert await house.complete("voice use", "name", by=STRANGER) == ()
    async with open_line_house(Furniture(has_voice=False)) as house:
        assert await house.call("voice list") == MISSING
        assert await house.complete("voice use", "name") == ()


async def test_the_doctor_hears_whoever_asks_for_it() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        house.pipeline.trial = "One, two, three."
        told = await house.call("voice doctor", at=LOUNGE)
        assert house.pipeline.said[-1] == TEST_PROMPT
        assert told.splitlines() == [
            "✅ I can hear you: “One, two, three.”",
            "🔌 connected · end-to-end encrypted (DAVE) · `aead`",
            "⚙️ speech to text: `fake ear` · voice: `fake mouth`",
        ]
        house.pipeline.trial = None
        told = await house.call("voice doctor", at=LOUNGE)
        assert told.startswith("❌ I heard nothing of you within 0 seconds.")
        told = await house.call("voice doctor", by=OTHER_USER, at=LOUNGE)
        assert told.startswith(f"🎧 {NOT_THERE}")
        await house.call("voice mute", state="on", at=LOUNGE)
        told = await house.call("voice doctor", at=LOUNGE)
        assert told.startswith(f"🎧 {IS_MUTED}\n")
        assert house.pipeline.said.count(TEST_PROMPT) == 2


async def test_the_doctor_of_a_line_that_ends_meanwhile_says_so() -> None:
    async with open_line_house() as house, asyncio.TaskGroup() as tasks:
        await house.pick_up()
        house.pipeline.goes_on.clear()
        asking = tasks.create_task(house.call("voice doctor", at=LOUNGE))
        await until(lambda: TEST_PROMPT in house.pipeline.said)
        pipeline = house.pipeline
        await house.call("hangup", at=LOUNGE)
        pipeline.goes_on.set()
        assert await asking == LINE_IS_OVER


async def test_a_text_is_said_word_for_word() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        assert await house.call("say", text="Dinner is ready.") == f"{ON_LINE}{SAYING}"
        await until(lambda: "Dinner is ready." in house.pipeline.said)
        await until(lambda: "📢 **Papercup**: Dinner is ready." in house.status.text)
        (line, *_) = await house.transcripts.newest(house.conversation.session.id, 9)
        assert line.how is SaidHow.DICTATED


# Picking up.


async def test_whoever_is_in_no_voice_channel_is_written_with() -> None:
    async with open_line_house() as house:
        assert "Mention me and talk" in await house.call("pickup")
        assert await house.call("pickup", mode="voice") == NOT_IN_VOICE
        assert house.door.joined == []


async def test_whoever_is_in_a_voice_channel_may_want_it_in_writing() -> None:
    async with open_line_house() as house:
        house.door.enters(LOUNGE, USER)
        assert "Mention me and talk" in await house.call("pickup", mode="text")
        assert house.door.joined == []


async def test_where_there_is_no_voice_it_is_in_writing_and_says_how_to_add_it() -> None:
    async with open_line_house(Furniture(has_voice=False)) as house:
        house.door.enters(LOUNGE, USER)
        told = await house.call("pickup")
        assert told.startswith("Picked up: **")
        assert told.endswith(f"\n{MISSING}")
        assert await house.call("pickup", mode="voice") == MISSING


async def test_a_line_is_opened_as_it_is_described() -> None:
    async with open_line_house() as house:
        house.door.enters(LOUNGE, USER)
        told = await house.call("pickup", name="standup", model="opus")
        assert told.startswith("Picked up: **standup**, on the line in <#31>")
        assert house.conversation.session.knobs.model == "opus"
        again = await house.call("pickup")
        assert again.startswith("**standup** is open here already.")
        await house.call("hangup")
        assert (await house.call("pickup")).startswith("Picked up again: **standup**")


async def test_a_description_ends_no_conversation_that_is_open_in_the_channel() -> None:
    async with open_line_house() as house:
        await house.conversations.open(LOUNGE, OTHER_USER, name="notes")
        house.door.enters(LOUNGE, USER)
        told = await house.call("pickup", name="standup")
        assert told.startswith("**notes** is open here already.")
        assert house.door.joined == []
        assert (await house.call("pickup")).startswith("Picked up again: **notes**")


async def test_a_line_elsewhere_is_not_left_while_somebody_is_there() -> None:
    async with open_line_house() as house:
        await house.pick_up(USER)
        house.door.enters(DEN, OTHER_USER)
        told = await house.call("pickup", by=OTHER_USER)
        assert told.startswith("I am on the line in <#31>, and can be in one voice channel")
        assert house.line.place == LOUNGE


async def test_a_line_on_which_nobody_is_may_be_left_by_whoever_may_end_it() -> None:
    async with open_line_house() as house:
        await house.pick_up(USER)
        house.door.exits(LOUNGE, USER)
        house.door.enters(DEN, USER, OTHER_USER)
        assert (await house.call("pickup", by=OTHER_USER)).startswith("I am on the line")
        assert "on the line in <#32>" in await house.call("pickup")
        assert house.line.place == DEN
        assert house.conversations.in_place(LOUNGE) is None


# The commands of sessions.


async def test_where_nothing_is_open_commands_are_about_the_line() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        assert (await house.call("rename", name="standup")).startswith(ON_LINE)
        assert house.conversation.session.name == "standup"
        assert (await house.call("streaming", detail="full")).startswith(ON_LINE)
        assert (await house.call("status")).startswith(
            f"{ON_LINE}📍 **standup** · voice, mode open · listening\n"
        )
        assert (await house.call("model", by=OTHER_USER)) == NOT_YOURS.reason
        await house.call("pickup", mode="text")
        assert not (await house.call("rename", name="notes")).startswith(ON_LINE)
        assert house.conversation.session.name == "standup"
        assert (await house.call("hangup")).startswith("Hung up on **notes**")
        assert (await house.call("hangup", by=OWNER)).startswith(f"{ON_LINE}Hung up on **standup**")
        assert await house.call("hangup") == NOT_OPEN


async def test_a_session_is_resumed_on_the_line_and_ends_where_it_was() -> None:
    async with open_line_house() as house:
        await house.call("pickup", name="notes")
        await house.pick_up()
        line_name = house.conversation.session.name
        told = await house.call("resume", name="notes", at=LOUNGE)
        assert told == (
            "Going on with **notes** here. It is hung up in <#11>."
            f" **{line_name}** is hung up; `/resume` goes on with it."
        )
        assert house.conversation.session.name == "notes"
        assert house.conversation.session.knobs.is_spoken
        assert house.conversations.in_place(HERE) is None
        house.pipeline.hears(USER.id, "hello")
        await house.is_asked("uwe (aloud): hello")


async def test_a_line_is_opened_for_an_earlier_session() -> None:
    async with open_line_house() as house:
        await house.call("pickup", name="notes")
        house.door.enters(LOUNGE, USER)
        assert await house.call("resume", name="notes") == "**notes** is open here already."
        told = await house.call("resume", name="notes", mode="voice")
        assert told == "Going on with **notes** in <#31>. It is hung up here."
        assert house.conversation.session.name == "notes"
        await house.call("hangup")
        told = await house.call("resume", name="notes", at=LOUNGE)
        assert told == "Going on with **notes** here."
        assert house.lines.is_open_in(LOUNGE)


async def test_a_line_ends_when_its_session_goes_on_elsewhere() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        name = house.conversation.session.name
        told = await house.call("resume", name=name)
        await house.has_ended()
        assert told == f"Going on with **{name}** here. It is hung up in <#31>."
        await until(lambda: "Its session goes on in <#11>, so I hung up here." in house.posted)
        conversation = house.conversations.in_place(HERE)
        assert conversation is not None
        assert not conversation.session.knobs.is_spoken


async def test_a_session_that_cannot_be_resumed_on_a_line_stays_where_it_is() -> None:
    async with open_line_house() as house:
        await house.call("pickup", name="notes")
        assert await house.call("resume", name="notes", mode="voice") == NOT_IN_VOICE
        house.door.enters(LOUNGE, USER)
        house.options.pipelines.fault = RuntimeError("oops")
        assert "log" in await house.call("resume", name="notes", mode="voice")
        assert house.conversations.in_place(HERE) is not None
