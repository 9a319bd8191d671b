"""The text demo: puts everything up, has it performed, and tells how it went."""

import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path
from typing import TypeVar

from rich.console import Console

from simulator.demo.acts import perform_after_the_kill, perform_until_the_kill
from simulator.demo.bot_process import (
    BotEndedError,
    BotProcess,
    NoSuchJobError,
    end_runs,
    running_bot,
)
from simulator.demo.chat import Chat
from simulator.demo.model import DemoModel
from simulator.demo.report import Report
from simulator.demo.stage import Stage
from simulator.discord import DiscordSimulator, running_discord
from simulator.discord.errors import SimulatorError
from simulator.messages_api import running_messages_api

_START_SECONDS = 40.0
_STOP_SECONDS = 5.0
_SETTINGS = {"jobs.max_turns": "8"}
"""So few that the job that cannot succeed ends soon."""

T = TypeVar("T")

INTRODUCTION = """\
[bold]Papercup, a conversation.[/bold]
Simulated: Discord, and the model (what it says is scripted; how jobs end is not).
Real: the bot, discord.py, the [cyan]claude[/cyan] command, MCP, the jail, processes and files.
Nothing leaves this machine."""


async def text_demo(bot_command: Sequence[str], console: Console) -> Report:
    """Show the whole conversation on `console`, and return what was found out.

    Args:
        bot_command: What starts the bot; the path of its configuration is added.
        console: Where it is shown.
    """
    report, model = Report(), DemoModel()
    console.print(INTRODUCTION)
    with tempfile.TemporaryDirectory(prefix="papercup-demo-") as name:
        folder = Path(name)
        async with running_discord(folder) as discord, running_messages_api(model) as api:
            bots = partial(running_bot, bot_command, folder, discord, api, _SETTINGS)
            alice = discord.person("Alice", is_owner=True)
            stages = partial(
                Stage,
                discord=discord,
                channel=discord.text_channel("general"),
                alice=alice,
                mallory=discord.person("Mallory"),
                model=model,
                chat=Chat(console, discord.bot),
                report=report,
            )
            try:
                await _perform(bots, stages, console)
            finally:
                end_runs(folder / "data")
            _look_back(discord, report)
            report.messages = discord.text_channel("general").messages_for(alice)
    return report


async def _perform(
    bots: Callable[[], AbstractAsyncContextManager[BotProcess]],
    stages: Callable[..., Stage],
    console: Console,
) -> None:
    began = time.monotonic()
    async with bots() as bot:
        stage = stages(bot=bot)
        left = await _play(stage, "start_to_ready", perform_until_the_kill, console)
    if left is None:
        return
    async with bots() as bot:
        stage = stages(bot=bot)
        await _play(stage, "restart_to_ready", partial(perform_after_the_kill, left=left), console)
        stage.report.time("whole_conversation", time.monotonic() - began)
        await _stop(bot, stage.report)


async def _play(
    stage: Stage, timing: str, acts: Callable[[Stage], Awaitable[T]], console: Console
) -> T | None:
    """Perform with a bot that was just started; return what comes of it, `None` if it got stuck."""
    began = time.monotonic()
    try:
        await stage.bot.connected(stage.discord, timeout_seconds=_START_SECONDS)
        stage.report.time(timing, time.monotonic() - began)
        return await acts(stage)
    except (TimeoutError, BotEndedError, NoSuchJobError, SimulatorError) as error:
        stage.report.check("the conversation comes to its end", False, f"{error!r}")  # noqa: FBT003 - it reads well
        console.print("\n[bold red]It got stuck.[/bold red] The end of the bot's log:")
        console.print(stage.bot.log_tail(), markup=False, highlight=False)
        stage.model.may_finish.set()  # so that no job waits for a show that is over
        return None


async def _stop(bot: BotProcess, report: Report) -> None:
    began = time.monotonic()
    code = await bot.stop()
    seconds = time.monotonic() - began
    report.time("stop", seconds)
    report.check(
        f"the bot ends cleanly within {_STOP_SECONDS:g} seconds",
        code == 0 and seconds < _STOP_SECONDS,
        f"exit code {code}",
    )


def _look_back(discord: DiscordSimulator, report: Report) -> None:
    unknown = discord.journal.unknown_routes
    report.check(
        "the bot asked Discord for nothing unknown", not unknown, ", ".join(unknown) or "nothing"
    )
