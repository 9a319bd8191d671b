"""Runs the stand-ins alone: `python -m simulator`."""

import argparse
import asyncio
import functools
import os
import shlex
import signal
import stat
import sys
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.discord import DiscordSimulator, Person, TextChannel, running_discord
from simulator.discord.errors import SimulatorError
from simulator.discord.journal import Happening, MessageEdited, MessagePosted
from simulator.discord.sight import WAIT_SECONDS
from simulator.discord.voice.channel import VoiceChannel
from simulator.discord.voice.happenings import SpeakingStarted, VoiceStateChanged
from simulator.messages_api import MessagesApi, echo, running_messages_api

if TYPE_CHECKING:
    from simulator.discord.voice.talker import Talker

_EPILOG = """\
The model repeats the first line of what it is told. What is typed here is said in #general by the
owner, with a mention of the bot; what is posted there is printed. A line that begins with / is a
command, as /pickup name:today. A line that begins with > is spoken in the voice channel Lounge,
which the owner joins first; > alone only joins (it needs the packages of papercup[voice]). Ctrl-C
ends it.
"""
_CALLED, _SPOKEN = "/", ">"
_VOICE_MISSING = "nothing can be spoken without the packages of papercup[voice]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """What was asked for."""

    folder: Path | None
    owner: str
    discord_port: int
    discord_http_port: int
    api_port: int


def main() -> None:
    """Serve a Discord and a Messages API on loopback until Ctrl-C."""
    arguments = _arguments()
    if arguments.folder is not None:
        arguments.folder.mkdir(parents=True, exist_ok=True)
        asyncio.run(_serve(arguments, arguments.folder))
        return
    with tempfile.TemporaryDirectory(prefix="papercup-simulator-") as folder:
        asyncio.run(_serve(arguments, Path(folder)))


async def _serve(arguments: Arguments, folder: Path) -> None:
    async with (
        running_discord(
            folder,
            observer=_show,
            tls_port=arguments.discord_port,
            http_port=arguments.discord_http_port,
        ) as discord,
        running_messages_api(echo, port=arguments.api_port) as api,
        _stop_signal() as stopped,
    ):
        owner = discord.person(arguments.owner, is_owner=True)
        general, lounge = discord.text_channel("general"), discord.voice_channel("Lounge")
        _print(_settings(discord, api, arguments.owner))
        async with asyncio.TaskGroup() as tasks:
            typing = tasks.create_task(_say_typed(owner, general, lounge))
            await stopped.wait()
            typing.cancel()


def _settings(discord: DiscordSimulator, api: MessagesApi, owner: str) -> str:
    settings = {
        "PAPERCUP_ENDPOINTS__DISCORD": f"{discord.host}:{discord.tls_port}",
        "PAPERCUP_ENDPOINTS__DISCORD_CA": str(discord.ca_path),
        "PAPERCUP_ENDPOINTS__MESSAGES_API": api.url,
        "DISCORD_TOKEN": discord.token,
        "ANTHROPIC_API_KEY": "any",
    }
    exports = "\n".join(f"export {name}={shlex.quote(value)}" for name, value in settings.items())
    return (
        f"# A simulated Discord whose owner is {owner}, and a simulated Messages API, both on\n"
        f"# loopback. Discord without TLS: http://{discord.host}:{discord.http_port}/api/v10\n"
        f"# To lead a bot there, set this where it is started:\n{exports}"
    )


def _show(happening: Happening) -> None:
    match happening:
        case MessagePosted(message=message):
            _print(f"{message.author.name}: {message.text}")
        case MessageEdited(message=message):
            _print(f"{message.author.name} (edited): {message.text}")
        case VoiceStateChanged(account=account, channel=channel):
            _print(
                f"({account.name} is in {'no voice channel' if channel is None else channel.name})"
            )
        case SpeakingStarted(account=account):
            _print(f"({account.name} speaks)")
        case _:
            pass


async def _say_typed(owner: Person, general: TextChannel, lounge: VoiceChannel) -> None:
    speak = _speaker(owner, lounge)
    async for line in _typed_lines():
        text = line.strip()
        if text.startswith(_SPOKEN):
            await speak(text.removeprefix(_SPOKEN).strip())
        elif text.startswith(_CALLED):
            await _call(owner, general, text.removeprefix(_CALLED))
        elif text:
            owner.say(general, text)


async def _call(owner: Person, general: TextChannel, typed: str) -> None:
    try:
        words = shlex.split(typed)
        options = dict(word.split(":", 1) for word in words if ":" in word)
        name = " ".join(word for word in words if ":" not in word)
        await owner.slash(general, name, timeout_seconds=WAIT_SECONDS, **options)
    except (SimulatorError, ValueError) as error:
        _print(f"({error})")


def _speaker(owner: Person, lounge: VoiceChannel) -> Callable[[str], Awaitable[None]]:
    """Return what speaks in the voice channel; the owner joins it when first asked to."""

    @functools.cache
    def talker() -> "Talker":
        return owner.join_voice(lounge)

    async def speak(text: str) -> None:
        try:
            there = talker()
            if text:
                await there.speak(text)
        except ImportError:
            _print(_VOICE_MISSING)

    return speak


async def _typed_lines() -> AsyncIterator[str]:
    """Yield what is typed, if anybody can type."""
    mode = os.fstat(sys.stdin.fileno()).st_mode
    if not (stat.S_ISFIFO(mode) or sys.stdin.isatty()):
        return
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        yield line.decode(errors="replace")


@asynccontextmanager
async def _stop_signal() -> AsyncGenerator[asyncio.Event]:
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    signals = (signal.SIGINT, signal.SIGTERM)
    for number in signals:
        loop.add_signal_handler(number, stopped.set)
    try:
        yield stopped
    finally:
        for number in signals:
            loop.remove_signal_handler(number)


def _arguments() -> Arguments:
    parser = argparse.ArgumentParser(
        prog="python -m simulator",
        description="Serves a Discord and a Messages API on loopback: no account, no network.",
        epilog=_EPILOG,
    )
    ports = {
        "--discord-port": "port of Discord with TLS",
        "--discord-http-port": "port of Discord without TLS",
        "--api-port": "port of the Messages API",
    }
    for option, text in ports.items():
        parser.add_argument(option, type=int, default=0, help=f"{text} (default: any free one)")
    parser.add_argument("--owner", default="Alice", help="name of the bot's owner (default: Alice)")
    parser.add_argument(
        "--folder", type=Path, help="where certificates are written (default: a temporary folder)"
    )
    return Arguments(**vars(parser.parse_args()))


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
