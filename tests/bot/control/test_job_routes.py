"""Jobs over the control socket, with a real job manager behind it."""

import asyncio
import multiprocessing
import os
import pwd
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import aiohttp
import pytest

from bot.control.client import cancel_job, prune_jobs, read_job, read_jobs, read_status
from bot.control.job_reports import (
    MOST_JOBS,
    cancel_path,
    job_as_json,
    job_of_json,
    job_path,
    report_of_job,
)
from bot.control.job_routes import Prune, job_routes
from bot.control.server import serving_control
from bot.errors import ControlRefusedError
from extensions.errors import PruneError
from extensions.jobs.backend import RunEnded
from extensions.jobs.job import Job, JobStatus, Outcome
from extensions.jobs.manager import JobManager
from extensions.jobs.progress import Progress
from extensions.jobs.prune_plan import PruneReason, Removal
from extensions.jobs.pruning import PruneReport
from tests.bot.control.test_control import REPORT
from tests.fakes.job_backend import FakeJobBackend
from tests.fakes.job_house import JobHouse, request
from tests.fakes.waiting import until


@dataclass
class Office:
    socket: Path
    house: JobHouse
    backend: FakeJobBackend
    jobs: JobManager

    async def running_job(self, name: str) -> Job:
        job = await self.jobs.spawn(request(name=name))
        await until(lambda: job.id in self.backend.runs)
        return job

    async def settled_job(self, name: str) -> Job:
        job = await self.running_job(name)
        outcome = Outcome(status=JobStatus.COMPLETED, summary="done", cost_usd=0.5, turns=3)
        self.backend.runs[job.id].emit(RunEnded(outcome))
        return await self.house.watcher.settled(job.id)

    async def answer(self, method: str, target: str) -> tuple[int, str]:
        connector = aiohttp.UnixConnector(path=str(self.socket))
        async with (
            aiohttp.ClientSession(connector=connector) as session,
            session.request(method, f"http://localhost{target}") as response,
        ):
            return response.status, await response.text()


PRUNED = PruneReport(
    removed=(
        Removal(job_id="00000001", name="old", bytes=4096, finished_at=1.5, reason=PruneReason.AGE),
    ),
    kept_jobs=2,
    kept_bytes=8192,
)


async def prune(*, dry_run: bool) -> PruneReport:
    """Say something else where it is in earnest."""
    return PRUNED if dry_run else replace(PRUNED, removed=())


async def cannot_prune(*, dry_run: bool) -> PruneReport:
    del dry_run
    raise PruneError("rm: no luck")


@asynccontextmanager
async def open_office(folder: Path, prune_files: Prune = prune) -> AsyncGenerator[Office, None]:
    house, backend, path = JobHouse(folder), FakeJobBackend(), folder / "control.sock"
    async with (
        asyncio.timeout(20),
        house.open(backend) as jobs,
        serving_control(path, lambda: REPORT, routes=job_routes(jobs, prune_files)),
    ):
        yield Office(path, house, backend, jobs)


