"""A whole bot whose database is ruined while a job runs."""

import asyncio
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

from simulator.messages_api import Answer, ModelRequest, Say, Use
from tests.fakes.house import open_house
from tests.fakes.model_script import TwoVoices


class Gate:
    """A job that ends when the test lets it."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.open = asyncio.Event()

    async def __call__(self, request: ModelRequest) -> Answer:
        if request.step == 0:
            return Use("Bash", {"command": "sleep 0.1", "description": "Wait"})
        self.reached.set()
        async with asyncio.timeout(40):
            await self.open.wait()
        return Say("The gate opened.")


async def test_a_job_goes_on_with_its_token_and_its_owner_when_the_database_is_ruined(
    tmp_path: Path,
) -> None:
    gate = Gate()
    async with asyncio.timeout(58), open_house(tmp_path, TwoVoices(gate)) as house:
        async with house.bot() as bot:
            await house.notify()
            await house.ask("job gate: wait for the gate", '"id"')
            await gate.reached.wait()
            bot.process.send_signal(signal.SIGKILL)
            await bot.process.wait()
            for part in ("papercup.db", "papercup.db-wal"):
                (bot.data / part).write_bytes(b"this is no database at all" * 500)
        async with house.bot() as bot:
            gate.open.set()
            settled = await settled_in(bot.data / "papercup.db")
            log = bot.log_tail()

    assert settled == ("gate", "completed", "The gate opened.", house.olga.id)
    assert "takes its place, and is brought up to date" in log
    assert "jobs recovered from their files: 1 running" in log


async def settled_in(database: Path) -> tuple[object, ...]:
    """Return what is stored of the first job that has settled, once there is one."""
    sql = "SELECT name, status, summary, person_id FROM job_records WHERE finished_at IS NOT NULL"
    async with asyncio.timeout(30):
        while True:
            with closing(sqlite3.connect(database)) as connection:
                if (row := connection.execute(sql).fetchone()) is not None:
                    return tuple(row)
            await asyncio.sleep(0.1)
