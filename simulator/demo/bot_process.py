"""The bot under show: a child process that knows only the addresses of the stand-ins."""

import asyncio
import json
import os
import signal
import site
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.discord import DiscordSimulator
from simulator.messages_api import MessagesApi

API_KEY = "sk-ant-demo-3f9c1b7e5d2a4860"
"""The key that the bot is given. The demo looks for it everywhere it must not be."""

_STOP_SECONDS = 10.0
_SHOWN_LOG_BYTES = 4000


class BotEndedError(Exception):
    """The bot ended before it was on Discord."""

    def __init__(self, log: str) -> None:
        super().__init__(log)
        self.log = log

    def __str__(self) -> str:
        return f"the bot has ended; its log:\n{self.log}"


class NoSuchJobError(Exception):
    """The bot has stored no such job."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return f"the bot has stored no job named {self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BotProcess:
    """A running bot, and where it keeps what."""

    process: Process
    data: Path
    log: Path

    async def connected(self, discord: DiscordSimulator, *, timeout_seconds: float) -> None:
        """Wait until it is on Discord, and has told its commands.

        Raises:
            BotEndedError: If it has ended instead.
            TimeoutError: If it was not in time.
        """
        async with asyncio.timeout(timeout_seconds), asyncio.TaskGroup() as tasks:
            ended = tasks.create_task(self.process.wait())
            # Its own time-out comes later: only the one above counts.
            ready = tasks.create_task(_ready(discord, timeout_seconds + 60))
            await asyncio.wait([ended, ready], return_when=asyncio.FIRST_COMPLETED)
            has_ended = ended.done() and not ready.done()
            ended.cancel()
            ready.cancel()
        if has_ended:
            raise BotEndedError(self.log_tail())

    def jobs(self) -> list[dict[str, Any]]:
        """Return the jobs as the bot has stored them for other programs, newest last."""
        try:
            text = (self.data / "extensions.json").read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        extensions: list[dict[str, Any]] = json.loads(text)["extensions"]
        return extensions

    def job(self, name: str) -> dict[str, Any]:
        """Return the stored job of that name.

        Raises:
            NoSuchJobError: If there is none.
        """
        for job in self.jobs():
            if job["name"] == name:
                return job
        raise NoSuchJobError(name)

    def log_tail(self) -> str:
        """Return the end of the bot's log."""
        return self.log.read_bytes()[-_SHOWN_LOG_BYTES:].decode(errors="replace")

    async def kill(self) -> int:
        """End it at once, as `kill -9` does, and return its exit code."""
        self.process.kill()
        return await self.process.wait()

    async def stop(self) -> int | None:
        """Tell it to end, and return its exit code; `None` if it had to be killed."""
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(_STOP_SECONDS):
                return await self.process.wait()
        except TimeoutError:
            self.process.kill()
            await self.process.wait()
            return None


@asynccontextmanager
async def running_bot(
    command: Sequence[str],
    folder: Path,
    discord: DiscordSimulator,
    api: MessagesApi,
    settings: Mapping[str, str],
    *,
    home: Path | None = None,
) -> AsyncGenerator[BotProcess, None]:
    """Run the bot while the block lasts.

    Args:
        command: What starts it.
        folder: Where its configuration and its data are; may be empty.
        discord: The Discord that it logs in to.
        api: The model that it asks.
        settings: Further lines of its configuration: the whole key, and the value as TOML.
        home: Its user's home folder; `None`: that of whoever shows it.
    """
    config = folder / "config.toml"
    config.write_text(_config(folder, discord, api, settings), encoding="utf-8")
    log = folder / "papercup.log"
    with log.open("ab") as output:
        process = await asyncio.create_subprocess_exec(
            *command,
            "--config",
            str(config),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=bot_environment(discord, home=home),
        )
    bot = BotProcess(process=process, data=folder / "data", log=log)
    try:
        yield bot
    finally:
        if process.returncode is None:
            await bot.stop()


def bot_environment(discord: DiscordSimulator, *, home: Path | None = None) -> dict[str, str]:
    """Return the environment of the bot, and of commands beside it."""
    # What the one who shows it has set for a bot of their own must not change this one.
    inherited = {name: value for name, value in os.environ.items() if "PAPERCUP_" not in name}
    if home is not None:
        # The packages that stand in the home folder of whoever shows it are still needed.
        inherited |= {"HOME": str(home), "PYTHONUSERBASE": site.getuserbase()}
    return {**inherited, "DISCORD_TOKEN": discord.token, "ANTHROPIC_API_KEY": API_KEY}


def end_runs(data: Path) -> None:
    """End the jobs that outlived their bot, as jobs do, when something went wrong."""
    for record in (data / "run").glob("*/*/runner.json"):
        if not (record.parent / "exit.json").exists():
            with suppress(ProcessLookupError):
                os.kill(json.loads(record.read_text())["runner_pid"], signal.SIGTERM)


async def _ready(discord: DiscordSimulator, timeout_seconds: float) -> None:
    await discord.connected(timeout_seconds=timeout_seconds)
    await discord.commands_registered("pickup", timeout_seconds=timeout_seconds)


def _config(
    folder: Path, discord: DiscordSimulator, api: MessagesApi, settings: Mapping[str, str]
) -> str:
    values = {
        "data_dir": json.dumps(str(folder / "data")),
        "endpoints.discord": json.dumps(f"{discord.host}:{discord.tls_port}"),
        "endpoints.discord_ca": json.dumps(str(discord.ca_path)),
        "endpoints.messages_api": json.dumps(api.url),
        **settings,
    }
    return "".join(f"{key} = {value}\n" for key, value in values.items())
