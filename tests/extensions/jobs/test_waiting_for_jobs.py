import asyncio
from pathlib import Path

import pytest

from extensions.jobs.backend import RunEnded
from extensions.jobs.job import JobStatus, Outcome
from extensions.jobs.run import ResumeReason
from tests.fakes.job_backend import FakeJobBackend
from tests.fakes.job_house import JobHouse, everything, request
from tests.fakes.waiting import until

DONE = Outcome(status=JobStatus.COMPLETED)
AWAY = Outcome(status=JobStatus.INTERRUPTED, error="Papercup was away for too long.")


@pytest.fixture
def house(tmp_path: Path) -> JobHouse:
    return JobHouse(tmp_path)


async def test_the_wait_ends_when_the_jobs_end_is_stored(house: JobHouse) -> None:
    backend = FakeJobBackend()
    async with house.open(backend) as jobs, asyncio.timeout(10), asyncio.TaskGroup() as tasks:
        job = await jobs.spawn(request())
        waiting = tasks.create_task(jobs.wait(job.id, seconds=30))
        await until(lambda: job.id in backend.runs)
        assert not waiting.done()
        backend.runs[job.id].emit(RunEnded(DONE))
        has_ended = await waiting
        found = await jobs.find(job.id, everything)

    assert has_ended
    assert found.status is JobStatus.COMPLETED


async def test_a_job_that_goes_on_in_another_run_has_not_ended(house: JobHouse) -> None:
    backend = FakeJobBackend()
    async with house.open(backend) as jobs, asyncio.timeout(10), asyncio.TaskGroup() as tasks:
        job = await jobs.spawn(request())
        waiting = tasks.create_task(jobs.wait(job.id, seconds=30))
        await until(lambda: job.id in backend.runs)
        backend.runs[job.id].emit(RunEnded(AWAY, resume_because=ResumeReason.BOT_AWAY))
        await until(lambda: backend.numbers[job.id] == 2)
        assert not waiting.done()
        backend.runs[job.id].emit(RunEnded(DONE))

        assert await waiting


async def test_the_wait_ends_when_its_time_is_up(house: JobHouse) -> None:
    async with house.open(FakeJobBackend()) as jobs:
        job = await jobs.spawn(request())

        assert not await jobs.wait(job.id, seconds=0.01)
        assert jobs.is_live(job.id)


async def test_a_job_that_is_not_under_way_is_not_waited_for(house: JobHouse) -> None:
    async with house.open(FakeJobBackend()) as jobs:
        assert await jobs.wait("00000000", seconds=30)
