"""Keeps Discord told of the commands, also while others come and go."""

import asyncio
import logging
from typing import NoReturn

import discord

from bot.discord_io.commands import CommandRegister
from bot.discord_io.link import DiscordLink
from bot.discord_io.options import CommandPauses

logger = logging.getLogger(__name__)


class CommandKeeper:
    """Sees to it that Discord offers what there is.

    Args:
        register: Tells it.
        link: What the rest of the program holds of Discord.
        pauses: How long is waited.
    """

    def __init__(
        self, register: CommandRegister, link: DiscordLink, pauses: CommandPauses | None = None
    ) -> None:
        self._register = register
        self._link = link
        self._pauses = pauses or CommandPauses()
        self._client: discord.Client | None = None
        self._news = asyncio.Event()
        self._changes = 0
        """How many there have been."""

    def connected(self, client: discord.Client) -> None:
        """Go on with a client that is logged in."""
        self._client = client
        self._news.set()

    def client_gone(self) -> None:
        """Wait until there is another client."""
        self._client = None

    async def run(self) -> NoReturn:
        """Keep it told until cancelled."""
        offered = self._register.offered
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._hear_of_changes())
            await offered.settled(within_seconds=self._pauses.start_seconds)
            failures = 0
            while True:
                await self._wait_for_news(failures)
                client = self._client
                if client is not None and not self._link.commands_are_registered:
                    failures = 0 if await self._tell(client) else failures + 1

    async def _hear_of_changes(self) -> NoReturn:
        while True:
            await self._register.offered.change()
            await asyncio.sleep(self._pauses.settle_seconds)
            self._changes += 1
            self._link.commands_are_registered = False
            self._news.set()
            await asyncio.sleep(self._pauses.between_seconds)

    async def _wait_for_news(self, failures: int) -> None:
        """Wait until something has to be told; after a failure, no longer than a while."""
        seconds = self._pauses.retry_seconds * 2.0 ** (min(failures, 20) - 1)
        longest = min(seconds, self._pauses.longest_retry_seconds) if failures else None
        try:
            async with asyncio.timeout(longest):
                await self._news.wait()
        except TimeoutError:
            return
        self._news.clear()

    async def _tell(self, client: discord.Client) -> bool:
        """Tell Discord; returns whether it took it."""
        changes = self._changes
        try:
            await self._register.register(client)
        except Exception:
            logger.exception("the commands could not be registered")
            return False
        self._link.commands_are_registered = self._changes == changes
        return True
