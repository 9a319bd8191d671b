import asyncio
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from bot.migrations import migrations
from extensions.callers import Caller, CallerKind, Callers
from extensions.database import open_database
from extensions.errors import JobNotFoundError, JobsClosedError, JobSettledError, QueueFullError
from extensions.jobs.backend import Order, RunEnded, RunNeverStarted, RunProgressed, RunStarted
from extensions.jobs.job import Job, JobStatus, Outcome
from extensions.jobs.manager import JobManager
from extensions.jobs.opening import admit_jobs
from extensions.jobs.progress import Progress
from tests.fakes.job_backend import FakeJobBackend, FakeRun
from tests.fakes.job_house import OTHER_PERSON, PERSON, JobHouse, everything, request
from tests.fakes.waiting import until

DONE = Outcome(status=JobStatus.COMPLETED, summary="1 1 2 3 5", cost_usd=0.02, turns=2)

REFUSAL = """
    CREATE TRIGGER refusal BEFORE UPDATE ON runs WHEN NEW.ended_at IS NOT NULL
    BEGIN SELECT RAISE(ABORT, 'the disk is full'); END
"""


@pytest.fixture
def house(tmp_path: Path) -> JobHouse:
    return JobHouse(tmp_path)


async def run_of(backend: FakeJobBackend, job_id: str) -> FakeRun:
    await until(lambda: job_id in backend.runs and backend.runs[job_id].is_followed)
    return backend.runs[job_id]


def shown_in(house: JobHouse) -> dict[str, str]:
    records = json.loads(house.json_path.read_bytes())["extensions"]
    return {record["id"]: record["status"] for record in records}


def contents_of(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in folder.rglob("*") if path.is_file()]


async def is_settled(jobs: JobManager, job_id: str) -> bool:
    return (await jobs.find(job_id, everything)).status.is_settled


def execute(house: JobHouse, sql: str) -> None:
    with closing(sqlite3.connect(house.folder / "papercup.db")) as connection:
        connection.execute(sql)


def is_heard(house: JobHouse, job_id: str) -> bool:
    with closing(sqlite3.connect(house.folder / "papercup.db")) as connection:
        sql = "SELECT is_end_told FROM jobs WHERE id = ?"
        (is_told,) = connection.execute(sql, (job_id,)).fetchone()
    return bool(is_told)


