"""What many jobs at once take: the memory of their runners, and the time of the bot's loop."""

import asyncio
import math
import os
import statistics
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.rows import Row, Target
from benchmarks.text.house import House, open_house
from benchmarks.text.model import PromptModel
from benchmarks.text.runners import all_followed, pss_mb, runner_pids
from benchmarks.text.stand_in import stand_in
from bot.migrations import migrations
from extensions.database import open_database
from extensions.jobs.job import Job, JobRequest, Origin
from extensions.jobs.job_sheets import JobSheets
from extensions.jobs.local_backend import BotDoors, LocalBackend
from extensions.jobs.manager import JobManager
from extensions.jobs.opening import open_jobs
from extensions.jobs.progress import Progress
from extensions.jobs.queue import Places
from extensions.jobs.run_plan import LocalSettings
from extensions.server.job_sockets import job_sockets

_JOBS = 200
_ORIGIN = Origin(session_id="5e551011", person_id=1, guild_id=2, channel_id=3)
_PSS_LIMIT_MB = 15.0
_LAG_LIMIT_MS = 20.0
_TICK_SECONDS = 0.005
_MEASURED_SECONDS = 10.0
_START_SECONDS = 120.0
_STOP_SECONDS = 60.0
_P99 = 0.99


@dataclass(frozen=True, slots=True, kw_only=True)
class ManyJobs:
    """What was measured."""

    pss_mb: Sequence[float]
    """Of each runner."""
    idle_lags: Sequence[float]
    """How late the loop was at each tick before there was a job, in seconds."""
    lags: Sequence[float]
    """The same while all jobs ran."""
    cpu_share: float
    """How much of one CPU this process took then."""

    def rows(self) -> list[Row]:
        """Return what is told of it."""
        return [
            Row(
                name=f"{_JOBS} jobs: memory of a runner, median",
                value=statistics.median(self.pss_mb),
                unit="MB",
                target=Target("≤", _PSS_LIMIT_MB),
                against=f"PSS; n = {len(self.pss_mb)}; the largest: {max(self.pss_mb):.1f} MB",
            ),
            Row(
                name=f"{_JOBS} jobs: lag of the event loop, p99",
                value=p99(self.lags) * 1000,
                unit="ms",
                target=Target("≤", _LAG_LIMIT_MS),
                against=f"n = {len(self.lags)}; the bot's job manager, backend, servers and"
                " database; in place of `claude` a program that prints a step each 5 s",
            ),
            Row(
                name=f"{_JOBS} jobs: CPU of the bot",
                value=100 * self.cpu_share,
                unit="%",
                against="of one CPU; what follows the jobs, and nothing else",
            ),
            Row(
                name="no job: lag of the event loop, p99",
                value=p99(self.idle_lags) * 1000,
                unit="ms",
                against=f"n = {len(self.idle_lags)}; the same process, before",
            ),
        ]


def p99(values: Sequence[float]) -> float:
    """Return what 99 of 100 values do not exceed."""
    return sorted(values)[math.ceil(_P99 * len(values)) - 1]


async def measure(folder: Path) -> ManyJobs:
    """Measure it in this process, with the event loop that runs."""
    watcher = _Watcher()
    async with open_house(folder, PromptModel()) as house, _jobs(folder, house, watcher) as jobs:
        idle_lags = await _lags()
        try:
            for number in range(_JOBS):
                await jobs.spawn(JobRequest(task=f"Work on {number}.", origin=_ORIGIN))
            async with asyncio.timeout(_START_SECONDS):
                await all_followed(folder / "run", pid=os.getpid(), count=_JOBS)
            cpu_before = time.process_time()
            lags = await _lags()
            cpu_seconds = time.process_time() - cpu_before
            return ManyJobs(
                pss_mb=[pss_mb(pid) for pid in runner_pids(folder / "run")],
                idle_lags=idle_lags,
                lags=lags,
                cpu_share=cpu_seconds / _MEASURED_SECONDS,
            )
        finally:
            await _cancel_all(jobs, watcher)


@asynccontextmanager
async def _jobs(
    folder: Path, house: House, watcher: "_Watcher"
) -> AsyncGenerator[JobManager, None]:
    doors = BotDoors(
        mcp_url=house.settings.mcp_url,
        api_url=house.settings.api_url,
        sockets=partial(job_sockets, mcp_port=house.mcp_port, api_port=house.api_port),
        opened_at=time.time(),
        answer_was_cut=lambda _: False,
    )
    settings = LocalSettings(claude=stand_in(folder, house.settings.claude))
    async with (
        open_database(folder / "papercup.db", migrations()) as database,
        open_jobs(
            database,
            LocalBackend(folder / "run", settings, doors, jail=None),
            house.callers,
            folder=folder / "extensions",
            json_path=folder / "extensions.json",
            sheets=JobSheets(folder / "run"),
            places=Places(in_all=_JOBS),
            queue_limit=_JOBS,
            spawns_per_minute=_JOBS,
            watcher=watcher,
            hearing_seconds=0.0,
        ) as jobs,
    ):
        yield jobs


class _Watcher:
    """Counts the jobs that have settled."""

    def __init__(self) -> None:
        self.all_settled = asyncio.Event()
        self._settled: set[str] = set()

    def job_changed(self, job: Job, progress: Progress) -> None:
        """Take note of a job that has."""
        del progress
        if job.status.is_settled:
            self._settled.add(job.id)
        if len(self._settled) == _JOBS:
            self.all_settled.set()


async def _lags() -> list[float]:
    lags: list[float] = []
    give_up_at = time.monotonic() + _MEASURED_SECONDS
    while (began := time.monotonic()) < give_up_at:
        await asyncio.sleep(_TICK_SECONDS)
        lags.append(time.monotonic() - began - _TICK_SECONDS)
    return lags


async def _cancel_all(jobs: JobManager, watcher: _Watcher) -> None:
    async with asyncio.timeout(_STOP_SECONDS):
        for job in [*jobs.queued(), *jobs.running()]:
            await jobs.cancel(job.id)
        await watcher.all_settled.wait()
