"""The demo of plugins' authors: puts everything up, has it performed, and tells how it went."""

import json
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from rich.console import Console

from simulator.demo.authors_acts import perform
from simulator.demo.authors_model import authors_model
from simulator.demo.bot_process import bot_environment, running_bot
from simulator.demo.chat import Chat
from simulator.demo.performance import look_back, play, stop
from simulator.demo.plugins_stage import PluginsStage
from simulator.demo.progress import ProgressLine
from simulator.demo.report import Report
from simulator.discord import running_discord
from simulator.messages_api import running_messages_api

INTRODUCTION = """\
[bold]Papercup, for those who write plugins.[/bold]
Simulated: Discord, and the model (what it says is scripted).
Real: the bot, the [cyan]claude[/cyan] command, `papercup plugin` in a terminal, and the plugins,
which begin as its templates. Nothing leaves this machine."""

_NOWHERE = json.dumps("http://127.0.0.1:1")
"""No registry can be reached there."""


async def authors_demo(
    papercup: Sequence[str],
    console: Console,
    progress: ProgressLine,
    *,
    acts: Callable[[PluginsStage], Awaitable[None]] = perform,
    take_picture: Callable[[str], None] = lambda _: None,
) -> Report:
    """Show the whole way of plugins on `console`, and return what was found out.

    Args:
        papercup: How the program is called, whatever it is to do.
        console: Where it is shown.
        progress: Told of each scene.
        acts: What is performed.
        take_picture: Given an HTML page of the moment that a picture shows best.
    """
    console.print(INTRODUCTION)
    report = Report()
    with tempfile.TemporaryDirectory(prefix="papercup-demo-") as name:
        folder = Path(name)
        home, desk = folder / "home", folder / "desk"
        home.mkdir()
        desk.mkdir()
        async with (
            running_discord(folder) as discord,
            running_messages_api(authors_model) as api,
        ):
            alice, channel = discord.person("Alice", is_owner=True), discord.text_channel("general")
            settings = {"endpoints.npm": _NOWHERE, "endpoints.pypi": _NOWHERE}
            bots = running_bot([*papercup, "run"], folder, discord, api, settings, home=home)
            async with bots as bot:
                stage = PluginsStage(
                    discord=discord,
                    channel=channel,
                    alice=alice,
                    bob=discord.person("Bob"),
                    bot=bot,
                    plugins=home / ".papercup" / "plugins",
                    papercup=papercup,
                    config=folder / "config.toml",
                    environment=bot_environment(discord, home=home),
                    desk=desk,
                    chat=Chat(console, discord.bot, progress.scene),
                    report=report,
                    take_picture=take_picture,
                )
                began = time.monotonic()
                await play(stage, "authors_start_to_ready", acts, console)
                report.time("authors_whole_conversation", time.monotonic() - began)
                await stop(bot, report, timing="authors_stop")
            look_back(discord, report)
            report.messages = channel.messages_for(alice)
    return report