class TestSpawning:
    async def test_a_job_runs_when_there_is_a_place_and_settles_when_its_run_ends(
        self, house: JobHouse
    ) -> None:
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            spawned = await jobs.spawn(request("print fibonacci", name="Fibonacci!"))
            assert (spawned.id, spawned.name, spawned.status, spawned.started_at) == (
                "00000001",
                "fibonacci",
                JobStatus.RUNNING,
                1000.0,
            )
            run = await run_of(backend, spawned.id)
            run.emit(RunStarted(4711))
            run.emit(RunEnded(DONE, ended_at=1012.5))
            settled = await house.watcher.settled(spawned.id)

            assert settled == spawned.with_pid(4711).settled(DONE, at=1012.5)
            assert await jobs.find("fibonacci", everything) == settled
            assert jobs.running() == []
        assert shown_in(house) == {spawned.id: "completed"}

    async def test_its_run_gets_the_task_a_folder_of_its_own_a_session_and_a_token(
        self, house: JobHouse
    ) -> None:
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            spawned = await jobs.spawn(request("print fibonacci"))
            asked = (await run_of(backend, spawned.id)).request

            assert asked is not None
            assert (asked.job_id, asked.run_number, asked.task) == (
                spawned.id,
                1,
                "print fibonacci",
            )
            assert asked.folder == spawned.folder == str(house.extensions / spawned.id)
            assert (house.extensions / spawned.id).is_dir()
            assert len(asked.claude_session_id) == 36
            assert house.callers.resolve(asked.token) == Caller(CallerKind.JOB, spawned.id)

    async def test_its_token_works_no_more_once_it_is_known_to_have_settled(
        self, house: JobHouse
    ) -> None:
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            spawned = await jobs.spawn(request())
            run = await run_of(backend, spawned.id)
            assert run.request is not None
            run.emit(RunEnded(DONE))
            await house.watcher.settled(spawned.id)

            assert house.callers.resolve(run.request.token) is None

    async def test_the_token_is_in_no_file(self, house: JobHouse) -> None:
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            spawned = await jobs.spawn(request())
            run = await run_of(backend, spawned.id)
            assert run.request is not None
            token = run.request.token.encode()

        assert not any(token in content for content in contents_of(house.folder))

    async def test_a_name_that_the_person_used_before_gets_a_number(self, house: JobHouse) -> None:
        async with house.open(FakeJobBackend()) as jobs:
            names = [
                (await jobs.spawn(request("print fibonacci", person=person))).name
                for person in (PERSON, PERSON, OTHER_PERSON)
            ]

        assert names == ["print-fibonacci", "print-fibonacci-2", "print-fibonacci"]

    async def test_spawns_at_the_same_moment_become_different_jobs(self, house: JobHouse) -> None:
        spawned: list[Job] = []

        async def spawn(jobs: JobManager) -> None:
            spawned.append(await jobs.spawn(request("fox")))

        async with house.open(FakeJobBackend()) as jobs, asyncio.TaskGroup() as tasks:
            for _ in range(20):
                tasks.create_task(spawn(jobs))

        assert len({job.id for job in spawned}) == 20
        assert len({job.name for job in spawned}) == 20

    async def test_an_asker_that_gives_up_loses_no_job(self, house: JobHouse) -> None:
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            async with asyncio.TaskGroup() as tasks:
                asking = tasks.create_task(jobs.spawn(request("print fibonacci")))
                await house.accepting.wait()
                asking.cancel()
            assert asking.cancelled()
            (await run_of(backend, "00000001")).emit(RunEnded(DONE))

            await house.watcher.settled("00000001")

    async def test_a_folder_that_cannot_be_made_fails_the_job(self, house: JobHouse) -> None:
        house.extensions.write_text("a file where the folder should be")
        async with house.open(FakeJobBackend()) as jobs:
            spawned = await jobs.spawn(request())
            settled = await house.watcher.settled(spawned.id)

        assert settled.outcome == Outcome(
            status=JobStatus.FAILED, error="The folder for it could not be made."
        )

    async def test_a_fault_of_the_backend_fails_the_job_and_no_other(
        self, house: JobHouse, caplog: pytest.LogCaptureFixture
    ) -> None:
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            first = await jobs.spawn(request("first"))
            await run_of(backend, first.id)
            backend.fault = RuntimeError("the machine is on fire")
            second = await jobs.spawn(request("second"))
            settled = await house.watcher.settled(second.id)

            assert settled.status is JobStatus.FAILED
            assert jobs.running() == [first]
        assert "the machine is on fire" in caplog.text
        assert "second" not in caplog.text

    async def test_no_job_is_taken_once_it_is_closed(self, house: JobHouse) -> None:
        async with house.open(FakeJobBackend()) as jobs:
            pass

        with pytest.raises(JobsClosedError):
            await jobs.spawn(request())

    async def test_an_end_that_the_disk_refuses_is_stored_as_soon_as_it_can_be(
        self, house: JobHouse, caplog: pytest.LogCaptureFixture
    ) -> None:
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            spawned = await jobs.spawn(request())
            run = await run_of(backend, spawned.id)
            assert run.request is not None
            execute(house, REFUSAL)
            run.emit(RunEnded(DONE, ended_at=1012.5))
            await until(lambda: "disk is full" in caplog.text)
            assert [job.status for job in jobs.running()] == [JobStatus.RUNNING]
            assert house.callers.resolve(run.request.token) is not None
            execute(house, "DROP TRIGGER refusal")
            settled = await house.watcher.settled(spawned.id)

        assert settled.finished_at == 1012.5

    @pytest.mark.parametrize(
        "odd",
        [replace(DONE, turns=10**30), replace(DONE, summary="half a character: \ud83d")],
        ids=["a number that no row takes", "half a character"],
    )
    async def test_an_end_that_can_never_be_stored_fails_its_job_and_no_other(
        self, house: JobHouse, odd: Outcome
    ) -> None:
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            first, second = [await jobs.spawn(request(task)) for task in ("one", "two")]
            (await run_of(backend, first.id)).emit(RunEnded(odd, ended_at=1012.5))
            settled = await house.watcher.settled(first.id)

            assert (settled.status, settled.finished_at) == (JobStatus.FAILED, 1012.5)
            assert jobs.running() == [second]


