import asyncio
import os
from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.migrations import migrations
from extensions.database import Database, open_database
from extensions.jobs.job import Job, JobStatus, Origin, Outcome
from extensions.jobs.prune_plan import KeepLimits
from extensions.jobs.pruning import JobRoots, PruneReport, prune_jobs, pruning_daily
from extensions.jobs.run import Run
from extensions.jobs.store import JobStore

DAY = 24 * 3600.0
NOW = 1000 * DAY
LIMITS = KeepLimits(seconds=30 * DAY, bytes=100 << 20)
ORIGIN = Origin(session_id="5e551011", person_id=7, guild_id=1, channel_id=2)


class Shelf:
    """The files of some jobs."""

    def __init__(self, folder: Path, database: Database) -> None:
        self.roots = JobRoots(extensions=folder / "extensions", run=folder / "run")
        self.database = database
        for root in self.roots.all():
            root.mkdir()

    async def job(
        self,
        job_id: str,
        *,
        days_ago: float | None,
        kilobytes: int = 4,
        is_end_told: bool = True,
    ) -> None:
        """Put a job on the shelf that settled so long ago; `None` if it has not."""
        job = Job(
            id=job_id,
            name="fox",
            task="fox",
            origin=ORIGIN,
            folder=str(self.roots.extensions / job_id),
            jail="none",
            created_at=1.0,
        )
        run = Run(job_id=job_id, number=1, claude_session_id="session")
        await JobStore(self.database).add(job, run)
        if days_ago is not None:
            at = NOW - days_ago * DAY
            settled = job.settled(Outcome(status=JobStatus.COMPLETED), at=at)
            await JobStore(self.database).save(settled, run.ended(at=at))
            if is_end_told:
                await JobStore(self.database).end_was_told(settled)
        self.put(job_id, kilobytes=kilobytes)

    def put(self, job_id: str, *, kilobytes: int = 4) -> None:
        for root in self.roots.all():
            (root / job_id).mkdir()
        (self.roots.extensions / job_id / "made.txt").write_bytes(bytes(kilobytes * 1024))
        (self.roots.run / job_id / "out.jsonl").write_bytes(b"{}")

    def left(self) -> list[str]:
        """Return whose files are there, and what else is."""
        extensions, run = (
            sorted(path.name for path in root.iterdir()) for root in self.roots.all()
        )
        assert extensions == run
        return run

    async def prune(
        self, *, awaited: Collection[str] = (), live: Collection[str] = (), dry_run: bool = False
    ) -> PruneReport:
        async def are_awaited() -> Collection[str]:
            return awaited

        return await prune_jobs(
            self.database,
            self.roots,
            LIMITS,
            awaited=are_awaited,
            is_live=lambda job_id: job_id in live,
            now=NOW,
            dry_run=dry_run,
        )


@asynccontextmanager
async def opened(folder: Path) -> AsyncGenerator[Shelf, None]:
    async with open_database(folder / "papercup.db", migrations()) as database:
        yield Shelf(folder, database)


async def test_old_files_go_from_both_places_and_the_job_stays_known(tmp_path: Path) -> None:
    async with opened(tmp_path) as shelf:
        await shelf.job("0000000a", days_ago=31)
        await shelf.job("0000000b", days_ago=1)
        report = await shelf.prune()

        assert shelf.left() == ["0000000b"]
        assert await JobStore(shelf.database).has("0000000a")
    assert [one.job_id for one in report.removed] == ["0000000a"]
    assert report.kept_jobs == 1
    assert 4096 <= report.kept_bytes < 50_000


async def test_a_dry_run_says_the_same_and_removes_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path) as shelf:
        await shelf.job("0000000a", days_ago=31)
        dry = await shelf.prune(dry_run=True)
        assert shelf.left() == ["0000000a"]

        assert await shelf.prune() == dry
        assert shelf.left() == []


async def test_what_is_under_way_awaited_or_unknown_stays(tmp_path: Path) -> None:
    async with opened(tmp_path) as shelf:
        await shelf.job("0000000a", days_ago=None)
        await shelf.job("0000000b", days_ago=31)
        await shelf.job("0000000c", days_ago=31)
        await shelf.job("0000000e", days_ago=31, is_end_told=False)
        shelf.put("0000000d")
        for root in shelf.roots.all():
            (root / "somebody's own").mkdir()
        report = await shelf.prune(awaited=["0000000b"], live=["0000000c"])

        assert report.removed == ()
        assert len(shelf.left()) == 6


async def test_beyond_the_size_the_oldest_go_and_holes_do_not_count(tmp_path: Path) -> None:
    async with opened(tmp_path) as shelf:
        await shelf.job("0000000a", days_ago=3, kilobytes=60 * 1024)
        await shelf.job("0000000b", days_ago=2, kilobytes=60 * 1024)
        await shelf.job("0000000c", days_ago=4)
        with (shelf.roots.extensions / "0000000c" / "hole").open("wb") as file:
            file.truncate(10 << 30)
        report = await shelf.prune()

        assert shelf.left() == ["0000000b"]
    assert [(one.job_id, one.reason) for one in report.removed] == [
        ("0000000c", "size"),
        ("0000000a", "size"),
    ]


async def test_nothing_that_a_job_leaves_can_hinder_it_or_lead_it_astray(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.txt").touch()
    async with opened(tmp_path) as shelf:
        await shelf.job("0000000a", days_ago=31)
        folder = shelf.roots.extensions / "0000000a"
        (folder / "link").symlink_to(outside)
        (folder / "-rf").touch()
        (folder / "line\nbreak").touch()
        os.mkfifo(folder / "pipe")
        deep = folder
        inner = os.open(folder, os.O_RDONLY)
        for _ in range(3000):
            os.mkdir("deep", dir_fd=inner)
            deeper = os.open("deep", os.O_RDONLY, dir_fd=inner)
            os.close(inner)
            inner = deeper
        os.close(inner)
        (deep / "closed").mkdir()
        (deep / "closed" / "file").touch()
        (deep / "closed").chmod(0)
        await shelf.prune()

        assert shelf.left() == []
    assert (outside / "kept.txt").exists()


async def test_what_an_earlier_time_could_not_finish_is_finished(tmp_path: Path) -> None:
    async with opened(tmp_path) as shelf:
        for root in shelf.roots.all():
            (root / "removed-0000000a").mkdir()
            (root / "removed-0000000a" / "file").touch()
        await shelf.prune()

        assert shelf.left() == []


async def test_it_is_done_at_once_and_again_and_a_failure_ends_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    times = 0
    third = asyncio.Event()

    async def prune() -> PruneReport:
        nonlocal times
        times += 1
        if times == 2:
            raise OSError("the disk is away")
        if times == 3:
            third.set()
        return PruneReport(removed=(), kept_jobs=0, kept_bytes=0)

    async with asyncio.timeout(5), pruning_daily(prune, seconds_between=0):
        await third.wait()

    assert "the disk is away" in caplog.text
