"""A data folder whose database is lost, with the real files of real runners in it."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from bot.data_folder import DataFolder
from bot.database import open_bot_database
from extensions.callers import Caller, CallerKind, Callers
from extensions.jobs.backend import RunEnded
from extensions.jobs.extensions_json import read_extensions
from extensions.jobs.job import UNKNOWN_ORIGIN, Job, JobStatus, Outcome
from extensions.jobs.job_sheets import JobSheets
from extensions.jobs.local_backend import BotDoors, LocalBackend
from extensions.jobs.manager import JobManager
from extensions.jobs.opening import admit_jobs, open_jobs
from extensions.jobs.queue import Places
from extensions.jobs.recovery import LOST
from extensions.jobs.run_plan import LocalSettings
from extensions.process.detached import RunnerSecrets, RunnerSpec, start_runner, tell_runner
from tests.fakes.clock import FakeClock
from tests.fakes.job_backend import FakeJobBackend
from tests.fakes.job_house import OTHER_PERSON, PERSON, everything, request
from tests.fakes.job_watcher import FakeJobWatcher
from tests.fakes.waiting import until

RESULT = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "result": "It is made.",
    "num_turns": 2,
    "total_cost_usd": 0.25,
    "session_id": "0b1d4f1e-0000-4000-8000-000000000000",
}
NO_DATABASE = b"this is no database at all" * 500
PRINTS_A_RESULT = f"echo '{json.dumps(RESULT)}'"
DONE = Outcome(
    status=JobStatus.COMPLETED, summary="Made before.", cost_usd=0.5, turns=3, refused_actions=()
)


class DataHouse:
    """A data folder in which bots come and go."""

    def __init__(self, root: Path) -> None:
        self.folder = DataFolder(root)
        self.clock = FakeClock(1000.0)
        self.watcher = FakeJobWatcher()
        self.callers = Callers()

    @asynccontextmanager
    async def jobs(self, backend: FakeJobBackend | None = None) -> AsyncGenerator[JobManager, None]:
        """Open the jobs as a bot does; without a backend, with that of this machine."""
        self.watcher, self.callers = FakeJobWatcher(), Callers()
        async with open_bot_database(self.folder, clock=self.clock) as database:
            await admit_jobs(database, self.callers)
            async with open_jobs(
                database,
                backend or self._this_machine(),
                self.callers,
                folder=self.folder.extensions,
                json_path=self.folder.extensions_json,
                sheets=JobSheets(self.folder.run),
                places=Places(in_all=2),
                watcher=self.watcher,
                clock=self.clock,
                hearing_seconds=0.0,
            ) as manager:
                yield manager

    def shown(self) -> dict[str, str]:
        found = read_extensions(self.folder.extensions_json.read_bytes())
        return {job.name or "": job.status.value for job in found.jobs}

    async def start_runner(self, job: Job, script: str) -> None:
        """Have a real runner carry out a job's first run."""
        spec = RunnerSpec(command=("/bin/sh", "-c", script), cwd=self.folder.root)
        control = self.folder.run / job.id / "1"
        await start_runner(control, spec, RunnerSecrets(environment={"PATH": "/usr/bin:/bin"}))

    def _this_machine(self) -> LocalBackend:
        doors = BotDoors(
            mcp_url="http://127.0.0.1:1/mcp",
            api_url="http://127.0.0.1:1",
            sockets=_no_sockets,
            answer_was_cut=lambda _: False,
            opened_at=1000.0,
        )
        return LocalBackend(
            self.folder.run, LocalSettings(claude=Path("/bin/true")), doors, jail=None
        )


@asynccontextmanager
async def _no_sockets(_: Path) -> AsyncGenerator[None, None]:
    yield


@pytest.fixture
def house(tmp_path: Path) -> DataHouse:
    return DataHouse(tmp_path)


async def live_through_a_day(house: DataHouse) -> dict[str, Job]:
    """Leave a folder behind with jobs in every state; return them by their names."""
    backend = FakeJobBackend()
    async with house.jobs(backend) as jobs:
        done = await jobs.spawn(request(name="done"))
        await until(lambda: done.id in backend.runs and backend.runs[done.id].is_followed)
        backend.runs[done.id].emit(RunEnded(DONE))
        await house.watcher.settled(done.id)
        # Its control folder is as the runner of a job that completed leaves it.
        await house.start_runner(done, PRINTS_A_RESULT)
        found = {"done": await jobs.find(done.id, everything)}
        for name, person in (("running", PERSON), ("ended", OTHER_PERSON), ("queued", PERSON)):
            found[name] = await jobs.spawn(request(f"task of {name}", name=name, person=person))
        await house.start_runner(found["running"], "sleep 60")
        await house.start_runner(found["ended"], PRINTS_A_RESULT)
        await until(lambda: len(house.shown()) == 4)
    return found


def gone(house: DataHouse) -> None:
    for file in house.folder.root.glob("papercup.db*"):
        file.unlink()


def ruined(house: DataHouse) -> None:
    gone(house)
    house.folder.database.write_bytes(NO_DATABASE)


