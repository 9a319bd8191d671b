"""Jobs of several runs."""

import asyncio
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from extensions.callers import Caller, CallerKind
from extensions.errors import (
    JobFilesGoneError,
    JobNotFoundError,
    JobNotInterruptedError,
    QueueFullError,
    SpawnRateError,
)
from extensions.jobs.backend import RunEnded, RunNeverStarted, RunProgressed, RunStarted
from extensions.jobs.job import Job, JobStatus, Outcome
from extensions.jobs.manager import JobManager
from extensions.jobs.progress import Progress
from extensions.jobs.run import ResumeReason
from tests.fakes.job_backend import FakeJobBackend, FakeRun
from tests.fakes.job_house import JobHouse, request
from tests.fakes.waiting import until

DONE = Outcome(status=JobStatus.COMPLETED, summary="1 1 2 3 5", cost_usd=0.02, turns=2)
LOST = Outcome(status=JobStatus.INTERRUPTED, error="The machine stopped.", turns=3)
AWAY = RunEnded(
    replace(LOST, error="Papercup was away.", cost_usd=0.5),
    ended_at=1010.0,
    resume_because=ResumeReason.BOT_AWAY,
    count_goes_on=True,
)
MOVED = replace(AWAY, resume_because=ResumeReason.ADDRESS_LOST, count_goes_on=False)


@pytest.fixture
def house(tmp_path: Path) -> JobHouse:
    return JobHouse(tmp_path)


async def run_of(backend: FakeJobBackend, job_id: str, number: int = 1) -> FakeRun:
    await until(
        lambda: (
            job_id in backend.runs
            and backend.numbers.get(job_id, 1) == number
            and backend.runs[job_id].is_followed
        )
    )
    return backend.runs[job_id]


async def interrupted(house: JobHouse, jobs: JobManager, backend: FakeJobBackend) -> Job:
    """Return a job whose first run was lost."""
    spawned = await jobs.spawn(request("print fibonacci"))
    (await run_of(backend, spawned.id)).emit(RunEnded(LOST))
    return await house.watcher.settled(spawned.id)


async def settled_with(house: JobHouse, job_id: str, status: JobStatus) -> Job:
    return await house.watcher.sees(lambda job, _: job.id == job_id and job.status is status)


def stored_runs(house: JobHouse) -> list[tuple[int, str | None, str | None]]:
    with closing(sqlite3.connect(house.folder / "papercup.db")) as connection:
        sql = "SELECT number, status, resumed_because FROM runs ORDER BY number"
        return connection.execute(sql).fetchall()


