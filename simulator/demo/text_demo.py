"""The text demo: puts everything up, has it performed, and tells how it went."""

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from simulator.demo.acts import Stage, perform
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
from simulator.discord import DiscordSimulator, running_discord
from simulator.discord.errors import SimulatorError
from simulator.messages_api import running_messages_api

_START_SECONDS = 40.0
_STOP_SECONDS = 5.0
_MAX_TURNS = 8
"""So few that the job that cannot succeed ends soon."""

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
    report = Report()
    console.print(INTRODUCTION)
    with tempfile.TemporaryDirectory(prefix="papercup-demo-") as name:
        folder, model = Path(name), DemoModel()
        async with running_discord(folder) as discord, running_messages_api(model) as api:
            alice = discord.person("Alice", is_owner=True)
            settings = {"jobs.max_turns": str(_MAX_TURNS)}
            started_at = time.monotonic()
            async with running_bot(bot_command, folder, discord, api, settings) as bot:
                stage = Stage(
                    discord=discord,
                    channel=discord.text_channel("general"),
                    alice=alice,
                    mallory=discord.person("Mallory"),
                    bot=bot,
                    model=model,
                    chat=Chat(console, discord.bot),
                    report=report,
                )
                try:
                    await _play(stage, started_at, console)
                    await _stop(bot, report)
                finally:
                    end_runs(bot.data)
            _look_back(discord, report)
            report.messages = stage.channel.messages_for(alice)
    return report


async def _play(stage: Stage, started_at: float, console: Console) -> None:
    try:
        await stage.bot.connected(stage.discord, timeout_seconds=_START_SECONDS)
        stage.report.time("start_to_ready", time.monotonic() - started_at)
        await perform(stage)
        stage.report.time("whole_conversation", time.monotonic() - started_at)
    except (TimeoutError, BotEndedError, NoSuchJobError, SimulatorError) as error:
        stage.report.check("the conversation comes to its end", False, f"{error!r}")  # noqa: FBT003 - it reads well
        console.print("\n[bold red]It got stuck.[/bold red] The end of the bot's log:")
        console.print(stage.bot.log_tail(), markup=False, highlight=False)
        stage.model.may_finish.set()  # so that no job waits for a show that is over


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
