"""Opens the jobs of a bot, as an earlier bot has left them."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from extensions.callers import Caller, CallerKind, Callers
from extensions.database import Database
from extensions.jobs.backend import JobBackend
from extensions.jobs.carrier import Carrier
from extensions.jobs.extensions_file import keeping_extensions_file
from extensions.jobs.extensions_json import NEWEST_LIMIT
from extensions.jobs.job_sheets import JobSheets
from extensions.jobs.live_job import NewIds
from extensions.jobs.manager import JobManager
from extensions.jobs.queue import FairQueue, Places
from extensions.jobs.spawn_rate import SpawnRate
from extensions.jobs.store import JobStore
from extensions.jobs.surroundings import JobWatcher, Surroundings
from extensions.jobs.workspace import Workspace


@asynccontextmanager
async def open_jobs(
    database: Database,
    backend: JobBackend,
    callers: Callers,
    *,
    folder: Path,
    json_path: Path,
    sheets: JobSheets,
    places: Places,
    watcher: JobWatcher,
    queue_limit: int = 100,
    spawns_per_minute: int = 5,
    clock: Callable[[], float] = time.time,
    ids: NewIds | None = None,
    hearing_seconds: float = 2.0,
) -> AsyncGenerator[JobManager, None]:
    """Carry jobs while the block lasts; those that run when it is left go on by themselves.

    Jobs that an earlier bot did not see settle are followed again, or wait again.

    Args:
        database: Holds the jobs.
        backend: Carries out their runs.
        callers: Where jobs are admitted while they run.
        folder: The folder in which each job gets one of its own.
        json_path: Where the jobs are shown to other programs, as `extensions.json`.
        sheets: Where each job is kept besides, in case the database is lost.
        places: How many may run at once.
        watcher: Is told of each change, after it is stored. Of a job's end it may be told twice,
            if the program ends soon after it was told for the first time.
        queue_limit: How many may wait for a place.
        spawns_per_minute: How many one person may start within a minute.
        clock: Gives Unix time, in seconds.
        ids: Where random values come from.
        hearing_seconds: How long after a job's end the watcher is taken to know of it for good.
    """
    store = JobStore(database, sheets)
    unsettled, untold = await store.unsettled(), await store.with_untold_ends()
    shown = {r.sequence: r.job for r in [*unsettled, *await store.newest(NEWEST_LIMIT)]}
    async with (
        keeping_extensions_file(json_path, [shown[key] for key in sorted(shown)]) as file,
        asyncio.TaskGroup() as tasks,
    ):
        around = Surroundings(
            store=store,
            backend=backend,
            callers=callers,
            workspace=Workspace(folder),
            file=file,
            watcher=watcher,
            clock=clock,
            ids=ids or NewIds(),
            hearing_seconds=hearing_seconds,
        )
        carrier = Carrier(FairQueue(places, capacity=queue_limit), around)
        manager = JobManager(carrier, around, tasks, SpawnRate(spawns_per_minute))
        try:
            manager.go_on(unsettled, untold=untold)
            yield manager
        finally:
            manager.close()


async def admit_jobs(database: Database, callers: Callers) -> None:
    """Let the jobs call that an earlier bot started, before `open_jobs` follows them again."""
    for record in await JobStore(database).unsettled():
        if record.run.token_hash is not None:
            callers.admit(Caller(CallerKind.JOB, record.job.id), record.run.token_hash)
