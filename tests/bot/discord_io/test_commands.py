from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import discord as discord_py
import pytest

from bot.commands.offered import OfferedCommands
from bot.commands.spec import CommandKind
from bot.commands.table import COMMANDS
from bot.discord_io.command_store import CommandStore
from bot.discord_io.commands import CommandRegister
from bot.discord_io.errors import TooManyCommandsError
from bot.discord_io.link import DiscordLink
from bot.migrations import migrations
from extensions.database import open_database
from simulator.discord import DiscordSimulator, running_discord
from simulator.discord.journal import CommandsRegistered
from tests.fakes.discord_bot import bot_on, options_for
from tests.fakes.listener import FakeListener
from tests.fakes.waiting import until

SLASH = [command for command in COMMANDS if command.kind is CommandKind.SLASH]
OFFERED = sorted(command.name for command in SLASH)
EVERYWHERE = "/applications/{application_id}/commands"
IN_GUILD = "/applications/{application_id}/guilds/{guild_id}/commands"


def registrations(discord: DiscordSimulator) -> list[tuple[int | None, int]]:
    """Return where commands were registered, and how many."""
    told = discord.journal.of(CommandsRegistered)
    return [(registered.guild_id, len(registered.names)) for registered in told]


def requests(discord: DiscordSimulator) -> int:
    """Return how many requests about commands were made."""
    asked = (discord.journal.requests(route=route) for route in (EVERYWHERE, IN_GUILD))
    return sum(map(len, asked))


def slash_commands(discord: DiscordSimulator) -> list[str]:
    return sorted(set(discord.commands) & set(OFFERED))


@asynccontextmanager
async def command_store(tmp_path: Path) -> AsyncIterator[CommandStore]:
    async with open_database(tmp_path / "papercup.db", migrations()) as database:
        yield CommandStore(database)


@asynccontextmanager
async def registered_bot(
    discord: DiscordSimulator, store: CommandStore | None = None, *, in_guild: bool = False
) -> AsyncIterator[DiscordLink]:
    """Run the bot until its commands are registered, and then while the block lasts."""
    guild_ids = (discord.guild.id,) if in_guild else ()
    options = replace(options_for(discord), command_guild_ids=guild_ids)
    async with bot_on(discord, FakeListener(), options, commands=store) as link:
        await until(lambda: link.commands_are_registered)
        yield link


async def test_commands_are_registered_everywhere_and_not_again_when_unchanged(
    tmp_path: Path,
) -> None:
    async with running_discord(tmp_path) as discord:
        async with registered_bot(discord):
            assert slash_commands(discord) == OFFERED
        async with registered_bot(discord):
            pass
        assert [guild_id for guild_id, _ in registrations(discord)] == [None]


async def test_discord_is_not_even_asked_when_it_was_told_the_same_before(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, command_store(tmp_path) as store:
        async with registered_bot(discord, store) as link:
            ids = link.command_ids
        asked = requests(discord)
        async with registered_bot(discord, store) as link:
            assert requests(discord) == asked == 2
            assert link.command_ids == ids


async def test_commands_of_another_version_are_registered_anew(tmp_path: Path) -> None:
    older = [replace(COMMANDS[0], description="As it was."), *COMMANDS[1:-1]]
    async with running_discord(tmp_path) as discord, command_store(tmp_path) as store:
        async with registered_bot(discord, store), logged_in(discord) as client:
            await CommandRegister((), store, offered=OfferedCommands(older)).register(client)
        async with registered_bot(discord, store) as link:
            assert link.command_ids.keys() == {command.name.split()[0] for command in SLASH} | {
                command.name for command in COMMANDS if command.kind is CommandKind.MESSAGE
            }
        assert len(registrations(discord)) == 3


@asynccontextmanager
async def logged_in(discord: DiscordSimulator) -> AsyncIterator[discord_py.Client]:
    """Return a client that makes requests, and hears nothing."""
    connector = options_for(discord).connector()
    client = discord_py.Client(intents=discord_py.Intents.none(), connector=connector)
    async with client:
        await client.login(discord.token)
        yield client


async def test_commands_for_a_guild_take_the_place_of_those_for_everywhere(
    tmp_path: Path,
) -> None:
    async with running_discord(tmp_path) as discord:
        async with registered_bot(discord):
            pass
        for _ in range(2):
            async with registered_bot(discord, in_guild=True):
                assert slash_commands(discord) == OFFERED
        assert registrations(discord)[1] == (None, 0)
        assert [guild_id for guild_id, _ in registrations(discord)] == [
            None,
            None,
            discord.guild.id,
        ]


async def test_commands_for_everywhere_take_the_place_of_those_for_a_guild(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, command_store(tmp_path) as store:
        async with registered_bot(discord, store, in_guild=True):
            pass
        async with registered_bot(discord, store):
            assert slash_commands(discord) == OFFERED
        told = registrations(discord)
        assert told[-1] == (discord.guild.id, 0)
        async with registered_bot(discord, store):
            assert registrations(discord) == told


async def test_commands_that_could_not_be_registered_harm_nothing_and_are_tried_again(
    tmp_path: Path,
) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord:
        discord.fail_next("PUT /applications", 403)
        async with bot_on(discord, listener) as link:
            discord.person("alice").say(discord.text_channel("general"), "hello")
            await until(lambda: len(listener.messages) == 1)
            await until(lambda: len(discord.journal.requests("PUT", EVERYWHERE)) == 1)
            assert not link.commands_are_registered
            await discord.drop_gateway(4000)
            await until(lambda: link.commands_are_registered)


async def test_a_guild_that_refuses_the_commands_does_not_keep_them_from_the_others(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with running_discord(tmp_path) as discord:
        options = replace(options_for(discord), command_guild_ids=(99, discord.guild.id))
        async with bot_on(discord, FakeListener(), options) as link:
            await discord.commands_registered("status")
            await until(lambda: "the commands of guild 99" in caplog.text)
            assert not link.commands_are_registered


async def test_a_guild_to_which_the_bot_comes_back_is_told_of_the_commands_anew(
    tmp_path: Path,
) -> None:
    async with (
        running_discord(tmp_path) as discord,
        command_store(tmp_path) as store,
        logged_in(discord) as client,
    ):
        guild_id = discord.guild.id
        register = CommandRegister([guild_id], store)
        assert (register.is_for(guild_id), register.is_for(99)) == (True, False)
        await register.register(client)
        # Discord forgets a guild's commands when the bot is thrown out of it.
        del discord._core.world.commands[guild_id]
        await register.register(client)
        assert discord.commands == []
        await register.register_anew(client, guild_id)
        assert slash_commands(discord) == OFFERED


async def test_a_message_names_a_command_so_that_it_can_be_clicked(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord:
        for in_guild in (False, True):
            async with registered_bot(discord, in_guild=in_guild) as link:
                jobs = link.command_ids["jobs"]
                assert link.mention("jobs show") == f"</jobs show:{jobs}>"
                assert link.mention("unheard of") == "/unheard of"
    assert DiscordLink().mention("jobs show") == "/jobs show"


def test_more_commands_than_discord_takes_are_refused_at_once() -> None:
    many = [replace(SLASH[0], name=f"pickup-{number}") for number in range(101)]
    with pytest.raises(TooManyCommandsError):
        CommandRegister(offered=OfferedCommands(many))
