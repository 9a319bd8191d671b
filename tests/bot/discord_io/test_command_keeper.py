"""Commands that come and go while the bot runs, on the real discord.py."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.commands.offered import OfferedCommands
from bot.commands.table import COMMANDS
from bot.discord_io.command_store import CommandStore
from bot.discord_io.options import CommandPauses
from bot.migrations import migrations
from extensions.database import open_database
from simulator.discord import DiscordSimulator, running_discord
from simulator.discord.journal import CommandsRegistered
from tests.fakes.discord_bot import bot_on, options_for
from tests.fakes.listener import FakeListener
from tests.fakes.waiting import until

ROLL = replace(COMMANDS[0], name="roll", description="Rolls dice.", options=())
EVERYWHERE = "/applications/{application_id}/commands"


def registrations(discord: DiscordSimulator) -> int:
    return len(discord.journal.of(CommandsRegistered))


async def test_discord_offers_what_is_added_and_takes_back_what_is_gone(tmp_path: Path) -> None:
    offered, listener = OfferedCommands(), FakeListener()
    listener.for_all = {"roll"}
    async with (
        running_discord(tmp_path) as discord,
        bot_on(discord, listener, offered=offered) as link,
    ):
        await until(lambda: link.commands_are_registered)
        offered.add([ROLL])
        await until(lambda: "roll" in discord.commands)
        await until(lambda: link.commands_are_registered)
        assert link.mention("roll") == f"</roll:{link.command_ids['roll']}>"
        reply = await discord.person("alice").slash(discord.text_channel("general"), "roll")
        assert reply.text == "/roll is done."
        offered.add([])
        await until(lambda: "roll" not in discord.commands)


async def test_at_the_start_discord_is_told_once_of_all_that_comes_late(tmp_path: Path) -> None:
    async with (
        running_discord(tmp_path) as discord,
        open_database(tmp_path / "papercup.db", migrations()) as database,
    ):
        for _ in range(2):
            await start_with_late_command(discord, CommandStore(database))
        assert "roll" in discord.commands
        assert registrations(discord) == 1


async def start_with_late_command(discord: DiscordSimulator, store: CommandStore) -> None:
    offered = OfferedCommands(is_settled=False)
    async with bot_on(discord, FakeListener(), offered=offered, commands=store) as link:
        assert not link.commands_are_registered
        offered.add([ROLL])
        offered.settle()
        await until(lambda: link.commands_are_registered)


async def test_who_does_not_come_in_time_is_not_waited_for(tmp_path: Path) -> None:
    offered = OfferedCommands(is_settled=False)
    async with running_discord(tmp_path) as discord:
        pauses = CommandPauses(start_seconds=0.0, settle_seconds=0.0, between_seconds=0.0)
        options = replace(options_for(discord), command_pauses=pauses)
        async with bot_on(discord, FakeListener(), options, offered=offered) as link:
            await until(lambda: link.commands_are_registered)
            offered.add([ROLL])
            await until(lambda: "roll" in discord.commands)


async def test_what_discord_did_not_take_is_told_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with running_discord(tmp_path) as discord:
        discord.fail_next("PUT /applications", 403)
        options = replace(options_for(discord), command_pauses=CommandPauses(retry_seconds=0.01))
        async with bot_on(discord, FakeListener(), options) as link:
            await until(lambda: link.commands_are_registered)
    assert "the commands could not be registered" in caplog.text
