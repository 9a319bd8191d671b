"""Carries jobs from the queue to their end, each in a task of its own."""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace

from extensions.callers import token_hash
from extensions.disk import is_disk_full
from extensions.errors import DiskFullError, LocalProtocolError
from extensions.jobs.backend import (
    Order,
    RunEnded,
    RunEvent,
    RunNeverStarted,
    RunProgressed,
    RunRequest,
    RunStarted,
)
from extensions.jobs.costs import over_all_runs
from extensions.jobs.job import Job, JobStatus, Outcome
from extensions.jobs.live_job import LiveJob
from extensions.jobs.progress import Progress
from extensions.jobs.queue import FairQueue
from extensions.jobs.run import ResumeReason, Run
from extensions.jobs.surroundings import Surroundings

logger = logging.getLogger(__name__)


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
        self._queue.put(*_asked(live.job))
        self.live[live.job.id] = live
        self._fill_places()

    def enqueue_again(self, live: LiveJob) -> None:
        """Have a job wait that was accepted by an earlier bot; nothing starts before `go_on`."""
        live.is_stored = True
        self.live[live.job.id] = live
        if live.job.status is JobStatus.QUEUED:
            self._queue.put_back(*_asked(live.job))
        else:
            self._queue.adopt(*_asked(live.job))

    def go_on(self) -> None:
        """Let jobs start that there are places for."""
        self._fill_places()

    async def carry_new(
        self, live: LiveJob, accepted: asyncio.Future[Job], *, put: Callable[[], Awaitable[Job]]
    ) -> None:
        """Carry a job that is in the queue but not yet stored.

        Args:
            live: The job.
            accepted: Gets the job once it is stored, or the reason why it is not.
            put: Stores it, and returns it as it is stored.
        """
        if live.turn_came.is_set():
            self._begin(live)
        try:
            live.job = await put()
            accepted.set_result(live.job)
        except Exception as error:  # noqa: BLE001 - handed to whoever asked for the job
            self._forget(live)
            accepted.set_exception(DiskFullError() if is_disk_full(error) else error)
            return
        live.is_stored = True
        self._around.show(live)
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
        self._around.tell(live.job, live.progress)

    async def _carry(self, live: LiveJob, begin: "_Step") -> None:
        try:
            ended = await begin(live)
            while True:
                if isinstance(ended, RunNeverStarted):
                    await self._queue_again(live)
                elif (because := _reason_for_another(live, ended)) is not None:
                    await self._begin_another(live, ended, because)
                else:
                    break
                ended = await self._run_in_turn(live)
        except Exception as error:
            logger.exception("job %s: cannot be followed", live.job.id)
            ended = RunEnded(_DISK_FULL if is_disk_full(error) else _FAULT)
            await self._stop_run(live)
        try:
            await self._settle(live, ended)
        except Exception:  # one job whose end is odd must not end the others
            logger.exception("job %s: its end cannot be stored as it is told", live.job.id)
            await self._settle(live, RunEnded(_FAULT, ended.ended_at))

    async def _run_in_turn(self, live: LiveJob) -> RunEnded | RunNeverStarted:
        await live.turn_came.wait()
        if live.cancel_wanted:
            return RunEnded(Outcome(status=JobStatus.CANCELLED))
        if live.token is None:
            self._begin(live)
            await self._around.save(live)
        assert live.token is not None
        assert live.run.token_hash is not None
        self._around.callers.admit(live.caller, live.run.token_hash)
        try:
            self._around.workspace.prepare(live.job.id)
        except OSError as error:
            logger.warning("job %s: its folder cannot be made: %s", live.job.id, error)
            return RunEnded(_DISK_FULL if is_disk_full(error) else _NO_FOLDER)
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
        # What confines it is decided when it starts: another bot may have taken it.
        live.job = replace(live.job.started(at=now), jail=self._around.backend.jail)
        live.run = live.run.started(token_hash=token_hash(live.token), at=now)

    async def _has_pid(self, live: LiveJob, pid: int) -> None:
        if live.job.pid != pid:
            live.job = live.job.with_pid(pid)
            await self._around.save_if_possible(live)
        if live.cancel_wanted:
            # It may have been asked for when nothing could hear it yet.
            await self._stop_run(live)

    def _got_on(self, live: LiveJob, progress: Progress) -> None:
        told = live.progress
        if told.message is not None:
            progress = progress.reported(told.message, told.fraction)
        live.progress = progress
        self._around.tell(live.job, live.progress)

    async def _queue_again(self, live: LiveJob) -> None:
        self._around.callers.revoke(live.caller)
        live.job = live.job.queued_again()
        live.run = live.run.not_started()
        live.turn_came.clear()
        self._queue.put_back(*_asked(live.job))
        if live.cancel_wanted:
            self._queue.leave(live.job.id)
            live.turn_came.set()
        await self._around.save_if_possible(live)
        self._fill_places()

    async def _begin_another(self, live: LiveJob, ended: RunEnded, because: ResumeReason) -> None:
        """Have a job whose run has ended wait, with its place, for a run that goes on."""
        self._around.callers.revoke(live.caller)
        job, run = await self._ended(live, ended)
        next_job = job.resumed(because)
        next_run = run.followed(
            because=because, new_session_id=self._around.ids.claude_session_id()
        )
        await self._around.store_at_last(
            job.id,
            lambda: self._around.store.begin_another((job, run), (next_job, next_run)),
        )
        logger.warning("job %s: goes on in run %d (%s)", job.id, next_run.number, because)
        live.job, live.run, live.progress = next_job, next_run, Progress()
        live.turn_came.set()
        self._around.show(live)

    async def _ended(self, live: LiveJob, ended: RunEnded) -> tuple[Job, Run]:
        at = ended.ended_at if ended.ended_at is not None else self._around.clock()
        outcome = ended.outcome
        try:
            earlier = await self._around.store.earlier_runs(live.run)
        except sqlite3.Error:
            logger.exception("job %s: what its earlier runs cost is not known", live.job.id)
            outcome = replace(outcome, cost_is_partial=live.run.number > 1)
        else:
            outcome = outcome if earlier is None else over_all_runs(outcome, earlier)
        run = live.run.ended(at=at, count_goes_on=ended.count_goes_on)
        return live.job.settled(outcome, at=at), run

    async def _settle(self, live: LiveJob, ended: RunEnded) -> None:
        if live.cancel_wanted and ended.resume_because is not None:
            cancelled = replace(ended.outcome, status=JobStatus.CANCELLED, error=None)
            ended = replace(ended, outcome=cancelled)
        job, run = await self._ended(live, ended)
        await self._around.store_at_last(job.id, lambda: self._around.store.save(job, run))
        live.job, live.run = job, run
        self._around.callers.revoke(live.caller)
        self._forget(live)
        logger.info("job %s: %s", job.id, job.status)
        self._around.file.put(job)
        await self._around.tell_of_end(job, live.progress)

    async def _stop_run(self, live: LiveJob) -> None:
        try:
            await self._around.backend.tell(live.job.id, live.run.number, Order.CANCEL)
        except Exception:
            logger.exception("job %s: cannot be told to stop", live.job.id)

    def _forget(self, live: LiveJob) -> None:
        self.live.pop(live.job.id, None)
        live.has_ended.set()
        self._queue.leave(live.job.id)
        self._fill_places()

    def _fill_places(self) -> None:
        while (job_id := self._queue.take()) is not None:
            self.live[job_id].turn_came.set()


_Step = Callable[[LiveJob], Awaitable[RunEnded | RunNeverStarted]]
_FAULT = Outcome(
    status=JobStatus.FAILED, error="Papercup lost hold of it by a fault of its own; see its log."
)
_DISK_FULL = Outcome(
    status=JobStatus.FAILED, error="The disk is full, so that it could not be started."
)
_NO_FOLDER = Outcome(status=JobStatus.FAILED, error="The folder for it could not be made.")


def _reason_for_another(live: LiveJob, ended: RunEnded) -> ResumeReason | None:
    """Return why a job goes on by itself in another run, if it does."""
    because = ended.resume_because
    # Nobody knows what would become of it the next time.
    is_once_more = because is ResumeReason.BOT_AWAY and live.run.resumed_because is because
    return None if live.cancel_wanted or is_once_more else because


def _asked(job: Job) -> tuple[str, int, int | None]:
    return job.id, job.origin.person_id, job.origin.guild_id


def _run_request(live: LiveJob, token: str) -> RunRequest:
    return RunRequest(
        job_id=live.job.id,
        run_number=live.run.number,
        task=live.job.task,
        claude_session_id=live.run.claude_session_id,
        folder=live.job.folder,
        token=token,
    )
