"""What stands under the bot's name."""

import asyncio
import sqlite3

import pytest

from bot.presence import keeping_presence, presence_text


@pytest.mark.parametrize(
    ("running", "queued", "cost", "text"),
    [
        (0, 0, 0.0, "Mention me, or /help"),
        (1, 0, 0.0, "1 job running"),
        (2, 3, 1.239, "2 jobs running · 3 waiting · $1.24 today"),
        (0, 0, 0.004, "Mention me, or /help"),
        (0, 0, 12.5, "$12.50 today"),
    ],
)
def test_it_tells_jobs_and_cost(running: int, queued: int, cost: float, text: str) -> None:
    assert presence_text(running=running, queued=queued, cost_today_usd=cost) == text


async def test_it_is_shown_as_soon_as_the_bot_is_up() -> None:
    shown: asyncio.Queue[str] = asyncio.Queue()

    async def describe() -> str:
        return "1 job running"

    async with asyncio.timeout(5), keeping_presence(shown.put_nowait, describe):
        assert await shown.get() == "1 job running"


@pytest.mark.parametrize("fault", [sqlite3.OperationalError("disk I/O error"), OverflowError()])
async def test_what_cannot_be_told_ends_nothing(
    fault: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    asked = asyncio.Event()

    async def describe() -> str:
        asked.set()
        raise fault

    async with asyncio.timeout(5), keeping_presence(lambda _: None, describe):
        await asked.wait()
        await asyncio.sleep(0)

    assert "cannot be told" in caplog.text