class TestTheQueue:
    async def test_no_more_jobs_run_than_there_are_places(self, house: JobHouse) -> None:
        house.limit = 2
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            spawned = [await jobs.spawn(request(task)) for task in ("a", "b", "c")]
            assert [job.status for job in spawned] == ["running", "running", "queued"]
            assert spawned[2].started_at is None
            assert ([j.name for j in jobs.running()], [j.name for j in jobs.queued()]) == (
                ["a", "b"],
                ["c"],
            )
            (await run_of(backend, spawned[0].id)).emit(RunEnded(DONE))
            house.clock.advance(5)
            started = await house.watcher.running(spawned[2].id)

            assert backend.tasks == ["a", "b", "c"]
            assert started.created_at == 1000.0
            assert started.started_at in {1000.0, 1005.0}

    async def test_people_take_turns(self, house: JobHouse) -> None:
        house.limit = 1
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            spawned = [
                await jobs.spawn(request(task, person=person))
                for task, person in [
                    ("a1", PERSON),
                    ("a2", PERSON),
                    ("a3", PERSON),
                    ("b1", OTHER_PERSON),
                ]
            ]
            for _ in spawned:
                (job,) = jobs.running()
                (await run_of(backend, job.id)).emit(RunEnded(DONE))
                await house.watcher.settled(job.id)

        assert backend.tasks == ["a1", "a2", "b1", "a3"]

    async def test_too_many_waiting_jobs_are_refused_and_leave_nothing(
        self, house: JobHouse
    ) -> None:
        house.limit, house.queue_limit = 1, 3
        async with house.open(FakeJobBackend()) as jobs:
            for _ in range(1 + house.queue_limit):
                await jobs.spawn(request("fox"))
            with pytest.raises(QueueFullError):
                await jobs.spawn(request("one too many"))

            with pytest.raises(JobNotFoundError):
                await jobs.find("one-too-many", everything)
            assert len(jobs.queued()) == house.queue_limit

    async def test_a_thousand_at_once_are_taken_as_far_as_there_is_room_and_no_further(
        self, house: JobHouse
    ) -> None:
        refused: list[str] = []

        async def spawn(jobs: JobManager) -> None:
            try:
                await jobs.spawn(request("fox"))
            except QueueFullError as error:
                refused.append(str(error))

        async with house.open(FakeJobBackend()) as jobs:
            before = len(asyncio.all_tasks())
            async with asyncio.TaskGroup() as tasks:
                for _ in range(1000):
                    tasks.create_task(spawn(jobs))

            assert len(jobs.running()) == house.limit
            assert len(jobs.queued()) == house.queue_limit
            assert len(asyncio.all_tasks()) == before + house.limit + house.queue_limit
        assert len(refused) == 1000 - house.limit - house.queue_limit
        assert set(refused) == {"100 jobs are waiting already; let some end first"}
        sheets = list((house.folder / "run").glob("*/job.json"))
        assert len(sheets) == house.limit + house.queue_limit


