"""A bot that runs as a child, on a Discord and a model of the benchmark's own."""

import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from simulator.demo.bot_process import BotEndedError, BotProcess, running_bot
from simulator.discord import DiscordSimulator, Person, TextChannel, running_discord
from simulator.discord.errors import SimulatorError
from simulator.discord.model import Message
from simulator.messages_api import Script, running_messages_api

COMMAND = (sys.executable, "-m", "bot", "run")
"""What starts a bot."""

_START_SECONDS = 40.0
_WAIT_SECONDS = 30.0


class BotStuckError(Exception):
    """The bot did not do what was waited for."""

    def __init__(self, reason: str, log_tail: str) -> None:
        super().__init__(reason, log_tail)
        self.reason = reason
        self.log_tail = log_tail

    def __str__(self) -> str:
        return f"{self.reason}\nThe end of the bot's log:\n{self.log_tail}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A bot, and its owner in a channel."""

    discord: DiscordSimulator
    channel: TextChannel
    alice: Person
    bot: BotProcess

    async def answer(self, text: str, expected: str) -> tuple[Message, Message]:
        """Have Alice say `text`; return that, and the answer once it says what is expected."""
        question = self.alice.say(self.channel, text)
        answer = await self.sees(
            lambda message: message.reply_to == question.id and message.text == expected
        )
        return question, answer

    async def sees(self, wanted: Callable[[Message], bool]) -> Message:
        """Wait until Alice sees such a message, and return it."""
        return await self.alice.sees(self.channel, wanted, timeout_seconds=_WAIT_SECONDS)


@asynccontextmanager
async def running_stage(
    folder: Path, script: Script, settings: Mapping[str, str]
) -> AsyncGenerator[Stage, None]:
    """Run a bot that is logged in and has its commands, while the block lasts.

    Args:
        folder: Where all of it keeps its files.
        script: What the model says.
        settings: Further lines of the bot's configuration: the whole key, and the value as TOML.

    Raises:
        BotStuckError: If the bot did not do what was waited for, in the block too.
    """
    async with (
        running_discord(folder) as discord,
        running_messages_api(script) as api,
        running_bot(COMMAND, folder, discord, api, settings) as bot,
    ):
        alice = discord.person("Alice", is_owner=True)
        async with telling_if_stuck(bot):
            await bot.connected(discord, timeout_seconds=_START_SECONDS)
            await discord.commands_registered("pickup", timeout_seconds=_START_SECONDS)
            yield Stage(
                discord=discord, channel=discord.text_channel("general"), alice=alice, bot=bot
            )


@asynccontextmanager
async def telling_if_stuck(bot: BotProcess) -> AsyncGenerator[None, None]:
    """Have a wait that was in vain say how the bot's log ends.

    Raises:
        BotStuckError: If the bot did not do what was waited for in the block.
    """
    try:
        yield
    except (TimeoutError, BotEndedError, SimulatorError) as error:
        raise BotStuckError(repr(error), bot.log_tail()) from error
