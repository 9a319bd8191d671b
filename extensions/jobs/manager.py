"""The jobs of this bot: how they are asked for, looked up and stopped."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine

from extensions.errors import (
    JobFilesGoneError,
    JobNotFoundError,
    JobNotInterruptedError,
    JobsClosedError,
    JobSettledError,
)
from extensions.jobs.carrier import Carrier
from extensions.jobs.job import Job, JobRequest, JobStatus
from extensions.jobs.live_job import LiveJob
from extensions.jobs.naming import base_name
from extensions.jobs.progress import Progress
from extensions.jobs.record import JobRecord
from extensions.jobs.run import ResumeReason, Run
from extensions.jobs.spawn_rate import SpawnRate
from extensions.jobs.surroundings import Surroundings

_PAGE_LENGTH = 100


class JobManager:
    """All jobs. Get one from `open_jobs`."""

    def __init__(
        self, carrier: Carrier, around: Surroundings, tasks: asyncio.TaskGroup, rate: SpawnRate
    ) -> None:
        self._carrier = carrier
        self._around = around
        self._tasks = tasks
        self._rate = rate
        self._carrying: set[asyncio.Task[None]] = set()
        self._is_open = True

    @property
    def jail(self) -> str:
        """What confines the jobs: `bubblewrap` or `none`."""
        return self._around.backend.jail

    async def spawn(self, request: JobRequest) -> Job:
        """Take a job, and return it once it is stored: running if a place is free, else queued.

        Raises:
            QueueFullError: If too many wait already.
            SpawnRateError: If that person has started too many within a minute.
            JobsClosedError: If the program is about to end.
            DiskFullError: If there is no room to store it.
            sqlite3.Error, OSError: If it cannot be stored for another reason.
        """
        self._refuse_if_closed()
        live = self._live_job_of(await self._new_id(), request)
        self._refuse_if_closed()
        self._rate.count(request.origin.person_id, at_seconds=self._around.clock())
        return await self._accept(live, lambda: self._around.store.add(live.job, live.run))

    async def resume(self, job_id: str) -> Job:
        """Have an interrupted job go on where it stopped, and return it once that is stored.

        Raises:
            JobNotFoundError: If there is no such job.
            JobNotInterruptedError: If it was not interrupted, or goes on already.
            JobFilesGoneError: If its files have been removed since.
            QueueFullError: If too many wait already.
            SpawnRateError: If its person has started too many within a minute.
            JobsClosedError: If the program is about to end.
            DiskFullError: If there is no room to store it.
            sqlite3.Error, OSError: If it cannot be stored for another reason.
        """
        record = await self._around.store.find(job_id)
        if record is None:
            raise JobNotFoundError(job_id)
        stopped = record.job, record.run
        # From here on until it is enqueued nothing is awaited: nobody else can take it up.
        self._refuse_if_closed()
        self._refuse_to_resume(record.job)
        self._rate.count(record.job.origin.person_id, at_seconds=self._around.clock())
        session_id = self._around.ids.claude_session_id()
        live = LiveJob(
            record.job.resumed(ResumeReason.ASKED),
            record.run.followed(because=ResumeReason.ASKED, new_session_id=session_id),
        )

        async def put() -> Job:
            await self._around.store.begin_another(stopped, (live.job, live.run))
            return live.job

        return await self._accept(live, put)

    async def find(self, wanted: str, among: Callable[[Job], bool]) -> Job:
        """Return the job with the id `wanted`, else the newest with that name.

        Args:
            wanted: An id or a name.
            among: Says which jobs count.

        Raises:
            JobNotFoundError: If there is none, or none that counts.
        """
        for job in await self._around.store.called(wanted):
            if among(job):
                return job
        raise JobNotFoundError(wanted)

    async def recent(
        self, limit: int, among: Callable[[Job], bool], *, within: int | None = None
    ) -> list[Job]:
        """Return the newest jobs that count, newest first, at most `limit`.

        Args:
            limit: How many at most.
            among: Says which jobs count.
            within: How many of the newest are looked at, in hundreds; `None`: all.
        """
        found: list[Job] = []
        before: int | None = None
        seen = 0
        while page := await self._around.store.newest(_PAGE_LENGTH, before=before):
            found += [record.job for record in page if among(record.job)]
            seen += len(page)
            is_enough = len(found) >= limit or (within is not None and seen >= within)
            if is_enough or len(page) < _PAGE_LENGTH:
                break
            before = page[-1].sequence
        return found[:limit]

    def running(self) -> list[Job]:
        """Return the jobs that have begun and not settled, oldest first."""
        return [job for job in self._unsettled() if job.status is not JobStatus.QUEUED]

    def queued(self) -> list[Job]:
        """Return the jobs that wait for a place, oldest first."""
        return [job for job in self._unsettled() if job.status is JobStatus.QUEUED]

    def progress_of(self, job_id: str) -> Progress:
        """Return how far a job has come; nothing is known once it has settled."""
        live = self._carrier.live.get(job_id)
        return Progress() if live is None else live.progress

    async def cancel(self, job_id: str) -> None:
        """Have a job end as soon as it can; it settles soon afterwards.

        Raises:
            JobNotFoundError: If there is no such job.
            JobSettledError: If it has ended already.
        """
        live = self._carrier.live.get(job_id)
        if live is None:
            job = await self.find(job_id, lambda job: job.id == job_id)
            raise JobSettledError(job.name, job.status)
        await self._carrier.cancel(live)

    async def wait(self, job_id: str, *, seconds: float) -> bool:
        """Wait until a job is under way no more, at most so long; say whether it came to that."""
        live = self._carrier.live.get(job_id)
        if live is None:
            return True
        try:
            async with asyncio.timeout(seconds):
                await live.has_ended.wait()
        except TimeoutError:
            return False
        return True

    def is_live(self, job_id: str) -> bool:
        """Say whether a job waits or runs."""
        return job_id in self._carrier.live

    def report(self, job_id: str, message: str, fraction: float | None) -> None:
        """Take note of what a running job says of its progress.

        Raises:
            JobNotFoundError: If no such job is under way.
        """
        live = self._carrier.live.get(job_id)
        if live is None:
            raise JobNotFoundError(job_id)
        self._carrier.report(live, message, fraction)

    def go_on(self, records: list[JobRecord], *, untold: list[Job]) -> None:
        """Go on where an earlier bot stopped.

        Args:
            records: The jobs that have not settled, oldest first.
            untold: Those that have, but whose end the watcher may not have heard of.
        """
        for job in untold:
            self._own(self._around.tell_of_end(job, Progress()))
        lives = [LiveJob(record.job, record.run) for record in records]
        for live in lives:
            self._carrier.enqueue_again(live)
        for live in lives:
            self._own(self._carrier.carry_on(live))
        self._carrier.go_on()

    def close(self) -> None:
        """Take no more jobs and follow none any more; those that run go on by themselves."""
        self._is_open = False
        for task in self._carrying:
            task.cancel()

    def _refuse_if_closed(self) -> None:
        if not self._is_open:
            raise JobsClosedError

    def _refuse_to_resume(self, job: Job) -> None:
        live = self._carrier.live.get(job.id)
        if live is not None or not job.can_be_resumed:
            raise JobNotInterruptedError(job.name, (job if live is None else live.job).status)
        if not self._around.workspace.has(job.id):
            raise JobFilesGoneError(job.name)

    async def _accept(self, live: LiveJob, put: Callable[[], Awaitable[Job]]) -> Job:
        self._carrier.enqueue(live)
        accepted: asyncio.Future[Job] = asyncio.get_running_loop().create_future()
        self._own(
            self._carrier.carry_new(live, accepted, put=put),
            afterwards=lambda: _refuse_unanswered(accepted),
        )
        # Whoever asked may give up; a job that is as good as taken is carried all the same.
        return await asyncio.shield(accepted)

    def _own(
        self, work: Coroutine[None, None, None], *, afterwards: Callable[[], None] | None = None
    ) -> None:
        task = self._tasks.create_task(work)
        self._carrying.add(task)
        task.add_done_callback(self._carrying.discard)
        if afterwards is not None:
            task.add_done_callback(lambda _: afterwards())

    def _unsettled(self) -> list[Job]:
        return [live.job for live in self._carrier.live.values() if live.is_stored]

    async def _new_id(self) -> str:
        while True:
            job_id = self._around.ids.job_id()
            if not await self._around.store.has(job_id) and job_id not in self._carrier.live:
                return job_id

    def _live_job_of(self, job_id: str, request: JobRequest) -> LiveJob:
        job = Job(
            id=job_id,
            name=base_name(job_id, request.task, request.name),
            task=request.task,
            origin=request.origin,
            folder=str(self._around.workspace.path_of(job_id)),
            jail=self.jail,
            created_at=self._around.clock(),
        )
        session_id = self._around.ids.claude_session_id()
        return LiveJob(job, Run(job_id=job_id, number=1, claude_session_id=session_id))


def _refuse_unanswered(accepted: asyncio.Future[Job]) -> None:
    if not accepted.done():
        accepted.set_exception(JobsClosedError())
