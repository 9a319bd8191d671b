import asyncio
from pathlib import Path

import pytest

from bot.discord_io.session_budget import SessionBudget, SessionsSpentError, StartLog
from bot.discord_io.session_starts import DAY_SECONDS, SessionPace, SessionStarts
from bot.migrations import migrations
from extensions.database import open_database
from tests.fakes.clock import FakeClock

LIMIT = {"total": 1000, "remaining": 0, "reset_after": 50, "max_concurrency": 1}


async def test_what_an_earlier_process_started_counts(tmp_path: Path) -> None:
    clock = FakeClock(1e6)
    async with open_database(tmp_path / "papercup.db", migrations()) as database:
        for _ in range(100):
            await SessionBudget(StartLog(database), clock=clock).begin()
        clock.advance(1)
        with pytest.raises(SessionsSpentError):
            await SessionBudget(StartLog(database), clock=clock).begin()


async def test_what_does_not_count_any_more_is_forgotten(tmp_path: Path) -> None:
    async with open_database(tmp_path / "papercup.db", migrations()) as database:
        log = StartLog(database)
        for at in (1.0, 2.0, 2.0 + DAY_SECONDS):
            await log.add(at)
        assert await log.newest(since=0.0) == [2.0 + DAY_SECONDS]


async def test_it_waits_until_a_session_may_be_started() -> None:
    budget = SessionBudget(starts=SessionStarts(pace=SessionPace()))
    budget.learn(LIMIT)
    with pytest.raises(SessionsSpentError):
        budget.refuse_if_spent()
    async with asyncio.timeout(5):
        await budget.wait()
    budget.refuse_if_spent()
    await budget.begin()


async def test_a_database_that_takes_nothing_keeps_nobody_from_discord(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_database(tmp_path / "papercup.db", migrations()[:1]) as database:
        budget = SessionBudget(StartLog(database), SessionStarts())
        await budget.begin()
    assert "cannot be stored" in caplog.text
