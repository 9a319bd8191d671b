"""Commands of plugins that stand in messages, with real conversations and a real store."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from bot.access import NOT_ON_THE_LIST, AccessPolicy, Person
from bot.commands.offered import OfferedCommands
from bot.conversation.incoming import IncomingMessage
from bot.conversation.intake import NOT_TAKEN
from bot.conversation.message_record import MessageState
from bot.messenger import MessengerError
from bot.plugin_services.command_book import CommandBook
from bot.plugin_services.command_runs import CommandRuns
from bot.plugin_services.resource_texts import PromptCommand, Skill
from bot.plugin_services.typed_commands import (
    BROKEN_OFF,
    MOST_OF_ONE_PERSON,
    TOO_MANY,
    WENT_WRONG,
    TypedCommands,
    TypedParts,
    split_command,
    taking_typed_commands,
)
from bot.speaker.speaker import Answered
from bot.text.layout import lay_out
from extensions.hooks import Occasion
from tests.fakes.office import HERE, NOW, Office, open_office
from tests.fakes.plugin_commands import brings
from tests.fakes.waiting import until

USER = Person(id=7, name="uwe")
STRANGER = Person(id=9, name="sven")
POLICY = AccessPolicy(owner_ids=frozenset({1}), allowed_user_ids=frozenset({7}))
REVIEW = PromptCommand(plugin_id="ci", name="review", description="", template="Review $1.")
ODDS = Skill(plugin_id="dice", name="odds")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("/roll", ("roll", "")),
        (" /roll  2d6  and\nmore ", ("roll", "2d6  and\nmore")),
        ("/dice:roll\n2d6", ("dice:roll", "2d6")),
        ("/", ("", "")),
        ("/ roll", ("", "roll")),
        ("roll /roll", ("", "roll /roll")),
        ("", ("", "")),
        ("//roll", ("/roll", "")),
    ],
)
def test_a_command_is_a_word_behind_a_slash(text: str, parts: tuple[str, str]) -> None:
    assert split_command(text) == parts


@pytest.mark.parametrize("text", ["/roll 2d6", "/dice:roll 2d6", "/ROLL 2d6"])
async def test_a_message_that_is_a_command_is_carried_out_and_no_model_hears_of_it(
    tmp_path: Path, text: str
) -> None:
    async with open_office(tmp_path, POLICY) as office:
        office.plugins.bring(brings("dice", "roll"))
        ref = await office.say(USER, text)
        await until(lambda: bool(office.messenger.messages))
        (answer,) = office.messenger.messages
        occasion = Occasion(person_id=7, guild_id=10, channel_id=11)
        assert office.plugins.ran == [("dice", "roll", "2d6", occasion)]
        assert (answer.text, answer.reply_to) == ("-# 🧩 dice\n3", ref)
        await has_ended(office, ref.message_id)
        assert office.speakers == {}


async def has_ended(office: Office, message_id: int) -> None:
    """Wait until nothing more is to be done about a message."""
    async with asyncio.timeout(5):
        while any(each.ref.message_id == message_id for each in await office.messages.unanswered()):
            pass  # each look at the store lets the others go on


@pytest.mark.parametrize("text", ["/rool 2d6", "/echo:roll", "roll", "/skill:gone x", "/status"])
async def test_what_is_no_command_is_said_to_the_speaker(tmp_path: Path, text: str) -> None:
    async with open_office(tmp_path, POLICY) as office:
        office.plugins.bring(brings("dice", "roll"), brings("ci", "status"))
        await office.say(USER, text)
        await until(lambda: office.speaker().asked == [f"uwe: {text}"])
        office.speaker().events.put_nowait(Answered())
        assert office.plugins.ran == []


async def test_who_may_not_talk_runs_nothing(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        office.plugins.bring(brings("dice", "roll"))
        await office.say(STRANGER, "/roll")
        await office.desk.message_arrived(office.message(USER, "/roll", mentions=False))
        assert [each.text for each in office.messenger.messages] == [NOT_ON_THE_LIST.reason]
        assert office.plugins.ran == []


async def test_a_message_that_is_told_twice_or_edited_later_is_carried_out_once(
    tmp_path: Path,
) -> None:
    async with open_office(tmp_path, POLICY) as office:
        office.plugins.bring(brings("dice", "roll"))
        message = office.message(USER, "/roll 1")
        await office.desk.message_arrived(message)
        await office.desk.message_arrived(message)
        await office.desk.message_edited(replace(message, text="/roll 2"))
        await until(lambda: bool(office.messenger.messages))
        assert [raw for *_, raw, _ in office.plugins.ran] == ["1"]


async def test_a_long_answer_comes_in_as_many_messages_as_it_needs(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        office.plugins.bring(brings("dice", "roll"))
        office.plugins.answer = "\n".join(f"line {number}" for number in range(400))
        await office.say(USER, "/roll")
        await until(lambda: len(office.messenger.messages) == 2)
        office.plugins.answer = "word " * 5000
        await office.say(USER, "/roll")
        await until(lambda: len(office.messenger.messages) == 3)
    assert [len(each.versions[0].files) for each in office.messenger.messages] == [0, 0, 1]


async def test_one_person_has_only_a_few_carried_out_at_the_same_time(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        office.plugins.bring(brings("dice", "roll"))
        office.plugins.held = asyncio.Event()
        await office.say(USER, "/roll")
        await until(lambda: office.messenger.typing_in == [HERE.channel_id])
        for _ in range(MOST_OF_ONE_PERSON):
            await office.say(USER, "/roll")
        assert [each.text for each in office.messenger.messages] == [TOO_MANY]
        office.plugins.held.set()
        await until(lambda: len(office.messenger.messages) == MOST_OF_ONE_PERSON + 1)
        await office.say(USER, "/roll")
        await until(lambda: len(office.messenger.messages) == MOST_OF_ONE_PERSON + 2)
    assert [each.text for each in office.messenger.messages].count(TOO_MANY) == 1


async def test_what_is_broken_off_is_not_begun_again_but_a_later_bot_says_so(
    tmp_path: Path,
) -> None:
    async with open_office(tmp_path, POLICY) as office:
        office.plugins.bring(brings("dice", "roll"))
        office.plugins.held = asyncio.Event()
        ref = await office.say(USER, "/roll")
        await until(lambda: len(office.plugins.ran) == 1)
    async with open_office(tmp_path, POLICY) as office:
        office.plugins.bring(brings("dice", "roll"))
        await office.desk.catch_up()
        await until(lambda: bool(office.messenger.messages))
        (told,) = office.messenger.messages
        assert (told.text, told.reply_to) == (BROKEN_OFF, ref)
        assert office.plugins.ran == []


async def test_a_command_that_was_written_while_nobody_heard_it_is_carried_out(
    tmp_path: Path,
) -> None:
    async with open_office(tmp_path, POLICY) as office:
        office.plugins.bring(brings("dice", "roll"))
        await office.call(USER, "pickup")
        heard = office.message(USER)
        missed = office.message(USER, "/roll 2d6")
        assert missed.ref.message_id > heard.ref.message_id
        office.history.messages = [missed]
        office.house.clock.advance(60.0)
        await office.desk.catch_up()
        await until(lambda: len(office.plugins.ran) == 1)


@asynccontextmanager
async def typed(
    office: Office, prompts: Sequence[PromptCommand] = (), skills: Sequence[Skill] = ()
) -> AsyncGenerator[TypedCommands]:
    """Take typed commands with those of the office's plugins, and these."""
    book = CommandBook(
        office.plugins, OfferedCommands(), prompts=lambda: prompts, skills=lambda: skills
    )
    book.refresh()
    parts = TypedParts(
        book=book,
        runs=CommandRuns(
            plugins=office.plugins,
            conversations=office.conversations,
            messages=office.messages,
            messenger=office.messenger,
            clock=office.house.clock,
        ),
        messages=office.messages,
        messenger=office.messenger,
        lay_out=lay_out,
    )
    async with taking_typed_commands(parts) as commands:
        yield commands