async def test_the_newest_jobs_are_listed_newest_first(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        first = await office.settled_job("first")
        await office.running_job("second")
        office.jobs.report("00000002", "half way", 0.5)
        both = await asyncio.to_thread(read_jobs, office.socket, 10)
        newest = await asyncio.to_thread(read_jobs, office.socket, 1)

    assert both is not None
    assert [(job.name, job.status, job.progress) for job in both] == [
        ("second", JobStatus.RUNNING, "half way"),
        ("first", JobStatus.COMPLETED, None),
    ]
    assert both[1] == report_of_job(first, Progress())
    assert newest == both[:1]


async def test_one_job_is_shown_by_its_id_or_name(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        job = await office.settled_job("fibonacci")
        by_id = await asyncio.to_thread(read_job, office.socket, job.id)
        by_name = await asyncio.to_thread(read_job, office.socket, "fibonacci")

    assert by_id == by_name == report_of_job(job, Progress())


async def test_a_job_is_cancelled_once(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        job = await office.running_job("fibonacci")
        report = await asyncio.to_thread(cancel_job, office.socket, "fibonacci")
        settled = await office.house.watcher.settled(job.id)
        with pytest.raises(ControlRefusedError, match="already ended"):
            await asyncio.to_thread(cancel_job, office.socket, job.id)

    assert report is not None
    assert report.id == job.id
    assert settled.status is JobStatus.CANCELLED


async def test_old_files_are_removed_or_it_is_only_said_which(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        looked = await asyncio.to_thread(prune_jobs, office.socket, dry_run=True)
        removed = await asyncio.to_thread(prune_jobs, office.socket, dry_run=False)

    assert looked == PRUNED
    assert removed == replace(PRUNED, removed=())
    assert await asyncio.to_thread(prune_jobs, office.socket, dry_run=True) is None


@pytest.mark.parametrize("value", ["yes", "true", "2", "", "01"])
async def test_a_dry_run_that_is_misspelt_removes_nothing(tmp_path: Path, value: str) -> None:
    async with open_office(tmp_path, cannot_prune) as office:
        status, _ = await office.answer("POST", f"/api/jobs/prune?dry_run={value}")

    assert status == 400


async def test_files_that_cannot_be_removed_are_a_refusal(tmp_path: Path) -> None:
    async with open_office(tmp_path, cannot_prune) as office:
        with pytest.raises(ControlRefusedError, match="rm: no luck"):
            await asyncio.to_thread(prune_jobs, office.socket, dry_run=False)


# What means something to a shell, a file system, SQL or a regular expression.
STRANGE_IDS = [
    "missing",
    "../../etc/passwd",
    "..",
    "*",
    "%",
    "_",
    "fibonacc_",
    "fib%",
    ".*",
    "f?bonacci",
    "' OR '1'='1",
    '"; DROP TABLE jobs; --',
    "fibonacci\x00",
    "fibonacci/",
    "FIBONACCI",
    "$(id)",
    "\u202efibonacci",
    "x" * 5000,
]


@pytest.mark.parametrize("wanted", STRANGE_IDS)
async def test_a_strange_id_is_no_job(tmp_path: Path, wanted: str) -> None:
    async with open_office(tmp_path) as office:
        await office.settled_job("fibonacci")
        for ask in (read_job, cancel_job):
            with pytest.raises(ControlRefusedError, match="no job is called"):
                await asyncio.to_thread(ask, office.socket, wanted)
        assert await asyncio.to_thread(read_job, office.socket, "fibonacci") is not None


@pytest.mark.parametrize("limit", ["0", "-1", "1e3", "x", "", "²", str(MOST_JOBS + 1), "9" * 5000])
async def test_a_strange_limit_is_refused(tmp_path: Path, limit: str) -> None:
    async with open_office(tmp_path) as office:
        status, text = await office.answer("GET", f"/api/jobs?limit={limit}")

    assert status == 400
    assert "whole number" in text


@pytest.mark.parametrize(
    ("method", "target", "status"),
    [
        ("GET", cancel_path("x"), 405),
        ("POST", job_path("x"), 405),
        ("DELETE", job_path("x"), 405),
        ("GET", "/api/job", 404),
    ],
)
async def test_nothing_is_done_by_the_wrong_method(
    tmp_path: Path, method: str, target: str, status: int
) -> None:
    async with open_office(tmp_path) as office:
        assert (await office.answer(method, target))[0] == status


def test_a_report_survives_the_way_over_the_socket() -> None:
    job = Job(
        id="00000001",
        name="fibonacci",
        task="print\nfibonacci",
        origin=replace(request().origin, guild_id=None),
        folder="/data/extensions/00000001",
        jail="none",
        created_at=1.5,
    )
    settled = job.started(at=2.0).settled(
        Outcome(status=JobStatus.FAILED, error="no", refused_actions=("Bash",)), at=3.0
    )
    for report in (report_of_job(job, Progress()), report_of_job(settled, Progress())):
        assert job_of_json(job_as_json(report)) == report
    with pytest.raises(ValueError, match="fields are not as expected"):
        job_of_json(b"{}")


def _open_to_all(*paths: Path) -> None:
    for path in paths:
        path.chmod(0o777)


def _ask_as(user: int, folder: Path, answers: "multiprocessing.Queue[str]") -> None:
    os.chdir(folder)
    os.setgid(user)
    os.setuid(user)
    try:
        answers.put(f"answered: {read_status(Path('control.sock'))}")
    except ControlRefusedError as error:
        answers.put(f"refused: {error}")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
async def test_another_user_is_refused_even_if_the_socket_stands_open_to_all(
    tmp_path: Path,
) -> None:
    nobody = pwd.getpwnam("nobody").pw_uid
    # A fork, as another user may be unable to start this Python.
    context = multiprocessing.get_context("fork")
    answers: multiprocessing.Queue[str] = context.Queue()
    async with open_office(tmp_path) as office:
        _open_to_all(tmp_path, office.socket)
        process = context.Process(target=_ask_as, args=(nobody, tmp_path, answers))
        process.start()
        answer = await asyncio.to_thread(answers.get, timeout=10)
        await asyncio.to_thread(process.join)

    assert answer == "refused: Only the user that runs Papercup may ask it here."
