"""`papercup jobs`, with a running bot's control socket and without."""

import asyncio
import json
import os
import sqlite3
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from typer.testing import Result

from bot.cli.sizes import size_words
from bot.control.job_routes import job_routes
from bot.control.server import serving_control
from bot.data_folder import held_data_folder
from extensions.jobs.backend import RunEnded
from extensions.jobs.job import Job, JobStatus, Outcome
from extensions.jobs.manager import JobManager
from extensions.jobs.prune_plan import PruneReason, Removal
from extensions.jobs.pruning import PruneReport
from tests.bot.cli.test_main import REPORT, papercup
from tests.fakes.job_backend import FakeJobBackend
from tests.fakes.job_house import JobHouse, request
from tests.fakes.waiting import until


class Bot:
    """What a running bot has of jobs, in a data folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.house = JobHouse(folder)
        self.backend = FakeJobBackend()
        self.asked_to_prune: list[bool] = []
        """Whether as a dry run, each time."""

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[JobManager, None]:
        path = self.folder / "control.sock"
        async with (
            asyncio.timeout(20),
            self.house.open(self.backend) as jobs,
            serving_control(path, lambda: REPORT, routes=job_routes(jobs, self._prune)),
        ):
            yield jobs

    async def _prune(self, *, dry_run: bool) -> PruneReport:
        self.asked_to_prune.append(dry_run)
        removal = Removal(
            job_id="00000001",
            name="old",
            bytes=3_400_000,
            finished_at=time.time() - 45 * 86_400,
            reason=PruneReason.AGE,
        )
        return PruneReport(removed=(removal,), kept_jobs=2, kept_bytes=900)

    async def running_job(self, jobs: JobManager, name: str, task: str = "print it") -> Job:
        job = await jobs.spawn(request(task, name=name))
        await until(lambda: job.id in self.backend.runs)
        return job

    async def settled_job(self, jobs: JobManager, name: str, summary: str = "done") -> Job:
        job = await self.running_job(jobs, name)
        outcome = Outcome(status=JobStatus.COMPLETED, summary=summary, cost_usd=0.18)
        self.backend.runs[job.id].emit(RunEnded(outcome))
        return await self.house.watcher.settled(job.id)

    async def papercup(self, *arguments: str) -> Result:
        environment = {"PAPERCUP_DATA_DIR": str(self.folder)}
        return await asyncio.to_thread(
            papercup, self.folder, "jobs", *arguments, environment=environment
        )


async def test_the_jobs_of_a_running_bot_are_listed(tmp_path: Path) -> None:
    bot = Bot(tmp_path)
    async with bot.running() as jobs:
        await bot.settled_job(jobs, "fibonacci")
        await bot.running_job(jobs, "primes")
        human = await bot.papercup("list")
        machine = await bot.papercup("list", "--json", "--limit", "1")

    assert (human.exit_code, machine.exit_code) == (0, 0)
    head, newest, oldest = human.stdout.splitlines()
    assert head.split() == ["Id", "Name", "Status", "Took", "Cost", "Task"]
    assert newest.split()[:3] == ["00000002", "primes", "running"]
    assert oldest.split()[:3] == ["00000001", "fibonacci", "completed"]
    assert "$0.18" in oldest
    shown = json.loads(machine.stdout)
    assert shown["running"] is True
    assert [job["name"] for job in shown["jobs"]] == ["primes"]


async def test_without_a_bot_the_jobs_are_shown_as_the_last_one_left_them(tmp_path: Path) -> None:
    bot = Bot(tmp_path)
    async with bot.running() as jobs:
        await bot.settled_job(jobs, "fibonacci", summary="It printed 1 1 2 3.")
        live = await bot.papercup("show", "fibonacci", "--json")
    listed = await bot.papercup("list")
    shown = await bot.papercup("show", "fibonacci")
    machine = await bot.papercup("show", "00000001", "--json")

    assert "this is how the last one left it" in listed.stdout
    assert "fibonacci" in listed.stdout
    assert "It printed 1 1 2 3." in shown.stdout
    assert json.loads(machine.stdout)["running"] is False
    assert json.loads(machine.stdout)["job"] == json.loads(live.stdout)["job"]


async def test_to_look_without_a_bot_changes_nothing(tmp_path: Path) -> None:
    bot = Bot(tmp_path)
    async with bot.running() as jobs:
        await bot.settled_job(jobs, "fibonacci")
    before = await asyncio.to_thread((tmp_path / "papercup.db").read_bytes)
    await bot.papercup("list")

    assert await asyncio.to_thread((tmp_path / "papercup.db").read_bytes) == before
    async with bot.running() as jobs:
        assert [job.name for job in await jobs.recent(9, lambda _: True)] == ["fibonacci"]


@pytest.mark.parametrize("command", ["show", "cancel"])
async def test_a_job_that_is_not_there_is_a_failure(tmp_path: Path, command: str) -> None:
    bot = Bot(tmp_path)
    async with bot.running():
        running = await bot.papercup(command, "missing")
    stopped = await bot.papercup("show", "missing")

    for result in (running, stopped):
        assert result.exit_code == 1
        assert result.stderr == "papercup: no job is called 'missing'\n"


async def test_a_job_is_cancelled_through_the_running_bot_alone(tmp_path: Path) -> None:
    bot = Bot(tmp_path)
    async with bot.running() as jobs:
        job = await bot.running_job(jobs, "fibonacci")
        cancelled = await bot.papercup("cancel", "fibonacci")
        settled = await bot.house.watcher.settled(job.id)
        again = await bot.papercup("cancel", "fibonacci")
    stopped = await bot.papercup("cancel", "fibonacci")

    assert (cancelled.exit_code, again.exit_code, stopped.exit_code) == (0, 1, 3)
    assert cancelled.stdout == "Cancelling fibonacci (00000001).\n"
    assert settled.status is JobStatus.CANCELLED
    assert "already ended" in again.stderr
    assert "no Papercup runs" in stopped.stderr


async def test_before_there_ever_was_a_bot_there_are_no_jobs(tmp_path: Path) -> None:
    bot = Bot(tmp_path)
    human = await bot.papercup("list")
    machine = await bot.papercup("list", "--json")

    assert human.exit_code == 0
    assert "There are no jobs yet." in human.stdout
    assert json.loads(machine.stdout) == {"running": False, "jobs": []}
    assert await asyncio.to_thread(os.listdir, tmp_path) == []


async def test_what_a_job_says_does_not_command_the_terminal(tmp_path: Path) -> None:
    bot = Bot(tmp_path)
    async with bot.running() as jobs:
        await bot.settled_job(jobs, "evil", summary="\x1b[2J\x1b]0;title\x07 [red]\u202edone")
        shown = await bot.papercup("show", "evil")
        machine = await bot.papercup("show", "evil", "--json")

    assert "\x1b" not in shown.stdout + machine.stdout
    assert "\x07" not in shown.stdout + machine.stdout
    assert "[red]" in shown.stdout
    assert "\u202e" not in shown.stdout


async def test_a_database_of_another_form_is_not_guessed_at(tmp_path: Path) -> None:
    (tmp_path / "papercup.db").touch()
    result = await Bot(tmp_path).papercup("list")

    assert result.exit_code == 1
    assert "was made by an older Papercup" in result.stderr


def _ends_are_told(database: Path) -> bool:
    """Say whether those who watch know of every end; until then no files are removed."""
    with closing(sqlite3.connect(database)) as connection:
        (untold,) = connection.execute("SELECT count(*) FROM jobs WHERE is_end_told = 0").fetchone()
        return bool(untold == 0)


async def test_a_running_bot_removes_old_files_itself(tmp_path: Path) -> None:
    bot = Bot(tmp_path)
    async with bot.running():
        looked = await bot.papercup("prune", "--dry-run")
        removed = await bot.papercup("prune")
        machine = await bot.papercup("prune", "--json", "--dry-run")

    assert [each.exit_code for each in (looked, removed, machine)] == [0, 0, 0]
    assert bot.asked_to_prune == [True, False, True]
    row = looked.stdout.splitlines()[1].split()
    assert row == ["00000001", "old", "45", "days", "ago", "3.4", "MB", "age"]
    assert "Would remove the files of 1 job (3.4 MB); 2 jobs keep 900 bytes." in looked.stdout
    assert "Removed the files of 1 job (3.4 MB)" in removed.stdout
    shown = json.loads(machine.stdout)
    assert (shown["running"], shown["dry_run"]) == (True, True)
    assert shown["removed"][0]["reason"] == "age"


async def test_without_a_bot_old_files_are_removed_all_the_same(tmp_path: Path) -> None:
    bot = Bot(tmp_path)
    async with bot.running() as jobs:
        job = await bot.settled_job(jobs, "old")
        await until(lambda: _ends_are_told(tmp_path / "papercup.db"))
    looked = await bot.papercup("prune", "--dry-run")
    kept = await asyncio.to_thread(os.listdir, tmp_path / "extensions")
    removed = await bot.papercup("prune")
    left = await asyncio.to_thread(os.listdir, tmp_path / "extensions")
    again = await bot.papercup("prune")

    assert "Would remove the files of 1 job" in looked.stdout
    assert "Removed the files of 1 job" in removed.stdout
    assert "Nothing is to be removed" in again.stdout
    assert (kept, left) == ([job.id], [])
    listed = await bot.papercup("list")
    assert "old" in listed.stdout


async def test_no_files_are_removed_while_somebody_else_holds_the_folder(tmp_path: Path) -> None:
    bot = Bot(tmp_path)
    async with bot.running() as jobs:
        await bot.settled_job(jobs, "old")
    with held_data_folder(tmp_path):
        looked = await bot.papercup("prune", "--dry-run")
        removed = await bot.papercup("prune")

    assert looked.exit_code == 0
    assert removed.exit_code == 1
    assert "another Papercup" in removed.stderr


async def test_where_there_never_was_a_bot_nothing_is_made_or_removed(tmp_path: Path) -> None:
    result = await Bot(tmp_path).papercup("prune")

    assert (result.exit_code, result.stdout) == (
        0,
        "Nothing is to be removed; 0 jobs keep 0 bytes.\n",
    )
    assert await asyncio.to_thread(os.listdir, tmp_path) == []


@pytest.mark.parametrize(
    ("size_bytes", "words"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (3_400_000, "3.4 MB"),
        (10**16, "10000.0 TB"),
    ],
)
def test_sizes_are_worded_for_people(size_bytes: int, words: str) -> None:
    assert size_words(size_bytes) == words
