import math
import sqlite3
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.migrations import migrations
from bot.spending.arithmetic import midnight_before
from bot.spending.costs import CostBook
from extensions.database import Database, open_database

NOW = time.time()
TODAY = midnight_before(NOW)
YESTERDAY = TODAY - 3600.0


@asynccontextmanager
async def open_book(folder: Path) -> AsyncGenerator[tuple[CostBook, Database], None]:
    async with open_database(folder / "papercup.db", migrations()) as database:
        yield CostBook(database), database


async def add_runs(database: Database, *runs: tuple[str, int, float | None, float | None]) -> None:
    """Store runs: the job's id, the number, when it ended, and what all so far have cost."""

    def insert(connection: sqlite3.Connection) -> None:
        for job_id, number, ended_at, cost_usd in runs:
            connection.execute(
                "INSERT OR IGNORE INTO jobs (id, name, task, session_id, person_id, channel_id,"
                " folder, jail, created_at, status) VALUES (?, '', '', '', 1, 1, '', '', 0,"
                " 'completed')",
                (job_id,),
            )
            connection.execute(
                "INSERT INTO runs (job_id, number, claude_session_id, ended_at, status, cost_usd)"
                " VALUES (?, ?, '', ?, ?, ?)",
                (job_id, number, ended_at, None if ended_at is None else "completed", cost_usd),
            )

    await database.run(insert)


async def test_at_first_nothing_was_spent(tmp_path: Path) -> None:
    async with open_book(tmp_path) as (book, _):
        assert await book.today(NOW) == 0.0


async def test_what_speakers_and_jobs_have_cost_today_is_added_up(tmp_path: Path) -> None:
    async with open_book(tmp_path) as (book, database):
        await book.charge_speaker("a", 0.25, at=TODAY)
        await book.charge_speaker("b", 0.5, at=NOW)
        await book.charge_speaker("b", 8.0, at=YESTERDAY)
        await add_runs(
            database,
            ("today", 1, TODAY, 1.0),
            ("both", 1, YESTERDAY, 2.0),
            ("both", 2, NOW, 2.5),
            ("yesterday", 1, YESTERDAY, 4.0),
            ("unknown", 1, NOW, None),
            ("running", 1, None, None),
        )

        assert await book.today(NOW) == pytest.approx(2.25)


async def test_what_was_charged_is_kept_over_a_restart(tmp_path: Path) -> None:
    async with open_book(tmp_path) as (book, _):
        await book.charge_speaker("a", 0.25, at=NOW)
    async with open_book(tmp_path) as (book, _):
        assert await book.today(NOW) == 0.25


@pytest.mark.parametrize("usd", [-0.01, math.nan, math.inf])
async def test_what_nothing_can_cost_is_not_charged(tmp_path: Path, usd: float) -> None:
    async with open_book(tmp_path) as (book, _):
        with pytest.raises(ValueError, match=str(usd)):
            await book.charge_speaker("a", usd, at=NOW)
        assert await book.today(NOW) == 0.0


async def test_what_is_old_is_forgotten(tmp_path: Path) -> None:
    async with open_book(tmp_path) as (book, _):
        await book.charge_speaker("a", 0.25, at=TODAY)
        await book.charge_speaker("a", 0.5, at=TODAY + 1)
        await book.forget(TODAY + 1)
        assert await book.today(NOW) == 0.5
