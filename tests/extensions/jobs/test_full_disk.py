"""What becomes of jobs while there is no room on a real disk, and afterwards."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from extensions.errors import DiskFullError
from extensions.jobs.backend import RunEnded, RunStarted
from extensions.jobs.job import JobStatus, Outcome
from extensions.jobs.run_following import follow_run
from extensions.process.detached import (
    Exited,
    RunnerSecrets,
    RunnerSpec,
    Running,
    runner_state,
    start_runner,
    watch_exit,
)
from tests.fakes.job_backend import FakeJobBackend
from tests.fakes.job_house import JobHouse, everything, request
from tests.fakes.small_disk import fill, make_room, small_disk
from tests.fakes.waiting import until

DONE = Outcome(status=JobStatus.COMPLETED, summary="1 1 2 3 5", cost_usd=0.02, turns=2)
PRINTS_AND_WAITS = 'echo \'{"type": "system"}\'; until [ -e {go} ]; do sleep 0.02; done; exit 7'


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk") as folder:
        yield folder


def shown_in(house: JobHouse) -> dict[str, str]:
    if not house.json_path.exists():
        # It is written beside the work, and may not have been yet.
        return {}
    records = json.loads(house.json_path.read_bytes())["extensions"]
    return {record["id"]: record["status"] for record in records}


async def test_a_job_that_cannot_be_stored_is_refused_with_the_reason(disk: Path) -> None:
    house = JobHouse(disk)
    async with house.open(FakeJobBackend()) as jobs:
        first = await jobs.spawn(request())
        await until(lambda: shown_in(house) == {first.id: "running"})
        fill(disk)

        with pytest.raises(DiskFullError, match="the disk is full, so nothing can be stored"):
            await jobs.spawn(request())

        assert [job.id for job in await jobs.recent(10, everything)] == [first.id]
        assert [job.id for job in jobs.running()] == [first.id]
        assert [path.name for path in (disk / "run").iterdir()] == [first.id]
        assert shown_in(house) == {first.id: "running"}

        make_room(disk)
        second = await jobs.spawn(request())
        assert second.status is JobStatus.RUNNING
        await until(lambda: second.id in shown_in(house))


async def test_an_end_that_cannot_be_stored_is_stored_and_shown_as_soon_as_there_is_room(
    disk: Path,
) -> None:
    house, backend = JobHouse(disk), FakeJobBackend()
    async with house.open(backend) as jobs:
        job = await jobs.spawn(request())
        await until(lambda: job.id in backend.runs and backend.runs[job.id].is_followed)
        fill(disk)
        backend.runs[job.id].emit(RunStarted(4711))
        backend.runs[job.id].emit(RunEnded(DONE, ended_at=1012.5))
        await house.watcher.sees(lambda seen, _: seen.pid == 4711)
        assert not (await jobs.find(job.id, everything)).status.is_settled

        make_room(disk)
        settled = await house.watcher.settled(job.id)

    assert settled.outcome == DONE
    assert settled.finished_at == 1012.5
    assert shown_in(house) == {job.id: "completed"}
    async with house.open(FakeJobBackend()) as jobs:
        assert await jobs.find(job.id, everything) == settled


async def test_a_run_that_ends_on_a_full_disk_leaves_its_exact_end(disk: Path) -> None:
    control, go = disk / "control", disk.parent / "go"
    script = PRINTS_AND_WAITS.replace("{go}", str(go))
    spec = RunnerSpec(command=("/bin/sh", "-c", script), cwd=disk)
    await start_runner(control, spec, RunnerSecrets(environment={"PATH": "/usr/bin:/bin"}))
    await until(lambda: (control / "out.jsonl").stat().st_size > 0)
    fill(disk)
    go.touch()

    async with asyncio.timeout(20):
        end = await watch_exit(control)

    assert isinstance(end, Exited)
    assert (end.code, end.reason, end.was_disk_full) == (7, "exited", True)
    (last,) = [e async for e in follow_run(control, lambda: False) if isinstance(e, RunEnded)]
    assert (last.outcome.status, last.outcome.error, last.ended_at) == (
        JobStatus.FAILED,
        "The disk became full, so that what it did last could not be kept.",
        end.finished_at,
    )


async def test_a_run_goes_on_while_its_runner_cannot_write_and_its_end_is_written_later(
    disk: Path,
) -> None:
    control, go = disk / "control", disk.parent / "go"
    script = PRINTS_AND_WAITS.replace("{go}", str(go))
    spec = RunnerSpec(command=("/bin/sh", "-c", script), cwd=disk)
    await start_runner(control, spec, RunnerSecrets(environment={"PATH": "/usr/bin:/bin"}))
    await until((control / "exit.json.tmp").exists)
    # As if the file system did not keep the room that was reserved.
    (control / "exit.json.tmp").unlink()
    fill(disk)
    go.touch()
    await until((control / "exit.json.tmp").exists)
    assert isinstance(runner_state(control), Running)

    make_room(disk)
    async with asyncio.timeout(20):
        end = await watch_exit(control)

    assert isinstance(end, Exited)
    assert end.code == 7


async def test_a_run_that_cannot_be_started_for_want_of_room_leaves_nothing_running(
    disk: Path,
) -> None:
    (disk / "control").mkdir()
    spec = RunnerSpec(command=("/bin/sleep", "60"), cwd=disk)
    fill(disk)

    with pytest.raises(OSError, match="No space left"):
        await start_runner(disk / "control", spec, RunnerSecrets(environment={}))

    assert not isinstance(runner_state(disk / "control"), Running)