class TestWhenSomebodyWantsIt:
    async def test_an_interrupted_job_goes_on_in_another_run(self, house: JobHouse) -> None:
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            stopped = await interrupted(house, jobs, backend)
            first = backend.runs[stopped.id].request
            house.clock.advance(100)
            resumed = await jobs.resume(stopped.id)
            run = await run_of(backend, stopped.id, 2)
            second = run.request
            run.emit(RunEnded(DONE, ended_at=1120.0))
            settled = await settled_with(house, stopped.id, JobStatus.COMPLETED)

        assert (resumed.status, resumed.run_number, resumed.started_at, resumed.outcome) == (
            JobStatus.RUNNING,
            2,
            1100.0,
            None,
        )
        assert first is not None
        assert second is not None
        assert second == replace(first, run_number=2, token=second.token)
        assert second.token != first.token
        assert settled.resumed_because is ResumeReason.ASKED
        assert settled.duration_seconds(now=0) == 20.0
        assert stored_runs(house) == [(1, "interrupted", None), (2, "completed", "asked")]

    async def test_only_the_token_of_its_newest_run_works(self, house: JobHouse) -> None:
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            stopped = await interrupted(house, jobs, backend)
            first = backend.runs[stopped.id].request
            await jobs.resume(stopped.id)
            second = (await run_of(backend, stopped.id, 2)).request
            assert first is not None
            assert second is not None

            assert house.callers.resolve(first.token) is None
            assert house.callers.resolve(second.token) == Caller(CallerKind.JOB, stopped.id)

    async def test_what_it_cost_is_that_of_all_its_runs(self, house: JobHouse) -> None:
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            stopped = await interrupted(house, jobs, backend)
            await jobs.resume(stopped.id)
            (await run_of(backend, stopped.id, 2)).emit(RunEnded(DONE))
            settled = await settled_with(house, stopped.id, JobStatus.COMPLETED)

        # Nobody knows what the run cost that was lost.
        assert settled.outcome == replace(DONE, cost_is_partial=True, turns=5)

    async def test_it_waits_for_a_place_like_any_other(self, house: JobHouse) -> None:
        house.limit = 1
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            stopped = await interrupted(house, jobs, backend)
            other = await jobs.spawn(request("other"))
            resumed = await jobs.resume(stopped.id)
            assert (resumed.status, resumed.started_at) == (JobStatus.QUEUED, None)
            (await run_of(backend, other.id)).emit(RunEnded(DONE))

            await run_of(backend, stopped.id, 2)

    async def test_its_end_is_told_each_time(self, house: JobHouse) -> None:
        backend = FakeJobBackend()
        house.hearing_seconds = 60
        async with house.open(backend) as jobs:
            stopped = await interrupted(house, jobs, backend)
            await jobs.resume(stopped.id)
            (await run_of(backend, stopped.id, 2)).emit(RunEnded(DONE))
            await settled_with(house, stopped.id, JobStatus.COMPLETED)

        async with house.open(backend):
            told = await house.watcher.settled(stopped.id)
        assert (told.status, told.run_number) == (JobStatus.COMPLETED, 2)

    async def test_two_who_want_it_at_once_get_one_run(self, house: JobHouse) -> None:
        backend = FakeJobBackend()
        refused: list[JobNotInterruptedError] = []

        async def resume(jobs: JobManager, job_id: str) -> None:
            try:
                await jobs.resume(job_id)
            except JobNotInterruptedError as error:
                refused.append(error)

        async with house.open(backend) as jobs:
            stopped = await interrupted(house, jobs, backend)
            async with asyncio.TaskGroup() as tasks:
                for _ in range(3):
                    tasks.create_task(resume(jobs, stopped.id))
            await run_of(backend, stopped.id, 2)

        assert len(refused) == 2

    async def test_a_job_that_was_not_interrupted_cannot_go_on(self, house: JobHouse) -> None:
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            running = await jobs.spawn(request("fox"))
            with pytest.raises(
                JobNotInterruptedError, match=r"'fox' was not interrupted \(running"
            ):
                await jobs.resume(running.id)
            (await run_of(backend, running.id)).emit(RunEnded(DONE))
            await house.watcher.settled(running.id)
            with pytest.raises(JobNotInterruptedError, match="completed"):
                await jobs.resume(running.id)
            with pytest.raises(JobNotFoundError):
                await jobs.resume("fox")

    async def test_a_job_whose_files_are_gone_cannot_go_on(self, house: JobHouse) -> None:
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            stopped = await interrupted(house, jobs, backend)
            shutil.rmtree(stopped.folder)

            with pytest.raises(JobFilesGoneError):
                await jobs.resume(stopped.id)

    async def test_it_counts_as_a_start_of_its_person(self, house: JobHouse) -> None:
        house.spawns_per_minute = 1
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            stopped = await interrupted(house, jobs, backend)

            with pytest.raises(SpawnRateError):
                await jobs.resume(stopped.id)

    async def test_a_full_queue_takes_it_no_more_than_another(self, house: JobHouse) -> None:
        house.limit, house.queue_limit = 1, 1
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            stopped = await interrupted(house, jobs, backend)
            for _ in range(2):
                await jobs.spawn(request("other"))

            with pytest.raises(QueueFullError):
                await jobs.resume(stopped.id)
            assert [job.status for job in await jobs.recent(9, lambda j: j.id == stopped.id)] == [
                JobStatus.INTERRUPTED
            ]

    async def test_another_bot_follows_the_newest_run(self, house: JobHouse) -> None:
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            stopped = await interrupted(house, jobs, backend)
            await jobs.resume(stopped.id)
            run = await run_of(backend, stopped.id, 2)
        async with house.open(backend) as jobs:
            run.emit(RunStarted(4711))
            run.emit(RunEnded(DONE))
            settled = await house.watcher.settled(stopped.id)

        assert (settled.run_number, settled.pid) == (2, 4711)
        assert settled.resumed_because is ResumeReason.ASKED

    async def test_a_new_run_that_came_to_nothing_is_started_again(self, house: JobHouse) -> None:
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            stopped = await interrupted(house, jobs, backend)
            await jobs.resume(stopped.id)
            run = await run_of(backend, stopped.id, 2)
        async with house.open(backend):
            run.emit(RunNeverStarted())
            await until(lambda: run.request is not None and run.is_followed)
            run.emit(RunEnded(DONE))
            settled = await house.watcher.settled(stopped.id)

        assert stored_runs(house) == [(1, "interrupted", None), (2, "completed", "asked")]
        assert settled.run_number == 2