@pytest.mark.parametrize("lose", [ruined, gone], ids=["ruined", "gone"])
async def test_without_the_database_and_any_backup_each_job_is_what_it_truly_is(
    house: DataHouse, lose: Callable[[DataHouse], None]
) -> None:
    before = await live_through_a_day(house)
    lose(house)

    async with house.jobs() as jobs:
        ended = await house.watcher.settled(before["ended"].id)
        running = await jobs.find("running", everything)
        queued = await jobs.find("queued", everything)
        done = await jobs.find("done", everything)
        assert house.callers.resolve("nobody's") is None
        assert Caller(CallerKind.JOB, running.id) in house.callers._callers.values()
        await tell_runner(house.folder.run / running.id / "1", "cancel")
        cancelled = await house.watcher.settled(running.id)

    # What ended unseen has its true result, what runs went on, what waited came to its turn.
    assert ended.outcome == Outcome(
        status=JobStatus.COMPLETED, summary="It is made.", cost_usd=0.25, turns=2
    )
    assert running.status is JobStatus.RUNNING
    assert cancelled.status is JobStatus.CANCELLED
    assert queued.task == "task of queued"
    # The end of what had settled is not told again.
    assert done.id not in {job.id for job, _ in house.watcher.changes}
    assert done.outcome == replace(DONE, turns=None)
    for name, job in (("done", done), ("running", running), ("ended", ended), ("queued", queued)):
        assert job.origin == before[name].origin
        assert (job.name, job.folder) == (name, before[name].folder)
        assert job.created_at == before[name].created_at


async def test_the_backup_of_the_day_is_brought_up_to_date(house: DataHouse) -> None:
    backend = FakeJobBackend()
    async with house.jobs(backend) as jobs:
        for name in ("early", "long"):
            job = await jobs.spawn(request(name=name))
            await until(partial(backend.runs.__contains__, job.id))
        await until(lambda: any(house.folder.root.glob("papercup.db.backup-*")))
    house.folder.root.joinpath("papercup.db.backup-1970-01-01").unlink()
    async with house.jobs(backend) as jobs:
        await until(lambda: any(house.folder.root.glob("papercup.db.backup-*")))
        early = await jobs.find("early", everything)
        await until(lambda: backend.runs[early.id].is_followed)
        backend.runs[early.id].emit(RunEnded(DONE, ended_at=1100.0))
        settled = await house.watcher.settled(early.id)
        late = await jobs.spawn(request(name="late"))
        await until(lambda: house.shown().get("late") is not None)
    house.folder.database.write_bytes(NO_DATABASE)

    async with house.jobs(backend) as jobs:
        assert [job.name for job in await jobs.recent(9, everything)] == ["late", "long", "early"]
        assert (await jobs.find("early", everything)).finished_at == settled.finished_at
        assert (await jobs.find("late", everything)).origin == late.origin
        assert (await jobs.find("late", everything)).status is JobStatus.RUNNING


async def test_without_sheets_only_the_owner_may_see_what_extensions_json_shows(
    house: DataHouse, caplog: pytest.LogCaptureFixture
) -> None:
    before = await live_through_a_day(house)
    ruined(house)
    for sheet in house.folder.run.glob("*/job.json"):
        sheet.write_text("torn {")

    async with house.jobs() as jobs:
        ended = await house.watcher.settled(before["ended"].id)
        everyone = await jobs.recent(9, everything)
        await tell_runner(house.folder.run / before["running"].id / "1", "cancel")
        await house.watcher.settled(before["running"].id)

    assert {job.origin for job in everyone} == {UNKNOWN_ORIGIN}
    assert ended.outcome is not None
    assert ended.outcome.summary == "It is made."
    (queued,) = [job for job in everyone if job.name == "queued"]
    assert queued.outcome == LOST
    assert f"job {ended.id}: who asked for it is lost: only the owner sees it" in caplog.text


async def test_with_a_torn_extensions_json_too_the_sheets_and_the_runs_tell(
    house: DataHouse, caplog: pytest.LogCaptureFixture
) -> None:
    before = await live_through_a_day(house)
    ruined(house)
    content = house.folder.extensions_json.read_bytes()
    house.folder.extensions_json.write_bytes(content[: len(content) // 2])

    async with house.jobs() as jobs:
        for name in ("ended", "done"):
            settled = await house.watcher.settled(before[name].id)
            assert settled.outcome is not None
            assert settled.outcome.summary == "It is made."
        found = {job.name: job for job in await jobs.recent(9, everything)}
        await tell_runner(house.folder.run / before["running"].id / "1", "cancel")
        await house.watcher.settled(before["running"].id)

    assert {job.origin for job in found.values()} == {job.origin for job in before.values()}
    assert "of extensions.json is passed over: the whole file" in caplog.text


async def test_a_lost_journal_is_made_good_from_extensions_json(
    house: DataHouse, caplog: pytest.LogCaptureFixture
) -> None:
    backend = FakeJobBackend()
    async with house.jobs(backend) as jobs:
        await jobs.spawn(request(name="stays"))
    kept = house.folder.database.read_bytes()
    async with house.jobs(backend) as jobs:
        late = await jobs.spawn(request(name="late"))
        await until(lambda: house.shown().get("late") is not None)
    # As it is when the machine lost what was last written to the journal.
    house.folder.database.write_bytes(kept)

    async with house.jobs(backend) as jobs:
        assert (await jobs.find("late", everything)).origin == late.origin

    assert "extensions.json knows of jobs that the database has lost" in caplog.text


async def test_nothing_is_recovered_where_nothing_is_lost(
    house: DataHouse, caplog: pytest.LogCaptureFixture
) -> None:
    backend = FakeJobBackend()
    async with house.jobs(backend) as jobs:
        job = await jobs.spawn(request())
        await until(lambda: job.id in backend.runs)
    # A sheet that was written when the bot was killed, before the job was accepted.
    house.folder.run.joinpath("deadbeef").mkdir()
    sheet = house.folder.run.joinpath(job.id, "job.json").read_text()
    house.folder.run.joinpath("deadbeef", "job.json").write_text(sheet.replace(job.id, "deadbeef"))
    house.folder.extensions_json.write_bytes(b"torn {")

    async with house.jobs(backend) as jobs:
        assert [found.id for found in await jobs.recent(9, everything)] == [job.id]
        await until(lambda: len(house.shown()) == 1)

    assert "jobs recovered" not in caplog.text
