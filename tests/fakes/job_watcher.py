"""Takes note of how jobs get on."""

import asyncio
from collections.abc import Callable

from extensions.jobs.job import Job, JobStatus
from extensions.jobs.progress import Progress


class FakeJobWatcher:
    """Remembers each change."""

    def __init__(self) -> None:
        self.changes: list[tuple[Job, Progress]] = []
        self.fault: Exception | None = None
        """Is raised at each change."""
        self._changed = asyncio.Event()

    def job_changed(self, job: Job, progress: Progress) -> None:
        """Remember a change."""
        if self.fault is not None:
            raise self.fault
        self.changes.append((job, progress))
        self._changed.set()

    def statuses(self, job_id: str) -> list[JobStatus]:
        """Return the states that a job was seen in, each once."""
        return list(dict.fromkeys(job.status for job, _ in self.changes if job.id == job_id))

    async def sees(self, is_it: Callable[[Job, Progress], bool]) -> Job:
        """Return the first change that is meant, once it is there."""
        async with asyncio.timeout(30):
            while True:
                for job, progress in self.changes:
                    if is_it(job, progress):
                        return job
                self._changed.clear()
                await self._changed.wait()

    async def settled(self, job_id: str) -> Job:
        """Return a job once it has settled."""
        return await self.sees(lambda job, _: job.id == job_id and job.status.is_settled)

    async def running(self, job_id: str) -> Job:
        """Return a job once it runs."""
        return await self.sees(lambda job, _: job.id == job_id and job.status is JobStatus.RUNNING)
