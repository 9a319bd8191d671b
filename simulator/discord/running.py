"""Running a Discord on loopback.

async with running_discord(folder) as discord:
    alice = discord.person("alice", is_owner=True)
    general = discord.text_channel("general")
    # start a bot with discord.token, discord.tls_port and discord.ca_path
    await discord.connected()
    alice.say(general, "hello")
    answer = await alice.sees(general, "hello alice")
"""

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web

from simulator.discord.core import make_core
from simulator.discord.journal import Observer
from simulator.discord.rest.server import RestServer
from simulator.discord.settings import Settings
from simulator.discord.simulator import DiscordSimulator
from simulator.discord.voice.udp import open_udp
from simulator.tls import TlsFiles, write_tls_files

HOSTS = (
    "discord.com",
    "gateway.discord.gg",
    "cdn.discordapp.com",
    "media.discordapp.net",
    "*.discord.media",
    "localhost",
)
_SHUTDOWN_SECONDS = 1.0
_GOING_AWAY = 1001


@asynccontextmanager
async def running_discord(
    folder: Path,
    *,
    settings: Settings | None = None,
    observer: Observer | None = None,
    monotonic: Callable[[], float] = time.monotonic,
    tls_port: int = 0,
    http_port: int = 0,
) -> AsyncGenerator[DiscordSimulator]:
    """Run a Discord on loopback while the block lasts; it has one guild and a #general.

    Args:
        folder: Where its certificates are written.
        settings: How it behaves.
        observer: Told of everything that happens, from the start on.
        monotonic: Its clock; deadlines and the times of messages are read from it.
        tls_port: Where to listen with TLS; 0 takes any free port.
        http_port: Where to listen without.
    """
    core = make_core(monotonic=monotonic, settings=settings or Settings(), observer=observer)
    files = write_tls_files(folder, hosts=HOSTS)
    runner = web.AppRunner(
        RestServer(core).application(), access_log=None, shutdown_timeout=_SHUTDOWN_SECONDS
    )
    await runner.setup()
    try:
        async with open_udp(core.calls.udp):
            ports = await _listen(runner, files, tls_port=tls_port, http_port=http_port)
            discord = DiscordSimulator(
                core, ca_path=files.ca_path, tls_port=ports[0], http_port=ports[1]
            )
            discord.text_channel("general")
            yield discord
    finally:
        core.gateway.close_all(_GOING_AWAY)
        core.voice_gateway.close_all(_GOING_AWAY)
        core.calls.close()
        await runner.cleanup()


async def _listen(
    runner: web.AppRunner, files: TlsFiles, *, tls_port: int, http_port: int
) -> tuple[int, int]:
    context = files.server_context()
    await web.TCPSite(runner, "127.0.0.1", tls_port, ssl_context=context).start()
    await web.TCPSite(runner, "127.0.0.1", http_port).start()
    tls_address, http_address = runner.addresses
    return tls_address[1], http_address[1]
