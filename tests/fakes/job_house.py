"""Everything that a job manager needs around it, in one folder."""

import asyncio
import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

from bot.migrations import migrations
from extensions.callers import Callers
from extensions.database import open_database
from extensions.jobs.backend import JobBackend
from extensions.jobs.job import Job, JobRequest, Origin
from extensions.jobs.job_sheets import JobSheets
from extensions.jobs.live_job import NewIds
from extensions.jobs.manager import JobManager
from extensions.jobs.opening import open_jobs
from extensions.jobs.queue import Places
from tests.fakes.clock import FakeClock
from tests.fakes.job_watcher import FakeJobWatcher

PERSON = 7
OTHER_PERSON = 8


def request(
    task: str = "print fibonacci", *, person: int = PERSON, name: str | None = None
) -> JobRequest:
    """Return what a person asks for."""
    origin = Origin(session_id="5e551011", person_id=person, guild_id=1, channel_id=2)
    return JobRequest(task=task, name=name, origin=origin)


def everything(_: Job) -> bool:
    """Say that each job counts."""
    return True


class JobHouse:
    """A folder with a database, and whatever else jobs need; it outlives its managers."""

    def __init__(self, folder: Path, *, limit: int = 4) -> None:
        self.folder = folder
        self.limit = limit
        self.queue_limit = 100
        self.spawns_per_minute = 1000
        self.hearing_seconds = 0.0
        self.clock = FakeClock(1000.0)
        self.callers = Callers()
        self.watcher = FakeJobWatcher()
        self.json_path = folder / "extensions.json"
        self.extensions = folder / "extensions"
        self.accepting = asyncio.Event()
        """Set whenever a job is about to be accepted."""
        self._numbers = count(1)

    @asynccontextmanager
    async def open(
        self, backend: JobBackend, callers: Callers | None = None
    ) -> AsyncGenerator[JobManager, None]:
        """Open the jobs, as a bot does when it starts; what a bot keeps in memory is new."""
        self.callers = callers or Callers()
        self.watcher = FakeJobWatcher()
        async with (
            open_database(self.folder / "papercup.db", migrations()) as database,
            open_jobs(
                database,
                backend,
                self.callers,
                folder=self.extensions,
                json_path=self.json_path,
                sheets=JobSheets(self.folder / "run"),
                places=Places(in_all=self.limit),
                queue_limit=self.queue_limit,
                spawns_per_minute=self.spawns_per_minute,
                hearing_seconds=self.hearing_seconds,
                watcher=self.watcher,
                clock=self.clock,
                ids=NewIds(job_id=self._new_id, claude_session_id=self._new_session_id),
            ) as manager,
        ):
            yield manager

    def _new_id(self) -> str:
        return f"{next(self._numbers):08x}"

    def _new_session_id(self) -> str:
        self.accepting.set()
        return str(uuid.uuid4())
