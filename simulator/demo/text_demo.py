"""The text demo: puts everything up, has it performed, and tells how it went."""

import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path

from rich.console import Console

from simulator.demo.acts import perform_after_the_kill, perform_until_the_kill
from simulator.demo.bot_process import BotProcess, end_runs, running_bot
from simulator.demo.chat import Chat
from simulator.demo.model import DemoModel
from simulator.demo.performance import look_back, play, stop
from simulator.demo.progress import ProgressLine
from simulator.demo.report import Report
from simulator.demo.stage import Stage
from simulator.discord import running_discord
from simulator.messages_api import running_messages_api

_SETTINGS = {"jobs.max_turns": "8"}
"""So few that the job that cannot succeed ends soon."""

INTRODUCTION = """\
[bold]Papercup, a conversation.[/bold]
Simulated: Discord, and the model (what it says is scripted; how jobs end is not).
Real: the bot, discord.py, the [cyan]claude[/cyan] command, MCP, the jail, processes and files.
Nothing leaves this machine."""


async def text_demo(bot_command: Sequence[str], console: Console, progress: ProgressLine) -> Report:
    """Show the whole conversation on `console`, and return what was found out.

    Args:
        bot_command: What starts the bot; the path of its configuration is added.
        console: Where it is shown.
        progress: Told of each scene.
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
                chat=Chat(console, discord.bot, progress.scene),
                report=report,
            )
            try:
                await _perform(bots, stages, model, console)
            finally:
                end_runs(folder / "data")
            look_back(discord, report)
            report.messages = discord.text_channel("general").messages_for(alice)
    return report


async def _perform(
    bots: Callable[[], AbstractAsyncContextManager[BotProcess]],
    stages: Callable[..., Stage],
    model: DemoModel,
    console: Console,
) -> None:
    began = time.monotonic()
    try:
        async with bots() as bot:
            stage = stages(bot=bot)
            left = await play(stage, "start_to_ready", perform_until_the_kill, console)
        if left is None:
            return
        async with bots() as bot:
            stage = stages(bot=bot)
            acts = partial(perform_after_the_kill, left=left)
            await play(stage, "restart_to_ready", acts, console)
            stage.report.time("whole_conversation", time.monotonic() - began)
            await stop(bot, stage.report, timing="stop")
    finally:
        model.may_finish.set()  # so that no job waits for a show that is over
