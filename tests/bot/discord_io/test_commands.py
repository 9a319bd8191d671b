from dataclasses import replace
from pathlib import Path

from simulator.discord import DiscordSimulator, running_discord
from simulator.discord.journal import CommandsRegistered
from tests.fakes.discord_bot import bot_on, options_for
from tests.fakes.listener import FakeListener
from tests.fakes.waiting import until

OFFERED = ["cancel", "hangup", "jobs list", "notify", "pickup", "status"]


def registrations(discord: DiscordSimulator) -> list[tuple[int | None, tuple[str, ...]]]:
    told = discord.journal.of(CommandsRegistered)
    return [(registered.guild_id, registered.names) for registered in told]


async def test_commands_are_registered_everywhere_and_not_again_when_unchanged(
    tmp_path: Path,
) -> None:
    async with running_discord(tmp_path) as discord:
        async with bot_on(discord, FakeListener()) as link:
            await until(lambda: link.commands_are_registered)
            assert sorted(discord.commands) == OFFERED
        async with bot_on(discord, FakeListener()) as link:
            await until(lambda: link.commands_are_registered)
        assert [guild_id for guild_id, _ in registrations(discord)] == [None]


async def test_commands_for_a_guild_take_the_place_of_those_for_everywhere(
    tmp_path: Path,
) -> None:
    async with running_discord(tmp_path) as discord:
        options = replace(options_for(discord), command_guild_ids=(discord.guild.id,))
        async with bot_on(discord, FakeListener()) as link:
            await until(lambda: link.commands_are_registered)
        for _ in range(2):
            async with bot_on(discord, FakeListener(), options) as link:
                await until(lambda: link.commands_are_registered)
                assert sorted(discord.commands) == OFFERED
        assert [guild_id for guild_id, _ in registrations(discord)] == [
            None,
            None,
            discord.guild.id,
        ]


async def test_commands_that_could_not_be_registered_harm_nothing_and_are_tried_again(
    tmp_path: Path,
) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord:
        discord.fail_next("PUT /applications", 403)
        async with bot_on(discord, listener) as link:
            discord.person("alice").say(discord.text_channel("general"), "hello")
            await until(lambda: len(listener.messages) == 1)
            route = "/applications/{application_id}/commands"
            await until(lambda: len(discord.journal.requests("PUT", route)) == 1)
            assert not link.commands_are_registered
            await discord.drop_gateway(4000)
            await until(lambda: link.commands_are_registered)
