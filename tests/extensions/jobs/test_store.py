import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from bot.migrations import migrations
from extensions.database import open_database
from extensions.jobs.costs import EarlierRuns
from extensions.jobs.job import Job, JobStatus, Origin, Outcome
from extensions.jobs.run import ResumeReason, Run
from extensions.jobs.store import JobStore

ANNA = Origin(session_id="5e551011", person_id=2**62 + 1, guild_id=None, channel_id=2)
BEN = Origin(session_id="5e551011", person_id=8, guild_id=1, channel_id=2)
OUTCOME = Outcome(
    status=JobStatus.FAILED,
    summary="Created \x00 `hello.txt` 🦊",
    error="It ended.",
    cost_usd=0.184,
    turns=3,
    refused_actions=("Bash", "Bash"),
    failed_servers=("papercup",),
)


def job(job_id: str, name: str = "fox", origin: Origin = ANNA) -> Job:
    return Job(
        id=job_id,
        name=name,
        task="Write 'x'; DROP TABLE jobs --",
        origin=origin,
        folder=f"/data/extensions/{job_id}",
        jail="bubblewrap",
        created_at=1000.25,
    )


def run(job_id: str) -> Run:
    return Run(job_id=job_id, number=1, claude_session_id=f"session-{job_id}")


@asynccontextmanager
async def opened(folder: Path) -> AsyncGenerator[JobStore, None]:
    async with open_database(folder / "papercup.db", migrations()) as database:
        yield JobStore(database)


async def test_a_job_is_found_as_it_was_stored_after_a_restart(tmp_path: Path) -> None:
    started = job("8d08ba4f").started(at=1001.5).with_pid(4711)
    started_run = run("8d08ba4f").started(token_hash="ab" * 32, at=1001.5)
    async with opened(tmp_path) as store:
        await store.add(job("8d08ba4f"), run("8d08ba4f"))
        await store.save(started, started_run)

    async with opened(tmp_path) as store:
        (record,) = await store.unsettled()
        assert (record.job, record.run) == (started, started_run)

        settled = started.settled(OUTCOME, at=1009.75)
        await store.save(settled, started_run.ended(at=1009.75))

    async with opened(tmp_path) as store:
        assert await store.unsettled() == []
        (record,) = await store.newest(10)
        assert (record.job, record.run) == (settled, started_run.ended(at=1009.75))


async def test_a_name_is_taken_only_among_the_jobs_of_one_person(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        added = [
            await store.add(job(job_id, "fox", origin), run(job_id))
            for job_id, origin in [("1", ANNA), ("2", ANNA), ("3", BEN), ("4", ANNA)]
        ]

    assert [one.name for one in added] == ["fox", "fox-2", "fox", "fox-3"]


async def test_a_name_means_the_newest_but_an_id_goes_before(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await store.add(job("00000001", "fox", ANNA), run("00000001"))
        await store.add(job("00000002", "fox", BEN), run("00000002"))
        await store.add(job("00000003", "00000001", BEN), run("00000003"))

        assert [one.id for one in await store.called("fox")] == ["00000002", "00000001"]
        assert [one.id for one in await store.called("00000001")] == ["00000001", "00000003"]


@pytest.mark.parametrize("wanted", ["%", "f*", "fo_", "' OR 1=1 --", "../../etc", "FOX", ""])
async def test_what_looks_like_a_pattern_finds_nothing(tmp_path: Path, wanted: str) -> None:
    async with opened(tmp_path) as store:
        await store.add(job("00000001"), run("00000001"))

        assert await store.called(wanted) == []


async def test_the_newest_jobs_come_first_and_the_older_ones_after_them(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        for number in range(5):
            # Their clock runs backwards; the order in which they came counts.
            await store.add(replace(job(f"{number}"), created_at=-number), run(f"{number}"))

        first = await store.newest(2)
        second = await store.newest(10, before=first[-1].sequence)

    assert [r.job.id for r in first] == ["4", "3"]
    assert [r.job.id for r in second] == ["2", "1", "0"]


async def test_an_id_is_given_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await store.add(job("00000001"), run("00000001"))
        assert await store.has("00000001")
        assert not await store.has("00000002")

        with pytest.raises(sqlite3.IntegrityError):
            await store.add(job("00000001"), run("00000001"))


async def test_another_run_is_stored_with_the_end_of_the_one_before(tmp_path: Path) -> None:
    lost = replace(OUTCOME, status=JobStatus.INTERRUPTED, cost_is_partial=True)
    stopped = job("8d08ba4f").started(at=1001.5).settled(lost, at=1002.0)
    ended = run("8d08ba4f").started(token_hash="ab" * 32, at=1001.5)
    ended = ended.ended(at=1002.0, count_goes_on=True)
    resumed = stopped.resumed(ResumeReason.BOT_AWAY)
    second = ended.followed(because=ResumeReason.BOT_AWAY, new_session_id="other")
    async with opened(tmp_path) as store:
        await store.add(job("8d08ba4f"), run("8d08ba4f"))
        assert await store.earlier_runs(run("8d08ba4f")) is None
        await store.begin_another((stopped, ended), (resumed, second))

    async with opened(tmp_path) as store:
        (record,) = await store.unsettled()
        assert (record.job, record.run) == (resumed, second)
        assert await store.find("8d08ba4f") == record
        assert await store.find("00000000") is None
        assert await store.earlier_runs(second) == EarlierRuns(
            cost_usd=0.184, cost_is_partial=True, turns=3, count_goes_on=True
        )


async def test_that_the_end_of_a_run_was_told_says_nothing_of_the_next(tmp_path: Path) -> None:
    lost = replace(OUTCOME, status=JobStatus.INTERRUPTED)
    stopped, ended = job("8d08ba4f").settled(lost, at=2.0), run("8d08ba4f").ended(at=2.0)
    resumed = stopped.resumed(ResumeReason.ASKED)
    second = ended.followed(because=ResumeReason.ASKED, new_session_id="other")
    async with opened(tmp_path) as store:
        await store.add(job("8d08ba4f"), run("8d08ba4f"))
        await store.save(stopped, ended)
        await store.begin_another((stopped, ended), (resumed, second))
        settled = resumed.settled(OUTCOME, at=3.0)
        await store.save(settled, second.ended(at=3.0))
        await store.end_was_told(stopped)
        assert await store.with_untold_ends() == [settled]

        await store.end_was_told(settled)
        assert await store.with_untold_ends() == []
