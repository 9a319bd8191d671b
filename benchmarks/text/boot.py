"""How soon a bot that was killed is there again, with all that it had to do."""

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.rows import Row
from benchmarks.samples import Samples
from benchmarks.text.past import store_finished_jobs
from benchmarks.text.runners import all_followed
from benchmarks.text.stage import COMMAND, telling_if_stuck
from benchmarks.text.stand_in import stand_in
from bot.data_folder import DataFolder, held_data_folder
from bot.database import open_bot_database
from extensions.claude.binary import find_claude
from extensions.jobs.job import Origin
from extensions.jobs.job_sheets import JobSheets
from extensions.jobs.store import JobStore
from simulator.demo.bot_process import BotProcess, end_runs, running_bot
from simulator.discord import DiscordSimulator, Person, TextChannel, running_discord
from simulator.discord.journal import GatewayOpened, Happening
from simulator.messages_api import (
    Answer,
    ModelRequest,
    Say,
    ToolUse,
    UseSeveral,
    running_messages_api,
)

_FINISHED = 1000
_RUNNING = 50
_STARTED = "They are on their way."
_LIMIT_MS = 1000.0
_SECONDS = 60.0
_SPAWN = "mcp__papercup__spawn_extension"


@dataclass(frozen=True, slots=True, kw_only=True)
class Boots:
    """What was measured."""

    to_login: Samples
    """From the start of the process until Discord has taken it in."""
    to_adoption: Samples
    """From that moment until it has read what every running job has printed."""
    whole: Samples
    """From the start of the process until then."""
    to_answer: Samples
    """From the login until a command is answered that lists the jobs."""

    def rows(self) -> list[Row]:
        """Return what is told of it."""
        return [
            *self.to_adoption.rows(
                f"boot, {_FINISHED:,} jobs finished, {_RUNNING} running: login → all adopted",
                against="after a kill; from the gateway's READY until the bot has read all that"
                " each job has printed, 0 if it had before; limit: 1 s",
                limit_ms=_LIMIT_MS,
            ),
            *self.to_answer.rows(
                "boot: login → /jobs list answered",
                against="of the same boots; the command is sent once all are adopted; limit: 1 s",
                limit_ms=_LIMIT_MS,
            ),
            *self.whole.rows(
                "boot: start → all adopted",
                against="of the same boots, from the start of the process; it asks `claude`"
                " for its version and options first",
            ),
            *self.to_login.rows("boot: start → login", against="of the same boots"),
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Boot:
    began_at: float
    login_at: float
    adopted_at: float
    answered_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where bots come and go."""

    discord: DiscordSimulator
    alice: Person
    channel: TextChannel
    data: DataFolder
    bots: Callable[[], AbstractAsyncContextManager[BotProcess]]


async def measure(folder: Path, rounds: int) -> Boots:
    """Measure it, with one bot after another in the same folder."""
    claude = stand_in(folder, (await find_claude(None)).path)
    # No jail could hold what stands in for `claude`.
    settings = {
        "speaker.claude": json.dumps(str(claude)),
        "jobs.jail": '"off"',
        "jobs.limit": str(_RUNNING),
        "jobs.spawns_per_minute": "1000",
    }
    async with running_discord(folder) as discord, running_messages_api(_model) as api:
        place = _Place(
            discord=discord,
            alice=discord.person("Alice", is_owner=True),
            channel=discord.text_channel("general"),
            data=DataFolder(folder / "data"),
            bots=partial(running_bot, COMMAND, folder, discord, api, settings),
        )
        try:
            await _store_finished(place)
            await _start_jobs(place)
            # The first one fills caches.
            boots = [await _boot(place) for _ in range(rounds + 1)][1:]
        finally:
            end_runs(place.data.root)
    return Boots(
        to_login=Samples([boot.login_at - boot.began_at for boot in boots]),
        to_adoption=Samples([max(0.0, boot.adopted_at - boot.login_at) for boot in boots]),
        whole=Samples([boot.adopted_at - boot.began_at for boot in boots]),
        to_answer=Samples([boot.answered_at - boot.login_at for boot in boots]),
    )


def _model(request: ModelRequest) -> Answer:
    if request.last_tool_result is not None:
        return Say(_STARTED)
    uses = [ToolUse(_SPAWN, {"task": "Work.", "name": f"work-{n}"}) for n in range(_RUNNING)]
    return UseSeveral(tuple(uses))


async def _store_finished(place: _Place) -> None:
    with held_data_folder(place.data.root) as folder:
        async with open_bot_database(folder, clock=time.time) as database:
            store = JobStore(database, JobSheets(folder.run))
            origin = Origin(
                session_id="5e551011",
                person_id=place.alice.id,
                guild_id=None,
                channel_id=place.channel.id,
            )
            await store_finished_jobs(store, folder.extensions, origin, count=_FINISHED)


async def _start_jobs(place: _Place) -> None:
    async with place.bots() as bot, telling_if_stuck(bot), asyncio.timeout(_SECONDS):
        await bot.connected(place.discord, timeout_seconds=_SECONDS)
        question = place.alice.say(place.channel, "Please start all of them.")
        await place.alice.sees(
            place.channel,
            lambda message: message.reply_to == question.id and message.text == _STARTED,
            timeout_seconds=_SECONDS,
        )
        await all_followed(place.data.run, pid=bot.process.pid, count=_RUNNING)
        await bot.kill()


async def _boot(place: _Place) -> _Boot:
    logins: list[float] = []

    def note(happening: Happening) -> None:
        if isinstance(happening, GatewayOpened):
            logins.append(happening.at_seconds)

    began = time.monotonic()
    with place.discord.watched_by(note):
        async with place.bots() as bot, telling_if_stuck(bot), asyncio.timeout(_SECONDS):
            await all_followed(place.data.run, pid=bot.process.pid, count=_RUNNING)
            adopted_at = time.monotonic()
            await bot.connected(place.discord, timeout_seconds=_SECONDS)
            await place.alice.slash(place.channel, "jobs list")
            answered_at = time.monotonic()
            await bot.kill()
    return _Boot(began_at=began, login_at=logins[0], adopted_at=adopted_at, answered_at=answered_at)