class TestCancelling:
    async def test_a_running_job_is_told_and_settles_as_cancelled(self, house: JobHouse) -> None:
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            spawned = await jobs.spawn(request())
            run = await run_of(backend, spawned.id)
            await jobs.cancel(spawned.id)
            settled = await house.watcher.settled(spawned.id)

        assert settled.status is JobStatus.CANCELLED
        assert run.told == [Order.CANCEL]

    async def test_a_queued_job_never_starts(self, house: JobHouse) -> None:
        house.limit = 1
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            first = await jobs.spawn(request("first"))
            second = await jobs.spawn(request("second"))
            await jobs.cancel(second.id)
            settled = await house.watcher.settled(second.id)
            assert (settled.status, settled.started_at) == (JobStatus.CANCELLED, None)
            (await run_of(backend, first.id)).emit(RunEnded(DONE))
            await house.watcher.settled(first.id)

        assert backend.tasks == ["first"]

    async def test_a_run_that_could_not_hear_yet_is_told_again_once_it_is_up(
        self, house: JobHouse
    ) -> None:
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            spawned = await jobs.spawn(request())
            run = await run_of(backend, spawned.id)
            run.hears = False
            await jobs.cancel(spawned.id)
            assert run.told == []
            run.hears = True
            run.emit(RunStarted(4711))
            settled = await house.watcher.settled(spawned.id)

        assert settled.status is JobStatus.CANCELLED

    async def test_cancelling_twice_is_as_good_as_once(self, house: JobHouse) -> None:
        house.limit = 1
        async with house.open(FakeJobBackend()) as jobs:
            await jobs.spawn(request("first"))
            second = await jobs.spawn(request("second"))
            await jobs.cancel(second.id)
            await jobs.cancel(second.id)
            settled = await house.watcher.settled(second.id)

            assert settled.status is JobStatus.CANCELLED

    async def test_a_job_that_has_ended_cannot_be_cancelled(self, house: JobHouse) -> None:
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            spawned = await jobs.spawn(request("fox"))
            (await run_of(backend, spawned.id)).emit(RunEnded(DONE))
            await house.watcher.settled(spawned.id)

            with pytest.raises(JobSettledError, match=r"'fox' has already ended \(completed\)"):
                await jobs.cancel(spawned.id)
            with pytest.raises(JobNotFoundError):
                await jobs.cancel("fox")


class TestProgress:
    async def test_what_the_run_and_the_job_itself_tell_is_put_together(
        self, house: JobHouse
    ) -> None:
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            spawned = await jobs.spawn(request())
            run = await run_of(backend, spawned.id)
            jobs.report(spawned.id, "half of it", 0.5)
            run.emit(RunProgressed(Progress(turns=3, last_tool="Write")))
            expected = Progress(turns=3, last_tool="Write", message="half of it", fraction=0.5)
            await house.watcher.sees(lambda _, progress: progress == expected)

            assert jobs.progress_of(spawned.id) == expected

            run.emit(RunEnded(DONE))
            await house.watcher.settled(spawned.id)
            assert jobs.progress_of(spawned.id) == Progress()

    async def test_a_job_that_is_not_under_way_reports_nothing(self, house: JobHouse) -> None:
        async with house.open(FakeJobBackend()) as jobs:
            with pytest.raises(JobNotFoundError):
                jobs.report("00000001", "half of it", None)

    async def test_a_watcher_that_fails_hinders_nobody(
        self, house: JobHouse, caplog: pytest.LogCaptureFixture
    ) -> None:
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            house.watcher.fault = RuntimeError("no card for this")
            spawned = await jobs.spawn(request())
            (await run_of(backend, spawned.id)).emit(RunEnded(DONE))
            await until(lambda: is_settled(jobs, spawned.id))

        assert "no card for this" in caplog.text


class TestLookingUp:
    async def test_a_name_means_the_newest_job_that_counts(self, house: JobHouse) -> None:
        async with house.open(FakeJobBackend()) as jobs:
            anna = await jobs.spawn(request("fox", person=PERSON))
            ben = await jobs.spawn(request("fox", person=OTHER_PERSON))

            assert await jobs.find("fox", everything) == ben
            assert await jobs.find("fox", lambda job: job.origin.person_id == PERSON) == anna
            assert await jobs.find(anna.id, everything) == anna
            with pytest.raises(JobNotFoundError):
                await jobs.find(ben.id, lambda job: job.origin.person_id == PERSON)

    async def test_the_recent_jobs_are_those_that_count_newest_first(self, house: JobHouse) -> None:
        house.limit = 300
        async with house.open(FakeJobBackend()) as jobs:
            for number in range(250):
                person = PERSON if number % 100 == 0 else OTHER_PERSON
                await jobs.spawn(request(f"task {number}", person=person))

            recent = await jobs.recent(2, everything)
            own = await jobs.recent(10, lambda job: job.origin.person_id == PERSON)
            few = await jobs.recent(10, lambda job: job.origin.person_id == PERSON, within=100)

        assert [job.name for job in recent] == ["task-249", "task-248"]
        assert [job.name for job in own] == ["task-200", "task-100", "task-0"]
        assert [job.name for job in few] == ["task-200"]