async def taken(commands: TypedCommands, message: IncomingMessage) -> str | None:
    left = await commands.take(message, at=NOW)
    return None if left is None else left.text


async def test_prompts_and_skills_change_what_is_said_to_the_speaker(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office, typed(office, [REVIEW], [ODDS]) as commands:
        for text, said in {
            "/review src": "Review src.",
            "/ci:review src": "Review src.",
            "/skill:odds of 2d6": "Use the skill `dice:odds` for this.\n\nof 2d6",
            "/skill:dice:odds": "Use the skill `dice:odds` for this.",
            "/skill:other x": "/skill:other x",
        }.items():
            assert await taken(commands, office.message(USER, text)) == said


async def test_a_command_that_breaks_says_so_and_the_next_one_works(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_office(tmp_path, POLICY) as office:
        office.plugins.bring(brings("dice", "roll"))
        office.plugins.failure = RuntimeError("a bug")
        await office.say(USER, "/roll")
        await until(lambda: len(office.messenger.messages) == 1)
        office.plugins.failure = None
        await office.say(USER, "/roll")
        await until(lambda: len(office.messenger.messages) == 2)
    assert [each.text for each in office.messenger.messages] == [WENT_WRONG, "-# 🧩 dice\n3"]
    assert "its command broke" in caplog.text


async def test_a_message_that_cannot_be_stored_is_not_carried_out_and_that_is_said(
    tmp_path: Path,
) -> None:
    class FullStore:
        async def accept(self, *_: object, **__: object) -> bool:
            raise sqlite3.OperationalError("disk I/O error")

    async with open_office(tmp_path, POLICY) as office:
        office.plugins.bring(brings("dice", "roll"))
        async with typed(replace(office, messages=FullStore())) as commands:  # type: ignore[arg-type]
            assert await taken(commands, office.message(USER, "/roll")) is None
    assert [each.text for each in office.messenger.messages] == [NOT_TAKEN]
    assert office.plugins.ran == []


async def test_an_answer_is_tried_again_unless_that_is_of_no_use(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        office.plugins.bring(brings("dice", "roll"))
        office.messenger.failures.append(MessengerError("a fault"))
        await office.say(USER, "/roll")
        await until(lambda: bool(office.messenger.messages))
        office.messenger.failures.append(MessengerError("forbidden", is_final=True))
        ref = await office.say(USER, "/roll")
        await has_ended(office, ref.message_id)
        assert await office.messages.state_of(ref) is MessageState.ANSWERED
        assert len(office.messenger.messages) == 1
