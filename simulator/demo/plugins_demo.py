"""The demo of plugins: puts everything up, has it performed, and tells how it went."""

import json
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console

from simulator.demo.bot_process import bot_environment, end_runs, running_bot
from simulator.demo.chat import Chat
from simulator.demo.performance import look_back, play, stop
from simulator.demo.plugins_acts import perform
from simulator.demo.plugins_model import plugins_model
from simulator.demo.plugins_stage import PluginsStage
from simulator.demo.progress import ProgressLine
from simulator.demo.report import Report
from simulator.discord import running_discord
from simulator.messages_api import running_messages_api

INTRODUCTION = """\
[bold]Papercup, with plugins.[/bold]
Simulated: Discord, and the model (what it says is scripted).
Real: the bot, discord.py, the [cyan]claude[/cyan] command, MCP, the jail, and the plugins, which
are those of examples/plugins. Nothing leaves this machine."""

_NOSY = Path(__file__).with_name("nosy")


async def plugins_demo(
    papercup: Sequence[str],
    console: Console,
    progress: ProgressLine,
    *,
    examples: Path,
    take_picture: Callable[[str], None] = lambda _: None,
) -> Report:
    """Show the whole conversation on `console`, and return what was found out.

    Args:
        papercup: How the program is called, whatever it is to do.
        console: Where it is shown.
        progress: Told of each scene.
        examples: The folder of the example plugins.
        take_picture: Given an HTML page of the moment that a picture shows best.
    """
    console.print(INTRODUCTION)
    report = Report()
    with tempfile.TemporaryDirectory(prefix="papercup-demo-") as name:
        folder = Path(name)
        plugins = folder / "plugins"
        shutil.copytree(examples, plugins, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(_NOSY, plugins / _NOSY.name, ignore=shutil.ignore_patterns("__pycache__"))
        # What else the one who shows it has is left out.
        names = sorted(path.name for path in plugins.iterdir() if path.is_dir())
        async with (
            running_discord(folder) as discord,
            running_messages_api(plugins_model) as api,
        ):
            alice, channel = discord.person("Alice", is_owner=True), discord.text_channel("general")
            bob = discord.person("Bob")
            settings = {
                "plugins.allowlist": json.dumps(names),
                "discord.allowed_user_ids": json.dumps([bob.id]),
            }
            try:
                bots = running_bot([*papercup, "run"], folder, discord, api, settings)
                async with bots as bot:
                    stage = PluginsStage(
                        discord=discord,
                        channel=channel,
                        alice=alice,
                        bob=bob,
                        bot=bot,
                        plugins=plugins,
                        papercup=papercup,
                        config=folder / "config.toml",
                        environment=bot_environment(discord),
                        desk=folder,
                        chat=Chat(console, discord.bot, progress.scene),
                        report=report,
                        take_picture=take_picture,
                    )
                    await _perform(stage, console)
            finally:
                end_runs(folder / "data")
            look_back(discord, report)
            report.messages = channel.messages_for(alice)
    return report


async def _perform(stage: PluginsStage, console: Console) -> None:
    began = time.monotonic()
    await play(stage, "plugins_start_to_ready", perform, console)
    stage.report.time("plugins_whole_conversation", time.monotonic() - began)
    await stop(stage.bot, stage.report, timing="plugins_stop")
