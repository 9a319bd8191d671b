"""The real Discord side of the bot, logged in to a simulated Discord."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from bot.conversation.incoming import Listener
from bot.discord_io.client import DiscordLink, DiscordOptions, Endpoint, run_discord
from simulator.discord import DiscordSimulator


def options_for(discord: DiscordSimulator, *, token: str = "") -> DiscordOptions:
    return DiscordOptions(
        token=token or discord.token,
        endpoint=Endpoint(host=discord.host, port=discord.tls_port, ca_path=discord.ca_path),
        first_retry_seconds=0.01,
    )


@asynccontextmanager
async def bot_on(
    discord: DiscordSimulator, listener: Listener, options: DiscordOptions | None = None
) -> AsyncGenerator[DiscordLink]:
    """Run it while the block lasts, which begins when it hears people."""
    link = DiscordLink()
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(run_discord(link, listener, options or options_for(discord)))
        async with asyncio.timeout(20):
            await link.ready.wait()
        yield link
        running.cancel()
