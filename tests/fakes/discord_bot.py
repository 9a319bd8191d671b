"""The real Discord side of the bot, logged in to a simulated Discord."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from bot.commands.offered import OfferedCommands
from bot.conversation.incoming import Listener
from bot.discord_io.client import run_discord
from bot.discord_io.command_store import CommandStore
from bot.discord_io.link import DiscordLink
from bot.discord_io.options import CommandPauses, DiscordOptions, Endpoint
from simulator.discord import DiscordSimulator


def options_for(discord: DiscordSimulator, *, token: str = "") -> DiscordOptions:
    return DiscordOptions(
        token=token or discord.token,
        endpoint=Endpoint(host=discord.host, port=discord.tls_port, ca_path=discord.ca_path),
        first_retry_seconds=0.01,
        command_pauses=CommandPauses(settle_seconds=0.01, between_seconds=0.01),
    )


@asynccontextmanager
async def bot_on(
    discord: DiscordSimulator,
    listener: Listener,
    options: DiscordOptions | None = None,
    *,
    commands: CommandStore | None = None,
    offered: OfferedCommands | None = None,
    link: DiscordLink | None = None,
) -> AsyncGenerator[DiscordLink]:
    """Run it while the block lasts, which begins when it hears people."""
    link = link or DiscordLink()
    async with asyncio.TaskGroup() as tasks:
        options = options or options_for(discord)
        running = tasks.create_task(
            run_discord(link, listener, options, commands=commands, offered=offered)
        )
        async with asyncio.timeout(20):
            await link.ready.wait()
        yield link
        running.cancel()
