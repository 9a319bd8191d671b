"""Carries jobs from the queue to their end, each in a task of its own."""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from extensions.callers import Callers, token_hash
from extensions.errors import LocalProtocolError
from extensions.jobs.backend import (
    JobBackend,
    Order,
    RunEnded,
    RunEvent,
    RunNeverStarted,
    RunProgressed,
    RunRequest,
    RunStarted,
)
from extensions.jobs.extensions_file import ExtensionsFile
from extensions.jobs.job import Job, JobStatus, Outcome
from extensions.jobs.live_job import LiveJob, NewIds
from extensions.jobs.progress import Progress
from extensions.jobs.queue import FairQueue
from extensions.jobs.run import Run
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


class Carrier:
    """Carries jobs from the queue to their end."""

    def __init__(self, queue: FairQueue, around: Surroundings) -> None:
        self.live: dict[str, LiveJob] = {}
        """By job id, in the order in which they were accepted."""
        self._queue = queue
        self._around = around

    def enqueue(self, live: LiveJob) -> None:
        """Have a new job wait for its place.

        Raises:
            QueueFullError: If too many wait already.
        """
        self._queue.put(live.job.id, live.job.origin.person_id)
        self.live[live.job.id] = live
        self._fill_places()

    def enqueue_again(self, live: LiveJob) -> None:
        """Have a job wait that was accepted by an earlier bot; nothing starts before `go_on`."""
        live.is_stored = True
        self.live[live.job.id] = live
        if live.job.status is JobStatus.QUEUED:
            self._queue.put_back(live.job.id, live.job.origin.person_id)
        else:
            self._queue.adopt(live.job.id, live.job.origin.person_id)

    def go_on(self) -> None:
        """Let jobs start that there are places for."""
        self._fill_places()

    async def carry_new(self, live: LiveJob, accepted: asyncio.Future[Job]) -> None:
        """Carry a job that is in the queue but not yet stored.

        Args:
            live: The job.
            accepted: Gets the job once it is stored, or the reason why it is not.
        """
        if live.turn_came.is_set():
            self._begin(live)
        try:
            live.job = await self._around.store.add(live.job, live.run)
            accepted.set_result(live.job)
        except Exception as error:  # noqa: BLE001 - handed to whoever asked for the job
            self._forget(live)
            accepted.set_exception(error)
            return
        live.is_stored = True
        self._show(live)
        await self._carry(live, self._run_in_turn)

    async def carry_on(self, live: LiveJob) -> None:
        """Carry a job that an earlier bot accepted."""
        waits = live.job.status is JobStatus.QUEUED
        await self._carry(live, self._run_in_turn if waits else self._attach)

    async def cancel(self, live: LiveJob) -> None:
        """Have a job end as soon as it can."""
        live.cancel_wanted = True
        if live.job.status is JobStatus.QUEUED:
            self._queue.leave(live.job.id)
            live.turn_came.set()
        else:
            await self._around.backend.tell(live.job.id, live.run.number, Order.CANCEL)

    def report(self, live: LiveJob, message: str, fraction: float | None) -> None:
        """Take note of what a job says of its progress."""
        live.progress = live.progress.reported(message, fraction)
        self._tell(live.job, live.progress)

    async def tell_of_end(self, job: Job, progress: Progress) -> None:
        """Tell the watcher that a job has settled; if it may not have heard, the next bot will."""
        self._tell(job, progress)
        await asyncio.sleep(self._around.hearing_seconds)
        try:
            await self._around.store.end_was_told(job.id)
        except sqlite3.Error:
            logger.exception("job %s: that its end was told cannot be stored", job.id)

    async def _carry(self, live: LiveJob, begin: "_Step") -> None:
        try:
            ended = await begin(live)
            while isinstance(ended, RunNeverStarted):
                await self._queue_again(live)
                ended = await self._run_in_turn(live)
        except Exception:
            logger.exception("job %s: cannot be followed", live.job.id)
            ended = RunEnded(_FAULT)
            await self._stop_run(live)
        await self._settle(live, ended)

    async def _run_in_turn(self, live: LiveJob) -> RunEnded | RunNeverStarted:
        await live.turn_came.wait()
        if live.cancel_wanted:
            return RunEnded(Outcome(status=JobStatus.CANCELLED))
        if live.token is None:
            self._begin(live)
            await self._save(live)
        assert live.token is not None
        assert live.run.token_hash is not None
        self._around.callers.admit(live.caller, live.run.token_hash)
        try:
            self._around.workspace.prepare(live.job.id)
        except OSError as error:
            logger.warning("job %s: its folder cannot be made: %s", live.job.id, error)
            return RunEnded(_NO_FOLDER)
        request = _run_request(live, live.token)
        live.token = None
        async with self._around.backend.start(request) as events:
            return await self._follow(live, events)

    async def _attach(self, live: LiveJob) -> RunEnded | RunNeverStarted:
        if live.run.token_hash is not None:
            self._around.callers.admit(live.caller, live.run.token_hash)
        async with self._around.backend.attach(live.job.id, live.run.number) as events:
            return await self._follow(live, events)

    async def _follow(
        self, live: LiveJob, events: AsyncIterator[RunEvent]
    ) -> RunEnded | RunNeverStarted:
        async for event in events:
            match event:
                case RunStarted(pid=pid):
                    await self._has_pid(live, pid)
                case RunProgressed(progress=progress):
                    self._got_on(live, progress)
                case RunEnded() | RunNeverStarted():
                    return event
        raise LocalProtocolError(f"the events of job {live.job.id} stopped before its end")

    def _begin(self, live: LiveJob) -> None:
        now = self._around.clock()
        live.token = self._around.ids.token()
        live.job = live.job.started(at=now)
        live.run = live.run.started(token_hash=token_hash(live.token), at=now)

    async def _has_pid(self, live: LiveJob, pid: int) -> None:
        if live.job.pid != pid:
            live.job = live.job.with_pid(pid)
            await self._save(live)
        if live.cancel_wanted:
            # It may have been asked for when nothing could hear it yet.
            await self._stop_run(live)

    def _got_on(self, live: LiveJob, progress: Progress) -> None:
        told = live.progress
        if told.message is not None:
            progress = progress.reported(told.message, told.fraction)
        live.progress = progress
        self._tell(live.job, live.progress)

    async def _queue_again(self, live: LiveJob) -> None:
        self._around.callers.revoke(live.caller)
        live.job = live.job.queued_again()
        live.run = live.run.not_started()
        live.turn_came.clear()
        self._queue.put_back(live.job.id, live.job.origin.person_id)
        if live.cancel_wanted:
            self._queue.leave(live.job.id)
            live.turn_came.set()
        await self._save(live)
        self._fill_places()

    async def _settle(self, live: LiveJob, ended: RunEnded) -> None:
        at = ended.ended_at if ended.ended_at is not None else self._around.clock()
        job = live.job.settled(ended.outcome, at=at)
        run = live.run.ended(at=at)
        await self._store_at_last(job, run)
        live.job, live.run = job, run
        self._around.callers.revoke(live.caller)
        self._forget(live)
        logger.info("job %s: %s", job.id, job.status)
        self._around.file.put(job)
        await self.tell_of_end(job, live.progress)

    async def _store_at_last(self, job: Job, run: Run) -> None:
        """Store the end of a job, however long it takes until the disk takes it.

        If the program ends first, the next one finds the run ended and stores that.
        """
        delay = _FIRST_RETRY_SECONDS
        while True:
            try:
                return await self._around.store.save(job, run)
            except sqlite3.Error:
                logger.exception("job %s: its end cannot be stored; trying again", job.id)
            await asyncio.sleep(delay)
            delay = min(2 * delay, _LAST_RETRY_SECONDS)

    async def _stop_run(self, live: LiveJob) -> None:
        try:
            await self._around.backend.tell(live.job.id, live.run.number, Order.CANCEL)
        except Exception:
            logger.exception("job %s: cannot be told to stop", live.job.id)

    async def _save(self, live: LiveJob) -> None:
        await self._around.store.save(live.job, live.run)
        self._show(live)

    def _show(self, live: LiveJob) -> None:
        self._around.file.put(live.job)
        self._tell(live.job, live.progress)

    def _tell(self, job: Job, progress: Progress) -> None:
        try:
            self._around.watcher.job_changed(job, progress)
        except Exception:
            logger.exception("job %s: whoever watches it failed", job.id)

    def _forget(self, live: LiveJob) -> None:
        self.live.pop(live.job.id, None)
        self._queue.leave(live.job.id)
        self._fill_places()

    def _fill_places(self) -> None:
        while (job_id := self._queue.take()) is not None:
            self.live[job_id].turn_came.set()


_Step = Callable[[LiveJob], Awaitable[RunEnded | RunNeverStarted]]
_FAULT = Outcome(
    status=JobStatus.FAILED, error="Papercup lost hold of it by a fault of its own; see its log."
)
_NO_FOLDER = Outcome(status=JobStatus.FAILED, error="The folder for it could not be made.")


def _run_request(live: LiveJob, token: str) -> RunRequest:
    return RunRequest(
        job_id=live.job.id,
        run_number=live.run.number,
        task=live.job.task,
        claude_session_id=live.run.claude_session_id,
        folder=live.job.folder,
        token=token,
    )