class TestByItself:
    async def test_a_run_that_only_lacked_the_bot_is_followed_by_another(
        self, house: JobHouse, caplog: pytest.LogCaptureFixture
    ) -> None:
        house.limit = 1
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            spawned = await jobs.spawn(request())
            waiting = await jobs.spawn(request("waits"))
            run = await run_of(backend, spawned.id)
            run.emit(RunProgressed(Progress(turns=3)))
            run.emit(AWAY)
            second = await run_of(backend, spawned.id, 2)
            assert [job.id for job in jobs.running()] == [spawned.id]
            assert [job.id for job in jobs.queued()] == [waiting.id]
            second.emit(RunEnded(DONE))
            settled = await house.watcher.settled(spawned.id)

        # It has kept its place, and nobody was told of an end.
        assert house.watcher.statuses(spawned.id) == ["running", "queued", "completed"]
        assert settled.resumed_because is ResumeReason.BOT_AWAY
        assert f"job {spawned.id}: goes on in run 2 (bot_away)" in caplog.text
        # The count of the second run holds that of the first, but is lower: so it does not.
        assert settled.outcome == replace(DONE, cost_usd=0.52, turns=5)

    async def test_it_is_tried_once(self, house: JobHouse) -> None:
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            spawned = await jobs.spawn(request())
            (await run_of(backend, spawned.id)).emit(AWAY)
            (await run_of(backend, spawned.id, 2)).emit(AWAY)
            settled = await house.watcher.settled(spawned.id)

            assert settled.status is JobStatus.INTERRUPTED
            assert settled.can_be_resumed
            assert stored_runs(house)[1:] == [(2, "interrupted", "bot_away")]

    async def test_a_lost_address_is_mended_each_time(self, house: JobHouse) -> None:
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            spawned = await jobs.spawn(request())
            for number in (1, 2, 3):
                (await run_of(backend, spawned.id, number)).emit(MOVED)
            await run_of(backend, spawned.id, 4)

        assert [reason for _, _, reason in stored_runs(house)] == [None, *["address_lost"] * 3]

    async def test_a_job_that_was_to_be_cancelled_stays_so(self, house: JobHouse) -> None:
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            spawned = await jobs.spawn(request())
            run = await run_of(backend, spawned.id)
            run.hears = False
            await jobs.cancel(spawned.id)
            run.emit(MOVED)
            settled = await house.watcher.settled(spawned.id)

        assert settled.outcome is not None
        assert (settled.status, settled.outcome.error) == (JobStatus.CANCELLED, None)
        assert settled.run_number == 1

    async def test_its_end_is_not_lost_when_the_disk_refuses_it_at_first(
        self, house: JobHouse, caplog: pytest.LogCaptureFixture
    ) -> None:
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            spawned = await jobs.spawn(request())
            run = await run_of(backend, spawned.id)
            with closing(sqlite3.connect(house.folder / "papercup.db")) as connection:
                connection.execute(
                    "CREATE TRIGGER refusal BEFORE INSERT ON runs"
                    " BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
                )
                run.emit(AWAY)
                await until(lambda: "its end cannot be stored" in caplog.text)
                assert stored_runs(house) == [(1, None, None)]
                connection.execute("DROP TRIGGER refusal")
            await run_of(backend, spawned.id, 2)

        assert stored_runs(house) == [(1, "interrupted", None), (2, None, "bot_away")]


async def test_what_confines_a_job_is_said_of_its_newest_run(house: JobHouse) -> None:
    backend = FakeJobBackend(jail="bubblewrap")
    async with house.open(backend) as jobs:
        stopped = await interrupted(house, jobs, backend)
    backend.jail = "none"
    async with house.open(backend) as jobs:
        resumed = await jobs.resume(stopped.id)
        await run_of(backend, stopped.id, 2)

    assert (stopped.jail, resumed.jail) == ("bubblewrap", "none")
