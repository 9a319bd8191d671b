"""The log of what plugins did."""

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from bot.migrations import migrations
from extensions.database import open_database
from extensions.plugins.audit import AuditLine, AuditReader, writing_audit
from extensions.plugins.services import AuditKind
from tests.fakes.inline_database import InlineDatabase
from tests.fakes.waiting import until

T = TypeVar("T")


def redact(text: str) -> str:
    return text.replace("tok-123", "[redacted]")


async def test_a_line_is_kept_on_one_line_without_secrets() -> None:
    database = InlineDatabase()
    async with writing_audit(database, clock=lambda: 12.5, redact=redact) as audit:
        audit.note(AuditKind.EXEC, "dice", "runs\ncurl  tok-123 \udc80" + "x" * 2000)
    (line,) = await AuditReader(database).newest(10)
    shown = "runs curl [redacted] ?"

    assert line == AuditLine(
        id=1,
        at=12.5,
        kind="exec",
        plugin_id="dice",
        text=shown + "x" * (1000 - len(shown)),
    )


async def test_what_is_noted_is_written_while_the_block_goes_on() -> None:
    database = InlineDatabase()
    reader = AuditReader(database)
    async with writing_audit(database, clock=lambda: 1.0, redact=redact) as audit:
        audit.note(AuditKind.LOADED, "dice", "one")
        await until(lambda: database.connection.total_changes > 0)
        assert [line.text for line in await reader.newest(10)] == ["one"]


async def test_the_last_lines_are_kept_though_the_block_is_cancelled(tmp_path: Path) -> None:
    path, up = tmp_path / "papercup.db", asyncio.Event()

    async def note() -> None:
        async with (
            open_database(path, migrations()) as database,
            writing_audit(database, clock=lambda: 1.0, redact=redact) as audit,
        ):
            audit.note(AuditKind.LOADED, "dice", "up")
            up.set()
            try:
                await asyncio.Event().wait()
            finally:
                audit.note(AuditKind.CRASHED, "dice", "last words")

    async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
        task = tasks.create_task(note())
        await up.wait()
        task.cancel()
    async with open_database(path, migrations()) as database:
        lines = await AuditReader(database).newest(10)

    assert [line.text for line in lines] == ["up", "last words"]


async def test_only_the_newest_lines_are_kept() -> None:
    database = InlineDatabase()
    reader = AuditReader(database)
    async with writing_audit(database, clock=lambda: 1.0, redact=redact) as audit:
        for batch in range(21):
            for number in range(500):
                audit.note(AuditKind.EXEC, f"plugin{batch}", f"{batch * 500 + number}")
            await audit.flush()
    lines = await reader.newest(20_000)

    assert (len(lines), lines[0].text, lines[-1].text) == (10_000, "500", "10499")


async def test_a_flood_is_cut_off_and_it_is_said_how_much_is_lost() -> None:
    database = InlineDatabase()
    async with writing_audit(database, clock=lambda: 1.0, redact=redact) as audit:
        for number in range(1500):
            audit.note(AuditKind.BLOCKED, "gate", f"{number}")
    lines = await AuditReader(database).newest(2000)

    assert [line.text for line in lines[-2:]] == [
        "999",
        "500 lines are lost, as too many came at once",
    ]
    assert len(lines) == 1001


async def test_lines_are_read_by_plugin_and_from_a_line_on() -> None:
    database = InlineDatabase()
    reader = AuditReader(database)
    async with writing_audit(database, clock=lambda: 1.0, redact=redact) as audit:
        for number, name in enumerate(["dice", "gate", "dice", "gate", "dice"], start=1):
            audit.note(AuditKind.EXEC, name, f"{number}")

    def texts(lines: list[AuditLine]) -> list[str]:
        return [line.text for line in lines]

    assert texts(await reader.newest(2)) == ["4", "5"]
    assert texts(await reader.newest(2, plugin_id="dice")) == ["3", "5"]
    assert texts(await reader.after(2, 2)) == ["3", "4"]
    assert texts(await reader.after(2, 9, plugin_id="gate")) == ["4"]
    assert texts(await reader.after(5, 9)) == []


class FullDatabase(InlineDatabase):
    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        del work
        raise sqlite3.OperationalError("database or disk is full")


async def test_a_disk_that_is_full_stops_nobody(caplog: pytest.LogCaptureFixture) -> None:
    async with writing_audit(FullDatabase(), clock=lambda: 1.0, redact=redact) as audit:
        audit.note(AuditKind.LOADED, "dice", "up")

    assert [(record.levelno, record.getMessage()) for record in caplog.records] == [
        (logging.ERROR, "1 lines on plugins could not be kept")
    ]


async def test_a_plugin_that_does_much_has_no_others_lines_removed() -> None:
    database = InlineDatabase()
    async with writing_audit(database, clock=lambda: 1.0, redact=redact) as audit:
        audit.note(AuditKind.TRUSTED, "shell", "looked at")
        audit.note(AuditKind.BLOCKED, "gate", "tool_call: no")
        for number in range(12_000):
            audit.note(AuditKind.EXEC, "shell", f"runs {number}")
            if number % 500 == 0:
                await audit.flush()
    lines = await AuditReader(database).newest(20_000)

    assert [line.text for line in lines[:2]] == ["looked at", "tool_call: no"]
    assert len(lines) == 1002
    assert lines[-1].text == "runs 11999"