class TestRestarts:
    async def test_running_jobs_go_on_and_waiting_ones_wait_on(self, house: JobHouse) -> None:
        house.limit = 1
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            first = await jobs.spawn(request("first"))
            second = await jobs.spawn(request("second"))
            (await run_of(backend, first.id)).emit(RunStarted(4711))
            await house.watcher.sees(lambda job, _: job.pid == 4711)
        run = backend.runs[first.id]
        assert run.told == []
        assert not run.is_followed
        assert run.request is not None

        async with house.open(backend) as jobs:
            await run_of(backend, first.id)
            assert house.callers.resolve(run.request.token) == Caller(CallerKind.JOB, first.id)
            assert [job.id for job in jobs.running()] == [first.id]
            assert [job.id for job in jobs.queued()] == [second.id]
            run.emit(RunEnded(DONE, ended_at=1500.0))
            settled = await house.watcher.settled(first.id)
            await house.watcher.running(second.id)

        assert settled == first.with_pid(4711).settled(DONE, at=1500.0)

    async def test_adopted_jobs_keep_others_waiting_even_when_there_are_fewer_places(
        self, house: JobHouse
    ) -> None:
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            running = [await jobs.spawn(request(task)) for task in ("a", "b")]
            for job in running:
                await run_of(backend, job.id)

        house.limit = 1
        async with house.open(backend) as jobs:
            waiting = await jobs.spawn(request("c"))
            assert waiting.status is JobStatus.QUEUED
            for job in running:
                (await run_of(backend, job.id)).emit(RunEnded(DONE))
            await house.watcher.running(waiting.id)

    async def test_a_run_that_was_never_started_is_started_now(self, house: JobHouse) -> None:
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            spawned = await jobs.spawn(request())
            run = await run_of(backend, spawned.id)
        assert run.request is not None
        old_token = run.request.token

        async with house.open(backend) as jobs:
            (await run_of(backend, spawned.id)).emit(RunNeverStarted())
            await until(lambda: run.request is not None and run.request.token != old_token)
            run.emit(RunEnded(DONE))
            settled = await house.watcher.settled(spawned.id)

            assert house.watcher.statuses(spawned.id) == ["queued", "running", "completed"]
            assert house.callers.resolve(old_token) is None
        assert settled.status is JobStatus.COMPLETED

    async def test_what_other_programs_read_is_made_anew(self, house: JobHouse) -> None:
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            spawned = [await jobs.spawn(request(task)) for task in ("a", "b")]
            (await run_of(backend, spawned[0].id)).emit(RunEnded(DONE))
            await house.watcher.settled(spawned[0].id)
            await run_of(backend, spawned[1].id)
        house.json_path.unlink()

        async with house.open(backend):
            pass

        assert shown_in(house) == {spawned[1].id: "running", spawned[0].id: "completed"}
        assert list(shown_in(house)) == [spawned[1].id, spawned[0].id]

    async def test_an_end_that_may_not_have_been_heard_is_told_again(self, house: JobHouse) -> None:
        house.hearing_seconds = 3600
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            spawned = await jobs.spawn(request())
            (await run_of(backend, spawned.id)).emit(RunEnded(DONE))
            settled = await house.watcher.settled(spawned.id)

        house.hearing_seconds = 0
        async with house.open(backend):
            assert await house.watcher.settled(spawned.id) == settled
            await until(lambda: is_heard(house, spawned.id))

        async with house.open(backend) as jobs:
            other = await jobs.spawn(request())
            await house.watcher.running(other.id)
            assert house.watcher.statuses(spawned.id) == []

    async def test_jobs_can_be_let_in_before_they_are_followed(self, house: JobHouse) -> None:
        backend = FakeJobBackend()
        async with house.open(backend) as jobs:
            spawned = await jobs.spawn(request())
            run = await run_of(backend, spawned.id)
        assert run.request is not None

        callers = Callers()
        async with open_database(house.folder / "papercup.db", migrations()) as database:
            await admit_jobs(database, callers)

        assert callers.resolve(run.request.token) == Caller(CallerKind.JOB, spawned.id)
