"""The jobs of this bot: how they are asked for, looked up and stopped."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path

from extensions.callers import Caller, CallerKind, Callers
from extensions.database import Database
from extensions.errors import JobNotFoundError, JobsClosedError, JobSettledError
from extensions.jobs.backend import JobBackend
from extensions.jobs.carrier import Carrier, JobWatcher, Surroundings
from extensions.jobs.extensions_file import keeping_extensions_file
from extensions.jobs.extensions_json import NEWEST_LIMIT
from extensions.jobs.job import Job, JobRequest, JobStatus
from extensions.jobs.live_job import LiveJob, NewIds
from extensions.jobs.naming import base_name
from extensions.jobs.progress import Progress
from extensions.jobs.queue import FairQueue
from extensions.jobs.run import Run
from extensions.jobs.store import JobRecord, JobStore
from extensions.jobs.workspace import Workspace

_PAGE_LENGTH = 100


class JobManager:
    """All jobs. Get one from `open_jobs`."""

    def __init__(self, carrier: Carrier, around: Surroundings, tasks: asyncio.TaskGroup) -> None:
        self._carrier = carrier
        self._around = around
        self._tasks = tasks
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
            JobsClosedError: If the program is about to end.
            sqlite3.Error: If it cannot be stored.
        """
        self._refuse_if_closed()
        live = self._live_job_of(await self._new_id(), request)
        self._refuse_if_closed()
        self._carrier.enqueue(live)
        accepted: asyncio.Future[Job] = asyncio.get_running_loop().create_future()
        self._own(
            self._carrier.carry_new(live, accepted),
            afterwards=lambda: _refuse_unanswered(accepted),
        )
        # Whoever asked may give up; a job that is as good as taken is carried all the same.
        return await asyncio.shield(accepted)

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

    async def recent(self, limit: int, among: Callable[[Job], bool]) -> list[Job]:
        """Return the newest jobs that count, newest first, at most `limit`."""
        found: list[Job] = []
        before: int | None = None
        while page := await self._around.store.newest(_PAGE_LENGTH, before=before):
            found += [record.job for record in page if among(record.job)]
            if len(found) >= limit or len(page) < _PAGE_LENGTH:
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

    def report(self, job_id: str, message: str, fraction: float | None) -> None:
        """Take note of what a running job says of its progress.

        Raises:
            JobNotFoundError: If no such job is under way.
        """
        live = self._carrier.live.get(job_id)
        if live is None:
            raise JobNotFoundError(job_id)
        self._carrier.report(live, message, fraction)

    def resume(self, records: list[JobRecord], *, untold: list[Job]) -> None:
        """Go on where an earlier bot stopped.

        Args:
            records: The jobs that have not settled, oldest first.
            untold: Those that have, but whose end the watcher may not have heard of.
        """
        for job in untold:
            self._own(self._carrier.tell_of_end(job, Progress()))
        resumed = [LiveJob(record.job, record.run) for record in records]
        for live in resumed:
            self._carrier.enqueue_again(live)
        for live in resumed:
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


@asynccontextmanager
async def open_jobs(
    database: Database,
    backend: JobBackend,
    callers: Callers,
    *,
    folder: Path,
    json_path: Path,
    limit: int,
    watcher: JobWatcher,
    queue_limit: int = 100,
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
        limit: How many may run at once.
        watcher: Is told of each change, after it is stored. Of a job's end it may be told twice,
            if the program ends soon after it was told for the first time.
        queue_limit: How many may wait for a place.
        clock: Gives Unix time, in seconds.
        ids: Where random values come from.
        hearing_seconds: How long after a job's end the watcher is taken to know of it for good.
    """
    store = JobStore(database)
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
        carrier = Carrier(FairQueue(places=limit, capacity=queue_limit), around)
        manager = JobManager(carrier, around, tasks)
        try:
            manager.resume(unsettled, untold=untold)
            yield manager
        finally:
            manager.close()


async def admit_jobs(database: Database, callers: Callers) -> None:
    """Let the jobs call that an earlier bot started, before `open_jobs` follows them again."""
    for record in await JobStore(database).unsettled():
        if record.run.token_hash is not None:
            callers.admit(Caller(CallerKind.JOB, record.job.id), record.run.token_hash)
