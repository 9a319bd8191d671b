"""Where an example plugin is shown: what people do on Discord, or in a terminal."""

import asyncio
import re
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from simulator.demo.bot_process import bot_environment
from simulator.discord import Person
from simulator.discord.model import Message
from tests.docs.scenes.stage import SECONDS, Stage

WIDTH_PIXELS = 600
TRIGGER = "papercup-trigger.txt"
"""The file that an example looks at."""

_CLOSES = re.compile(r"(Closes (?:<[^>]+>)?)1 minute ago")
_TERMINAL = (
    "html{background:#1e1f22}main{box-sizing:border-box;padding:14px 18px;color:#dbdee1;"
    "font:14px/1.5 'DejaVu Sans Mono',monospace;white-space:pre-wrap}b{color:#fff}"
)


@dataclass(slots=True)
class GalleryScene:
    """A stage with a bot that has few plugins."""

    stage: Stage
    folder: Path
    """Where everything is kept."""
    terminal: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """What was called there, and what was printed."""

    @property
    def olga(self) -> Person:
        """The owner of the bot."""
        return self.stage.person("olga")

    @property
    def kai(self) -> Person:
        """Somebody else who may use the bot."""
        return self.stage.person("kai")

    @property
    def trigger(self) -> Path:
        """The file that an example looks at."""
        return self.folder / TRIGGER

    async def calls(self, command: str, /, **options: str) -> None:
        """Have her call a command, as soon as there is one."""
        await self.stage.house.discord.commands_registered(command, timeout_seconds=SECONDS)
        await self.stage.slash(self.olga, command, **options)

    async def permits(self, mode: str) -> None:
        """Let the speaker do more than usual; the picture does not show it."""
        with self.stage.beside_the_picture():
            await self.calls("permissions", mode=mode)

    def writes(self, text: str) -> Message:
        """Have her write something."""
        return self.stage.say(self.olga, text)

    async def says(self, text: str, wanted: str) -> None:
        """Have her write something, and see it answered with what holds `wanted`."""
        await self.answered(self.writes(text), wanted)

    async def answered(self, said: Message, wanted: str) -> None:
        """See a message answered with what holds `wanted`."""
        await self.stage.answered(self.olga, said, wanted)

    async def sees(self, *wanted: str) -> Message:
        """See a message that holds all of `wanted`, new or edited."""
        return await self.stage.sees(self.olga, *wanted)

    async def is_asked(self, *wanted: str) -> Message:
        """See a question that holds all of `wanted`, and that is open."""
        return await self.sees("asks", *wanted, "⌛ Closes")

    async def answers(self, question: str, label: str) -> None:
        """Have her answer a question with a button; the picture shows it as it stands then."""
        await self.presses(question, label)
        await self.is_settled(question, label)

    async def presses(self, question: str, label: str) -> None:
        """Have her press a button of a question, which the picture does not show yet."""
        with self.stage.beside_the_picture():
            asked = await self.is_asked(question)
        await self.stage.press(self.olga, asked, label)

    async def is_settled(self, question: str, label: str) -> None:
        """See that a question was edited: it tells the answer, and has no buttons any more."""
        settled = await self.sees("asks", question, f"{label} · ")
        assert not settled.buttons

    async def types(self, *words: str) -> None:
        """Have her call `papercup` in a terminal."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", *words),
            *("--config", str(self.folder / "config.toml")),
            stdin=DEVNULL,
            stdout=PIPE,
            env=bot_environment(self.stage.house.discord),
        )
        async with asyncio.timeout(SECONDS):
            printed, _ = await process.communicate()
        assert process.returncode == 0, printed
        self.terminal.append((_shown(words), printed.decode().strip()))

    def page(self) -> str:
        """Return what the picture shows, as an HTML page."""
        if self.terminal:
            return _terminal_page(self.terminal)
        page = self.stage.page(width_pixels=WIDTH_PIXELS).replace(str(self.folder), "~")
        # Each time is told as one that is over; what can still be answered is not.
        return _CLOSES.sub(r"\1in a minute", page)


def _shown(words: Sequence[str]) -> str:
    return " ".join(["papercup", *(f'"{word}"' if " " in word else word for word in words)])


def _terminal_page(calls: Sequence[tuple[str, str]]) -> str:
    shown = "\n\n".join(f"<b>$ {escape(call)}</b>\n{escape(printed)}" for call, printed in calls)
    head = f"<!doctype html><meta charset=utf-8><style>{_TERMINAL}body{{margin:0}}</style>"
    return f'{head}<main style="width:{WIDTH_PIXELS}px">{shown}</main>'
