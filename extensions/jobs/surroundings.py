"""What jobs are carried with, and how others learn of them."""

import asyncio
import logging
import sqlite3
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from extensions.callers import Callers
from extensions.jobs.backend import JobBackend
from extensions.jobs.extensions_file import ExtensionsFile
from extensions.jobs.job import Job
from extensions.jobs.live_job import LiveJob, NewIds
from extensions.jobs.progress import Progress
from extensions.jobs.store import JobStore
from extensions.jobs.workspace import Workspace

logger = logging.getLogger(__name__)

_FIRST_RETRY_SECONDS = 1.0
_LAST_RETRY_SECONDS = 60.0


class JobWatcher(Protocol):
    """Whoever is told how jobs get on."""

    def job_changed(self, job: Job, progress: Progress) -> None:
        """Take note of a job that is stored as it is given here; must return quickly."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What jobs are carried with."""

    store: JobStore
    backend: JobBackend
    callers: Callers
    workspace: Workspace
    file: ExtensionsFile
    watcher: JobWatcher
    clock: Callable[[], float]
    ids: NewIds
    hearing_seconds: float
    """How long the watcher may take to make sure that it will not forget a job's end."""

    async def save(self, live: LiveJob) -> None:
        """Store how a job stands, and show it.

        Raises:
            sqlite3.Error, OSError: If it cannot be stored.
        """
        await self.store.save(live.job, live.run)
        self.show(live)

    async def save_if_possible(self, live: LiveJob) -> None:
        """Store what its end will store again, and what no run need end for; and show it."""
        try:
            await self.store.save(live.job, live.run)
        except (sqlite3.Error, OSError):
            logger.exception("job %s: how it stands cannot be stored at present", live.job.id)
        self.show(live)

    async def store_at_last(self, job_id: str, put: Callable[[], Awaitable[None]]) -> None:
        """Store the end of a run, however long it takes until the disk takes it.

        If the program ends first, the next one finds the run ended and stores that.
        """
        delay = _FIRST_RETRY_SECONDS
        while True:
            try:
                return await put()
            except (sqlite3.Error, OSError):
                logger.exception("job %s: its end cannot be stored; trying again", job_id)
            await asyncio.sleep(delay)
            delay = min(2 * delay, _LAST_RETRY_SECONDS)

    def show(self, live: LiveJob) -> None:
        """Have those who watch see how a job stands."""
        self.file.put(live.job)
        self.tell(live.job, live.progress)

    def tell(self, job: Job, progress: Progress) -> None:
        """Tell the watcher how a job stands."""
        try:
            self.watcher.job_changed(job, progress)
        except Exception:
            logger.exception("job %s: whoever watches it failed", job.id)

    async def tell_of_end(self, job: Job, progress: Progress) -> None:
        """Tell the watcher that a job has settled; if it may not have heard, the next bot will."""
        self.tell(job, progress)
        await asyncio.sleep(self.hearing_seconds)
        try:
            await self.store.end_was_told(job)
        except sqlite3.Error:
            logger.exception("job %s: that its end was told cannot be stored", job.id)
