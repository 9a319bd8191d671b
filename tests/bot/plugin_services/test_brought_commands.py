"""Commands that plugins bring along, as they are called on Discord."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from bot.access import NOT_ON_THE_LIST, AccessPolicy, Person
from bot.commands.offered import OfferedCommands
from bot.commands.spec import CommandSpec
from bot.conversation.incoming import CommandCall
from bot.discord_io.command_table import MOST_COMMANDS, check_number, registration
from bot.plugin_services.command_book import MOST_BROUGHT, MOST_SLASH_COMMANDS, CommandBook
from bot.plugin_services.command_names import CommandKey
from bot.plugin_services.command_runs import ASKED, NOT_POSTED, CommandRuns
from bot.plugin_services.resource_texts import PromptCommand
from bot.speaker.speaker import Answered
from extensions.errors import PluginNotFoundError
from extensions.hooks import Occasion
from tests.fakes.office import HERE, Office, open_office
from tests.fakes.plugin_commands import FakePlugins, brings
from tests.fakes.waiting import until

USER = Person(id=7, name="uwe")
STRANGER = Person(id=9, name="sven")
POLICY = AccessPolicy(owner_ids=frozenset({1}), allowed_user_ids=frozenset({7}))
REVIEW = PromptCommand(
    plugin_id="ci", name="review", description="Reviews.", template="Review $ARGUMENTS."
)


async def test_a_command_is_carried_out_for_the_person_and_the_session(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        office.plugins.bring(brings("dice", "roll"))
        first = await office.call(USER, "roll", {"args": "  2d6\nand more "})
        await office.call(USER, "pickup")
        await office.call(USER, "roll")
        conversation = office.conversations.in_place(HERE)
        assert conversation is not None
        occasion = Occasion(person_id=7, guild_id=10, channel_id=11)
        assert office.plugins.ran == [
            ("dice", "roll", "2d6\nand more", occasion),
            ("dice", "roll", "", replace(occasion, session_id=conversation.session.id)),
        ]
    assert first == "-# 🧩 dice\n3"


async def test_what_a_plugin_says_keeps_its_formatting_but_misleads_nobody(
    tmp_path: Path,
) -> None:
    async with open_office(tmp_path, POLICY) as office:
        office.plugins.bring(brings("dice", "roll"))
        office.plugins.answer = "**3** @everyone [bank](https://evil.example) \u202e"
        told = await office.call(USER, "roll")
        office.plugins.answer = " \u200b "
        empty = await office.call(USER, "roll")
    assert told == "-# 🧩 dice\n**3** @\u200beveryone bank (https://evil.example)"
    assert empty == "`/roll`: done"


async def test_everybody_sees_what_a_command_answers_to_who_may_call_it(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        office.plugins.bring(brings("dice", "roll"))
        call = CommandCall(name="roll", options={}, person=USER, place=HERE)
        assert office.desk.is_for_all(call)
        assert office.desk.is_for_all(replace(call, name="x"))
        assert not office.desk.is_for_all(replace(call, person=STRANGER))
        assert not office.desk.is_for_all(replace(call, name="status"))
        assert not office.desk.is_for_all(replace(call, name="unheard of"))
        assert await office.call(STRANGER, "roll") == NOT_ON_THE_LIST.reason


async def test_a_command_that_is_gone_says_so(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        office.plugins.bring(brings("dice", "roll"))
        office.plugins.bring()
        gone = await office.call(USER, "roll")
        office.plugins.bring(brings("dice", "roll"))
        office.plugins.failure = PluginNotFoundError("dice", "it is not loaded")
        unloaded = await office.call(USER, "roll")
        assert await office.complete(USER, "unheard of", "args") == []
        assert await office.complete(USER, "roll", "other") == []
    assert "do not know the command `/roll` any more" in gone
    assert unloaded == "⚠️ /roll failed: it is not loaded"


async def test_a_command_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        office.plugins.bring(brings("dice", "roll"))
        office.plugins.held = asyncio.Event()
        book = book_of(office.plugins)
        command = book.named("roll")
        assert command is not None
        runs = replace(runs_of(office, office.plugins), run_seconds=0.0)
        assert await runs.run(command, "", USER, HERE) == "⚠️ /roll failed: it took too long"


def book_of(plugins: FakePlugins, *prompts: PromptCommand) -> CommandBook:
    book = CommandBook(plugins, OfferedCommands(), prompts=lambda: prompts)
    book.refresh()
    return book


def runs_of(office: Office, plugins: FakePlugins) -> CommandRuns:
    return CommandRuns(
        plugins=plugins,
        conversations=office.conversations,
        messages=office.messages,
        messenger=office.messenger,
        clock=office.house.clock,
    )


async def test_a_prompt_is_said_in_the_persons_stead_and_answered(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        told = await runs_of(office, office.plugins).ask(REVIEW, "src", USER, HERE)
        (asked,) = office.messenger.messages
        speaker = office.speaker()
        await until(lambda: speaker.asked == ["uwe: Review src."])
        speaker.events.put_nowait(Answered())
    assert told == ASKED
    assert asked.text == "**uwe** asks with `/review src`"


async def test_where_the_bot_cannot_write_no_prompt_is_said(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        office.messenger.closed_channels.add(HERE.channel_id)
        assert await runs_of(office, office.plugins).ask(REVIEW, "", USER, HERE) == NOT_POSTED
        assert office.speakers == {}


def test_a_prompt_is_offered_like_a_command_but_its_arguments_are_not_completed() -> None:
    book = book_of(FakePlugins([brings("ci", "run")]), REVIEW, replace(REVIEW, name="run"))
    spec, run = book.spec("review"), book.named("run")
    assert spec is not None
    assert run is not None
    assert run.prompt is None
    assert (spec.description, spec.is_for_all) == ("Reviews.", False)
    assert [option.completes for option in spec.options] == [None]


def test_there_are_never_more_commands_than_discord_takes() -> None:
    many = FakePlugins([brings("many", f"c{number}") for number in range(MOST_BROUGHT + 1)])
    offered = OfferedCommands()
    book = CommandBook(many, offered)
    book.refresh()
    told = registration(offered.all, offered.groups, in_guild=False)
    check_number(told)
    assert sum(one["type"] == 1 for one in told) == MOST_SLASH_COMMANDS == MOST_COMMANDS[1]
    assert len(list(book.all)) == MOST_BROUGHT
    assert book.called(CommandKey("many", "c0")) == "c0"
    assert book.called(CommandKey("many", "c999")) == "many:c999"


@pytest.mark.parametrize(
    ("description", "shown"),
    [
        ("", "A command of the plugin dice."),
        ("\u200b \n", "A command of the plugin dice."),
        ("Two\nlines\u202e", "Two lines"),
        ("x" * 120, "x" * 99 + "…"),
    ],
)
def test_discord_takes_every_description(description: str, shown: str) -> None:
    spec = book_of(FakePlugins([brings("dice", "roll", description)])).spec("roll")
    assert isinstance(spec, CommandSpec)
    assert spec.description == shown
