"""The stage of the demo of plugins: who is there, and what they do on it."""

import asyncio
import time
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from simulator.demo.bot_process import BotProcess
from simulator.demo.chat import Chat
from simulator.demo.key_hunt import descendants
from simulator.demo.report import Report
from simulator.discord import DiscordSimulator, Person, TextChannel
from simulator.discord.model import Message

_SECONDS = 30.0
_LOOK_SECONDS = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """What a command printed in a terminal, and how it ended."""

    text: str
    code: int
    seconds: float
    """How long it took."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginsStage:
    """All that the acts have to do with."""

    discord: DiscordSimulator
    channel: TextChannel
    alice: Person
    bob: Person
    bot: BotProcess
    plugins: Path
    """The folder in which the bot finds plugins."""
    papercup: Sequence[str]
    """How the program is called, whatever it is to do."""
    config: Path
    environment: Mapping[str, str]
    """That of the bot."""
    desk: Path
    """The folder in which the terminal is."""
    chat: Chat
    report: Report
    take_picture: Callable[[str], None]
    """Given what Alice sees at the moment that a picture shows best, as a page."""

    async def says(self, text: str, answered: Callable[[str], bool] = bool) -> Message:
        """Have Alice say something, and return the whole answer once it is as expected."""
        question = self.alice.say(self.channel, text)
        self.chat.show(question)
        answer = await self.alice.sees(
            self.channel,
            lambda message: message.reply_to == question.id and answered(message.text),
            after=question,
            timeout_seconds=_SECONDS,
        )
        self.chat.show(answer)
        return answer

    async def command(self, name: str, /, **options: str) -> str:
        """Have Alice call a command, as soon as there is one, and return what it says."""
        await self.discord.commands_registered(name, timeout_seconds=_SECONDS)
        shown = " ".join([f"/{name}", *(f"{key}:{value}" for key, value in options.items())])
        self.chat.act(self.alice.account, shown)
        reply = await self.alice.slash(self.channel, name, timeout_seconds=_SECONDS, **options)
        assert reply.message is not None, "a command answers with a message"
        self.chat.show(reply.message)
        return reply.message.text

    async def press(self, message: Message, label: str) -> None:
        """Have Alice press a button."""
        self.chat.act(self.alice.account, f"[ {label} ]")
        await self.alice.click(message, label=label)

    async def sees(
        self, wanted: Callable[[Message], bool], *, after: Message | None = None
    ) -> Message:
        """Wait until Alice sees such a message, and return it."""
        message = await self.alice.sees(self.channel, wanted, after=after, timeout_seconds=_SECONDS)
        self.chat.show(message)
        return message

    async def operator(self, *words: str, shows_end: bool = False) -> str:
        """Have the operator call `papercup` beside the bot, and return what it prints.

        Args:
            *words: What is typed behind it.
            shows_end: Whether only the last line is shown of what it prints.
        """
        printed = await self.terminal(*words, beside_bot=True, shows_end=shows_end)
        return printed.text

    async def terminal(
        self, *words: str, beside_bot: bool = False, shows_end: bool = False
    ) -> Printed:
        """Have somebody call `papercup` in a terminal, and return what comes of it.

        Args:
            *words: What is typed behind it.
            beside_bot: Whether it is about the bot, and so has to know its configuration.
            shows_end: Whether only the last line is shown of what it prints.
        """
        began = time.monotonic()
        process = await asyncio.create_subprocess_exec(
            *self.papercup,
            *words,
            *(("--config", str(self.config)) if beside_bot else ()),
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=STDOUT,
            env=self.environment,
            cwd=self.desk,
        )
        async with asyncio.timeout(_SECONDS):
            output, _ = await process.communicate()
        text = output.decode(errors="replace").strip()
        code = process.returncode
        assert code is not None, "its output is over, and it was waited for"
        shown = text.splitlines()[-1:] if shows_end else [text]
        told = "".join(shown).replace(f"{self.environment.get('HOME')}/", "~/")
        self.chat.terminal(f"papercup {' '.join(words)}", told)
        return Printed(text=text, code=code, seconds=time.monotonic() - began)

    def process_of(self, plugin: str) -> int | None:
        """Return the process of a plugin; `None` if there is none."""
        for process in descendants(self.bot.process.pid):
            try:
                command = Path(f"/proc/{process}/cmdline").read_bytes()
                is_there = Path(f"/proc/{process}/cwd").samefile(self.plugins / plugin)
            except OSError:  # it has just ended
                continue
            if is_there and b"python" in command:
                return process
        return None

    async def stands(self, plugin: str, *wanted: str) -> str:
        """Wait until people are told one of these of a plugin, and return what they are told."""
        async with asyncio.timeout(_SECONDS):
            while True:
                told = await self.alice.slash(self.channel, "plugin info", name=plugin)
                if any(each in told.text for each in wanted) and told.message is not None:
                    self.chat.act(self.alice.account, f"/plugin info name:{plugin}")
                    self.chat.show(told.message)
                    return told.text
                await asyncio.sleep(_LOOK_SECONDS)
