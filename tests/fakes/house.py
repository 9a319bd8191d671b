"""A whole Papercup as a child process, on the stand-ins, for end-to-end tests."""

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from simulator.demo.bot_process import BotProcess, end_runs, running_bot
from simulator.discord import DiscordSimulator, Person, TextChannel, running_discord
from simulator.discord.model import Message
from simulator.messages_api import MessagesApi, Script, running_messages_api

BOT_COMMAND = [sys.executable, "-m", "bot", "run"]
SECONDS = 30.0


@dataclass
class House:
    """The stand-ins; bots come and go in it."""

    folder: Path
    discord: DiscordSimulator
    api: MessagesApi
    olga: Person
    """The owner."""
    channel: TextChannel

    @asynccontextmanager
    async def bot(self, **settings: str) -> AsyncGenerator[BotProcess, None]:
        """Run a bot that is connected while the block lasts.

        Args:
            **settings: Lines of its configuration, with `__` for the point in a key.
        """
        lines = {key.replace("__", "."): value for key, value in settings.items()}
        async with running_bot(BOT_COMMAND, self.folder, self.discord, self.api, lines) as bot:
            await bot.connected(self.discord, timeout_seconds=SECONDS)
            yield bot

    async def ask(self, text: str, wanted: str = "", *, person: Person | None = None) -> Message:
        """Say something, and return the answer once `wanted` stands in it."""
        person = person or self.olga
        question = person.say(self.channel, text)
        return await person.sees(
            self.channel,
            lambda m: m.reply_to == question.id and bool(m.text) and wanted in m.text,
            after=question,
            timeout_seconds=SECONDS,
        )

    async def sees(self, wanted: str, *, after: Message | None = None) -> Message:
        """Return the newest message that says `wanted`, once there is one."""
        return await self.olga.sees(self.channel, wanted, after=after, timeout_seconds=SECONDS)

    async def slash(self, command: str) -> str:
        """Call a command, and return what it says."""
        return (await self.olga.slash(self.channel, command)).text

    async def notify(self) -> None:
        """Open a conversation in which notices are on."""
        await self.olga.slash(self.channel, "pickup")
        await self.olga.slash(self.channel, "notify", state="on")


@asynccontextmanager
async def open_house(folder: Path, script: Script) -> AsyncGenerator[House, None]:
    """Put the stand-ins up while the block lasts."""
    async with running_discord(folder) as discord, running_messages_api(script) as api:
        try:
            yield House(
                folder=folder,
                discord=discord,
                api=api,
                olga=discord.person("olga", is_owner=True),
                channel=discord.text_channel("general"),
            )
        finally:
            end_runs(folder / "data")
