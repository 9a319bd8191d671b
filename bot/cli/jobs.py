"""What `papercup jobs` prints: of a running bot, or of what one left in the database."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import typer

from bot.cli.output import print_json, print_table
from bot.control.client import cancel_job, read_job, read_jobs
from bot.control.job_reports import JobReport, plain_job, report_of_job
from bot.data_folder import DataFolder
from bot.errors import NotRunningError
from bot.migrations import migrations
from bot.wording import cost_words, duration_words, shortened
from extensions.database_view import open_database_to_read
from extensions.errors import JobNotFoundError
from extensions.jobs.progress import Progress
from extensions.jobs.store import JobStore

_TASK_LENGTH = 60
_NOT_RUNNING = "No Papercup runs on the data folder {}: this is how the last one left it."


def print_jobs(data_dir: Path, limit: int, *, as_json: bool) -> None:
    """Print the newest jobs.

    Raises:
        ControlError: If a bot runs, but does not answer as it should.
        DatabaseError: If none runs, and the database cannot be read.
    """
    reports = read_jobs(DataFolder(data_dir).control_socket, limit)
    is_running = reports is not None
    if reports is None:
        reports = _in_database(data_dir, lambda store: _newest(store, limit))
    if as_json:
        print_json({"running": is_running, "jobs": [plain_job(report) for report in reports]})
        return
    if not is_running:
        typer.echo(_NOT_RUNNING.format(data_dir))
    if not reports:
        typer.echo("There are no jobs yet.")
        return
    columns = ("Id", "Name", "Status", "Took", "Cost", "Task")
    print_table(None, columns, [_row(report) for report in reports])


def print_job(data_dir: Path, wanted: str, *, as_json: bool) -> None:
    """Print one job.

    Raises:
        ControlRefusedError, JobNotFoundError: If there is no such job.
        ControlError: If a bot runs, but does not answer as it should.
        DatabaseError: If none runs, and the database cannot be read.
    """
    report = read_job(DataFolder(data_dir).control_socket, wanted)
    is_running = report is not None
    if report is None:
        found = _in_database(data_dir, lambda store: _called(store, wanted))
        if not found:
            raise JobNotFoundError(wanted)
        report = found[0]
    if as_json:
        print_json({"running": is_running, "job": plain_job(report)})
        return
    title = None if is_running else _NOT_RUNNING.format(data_dir)
    print_table(title, (), _details(report))


def print_cancelled(data_dir: Path, wanted: str, *, as_json: bool) -> None:
    """Have a job cancelled, and say so.

    Raises:
        NotRunningError: If no bot runs.
        ControlRefusedError: If there is no such job, or it has ended already.
        ControlError: If a bot runs, but does not answer as it should.
    """
    report = cancel_job(DataFolder(data_dir).control_socket, wanted)
    if report is None:
        raise NotRunningError(data_dir)
    if as_json:
        print_json({"job": plain_job(report)})
    else:
        typer.echo(f"Cancelling {report.name} ({report.id}).")


def _in_database(
    data_dir: Path, look: Callable[[JobStore], Awaitable[list[JobReport]]]
) -> list[JobReport]:
    """Return what `look` sees in the database, if there is one."""
    path = DataFolder(data_dir).database
    if not path.exists():
        return []

    async def read() -> list[JobReport]:
        async with open_database_to_read(path, schema=len(migrations())) as database:
            return await look(JobStore(database))

    return asyncio.run(read())


async def _newest(store: JobStore, limit: int) -> list[JobReport]:
    return [report_of_job(record.job, Progress()) for record in await store.newest(limit)]


async def _called(store: JobStore, wanted: str) -> list[JobReport]:
    return [report_of_job(job, Progress()) for job in await store.called(wanted)]


def _row(report: JobReport) -> Sequence[str]:
    return (
        report.id,
        report.name,
        report.status.value,
        _took(report),
        "" if report.cost_usd is None else cost_words(report.cost_usd),
        shortened(" ".join(report.task.split()), _TASK_LENGTH),
    )


def _details(report: JobReport) -> list[tuple[str, str]]:
    where = "direct messages" if report.guild_id is None else f"server {report.guild_id}"
    rows: list[tuple[str, Any]] = [
        ("Id", report.id),
        ("Name", report.name),
        ("Status", report.status.value),
        ("Task", report.task),
        ("Asked for", _moment(report.created_at)),
        ("By", f"{report.person_id}, in {where}, channel {report.channel_id}"),
        ("Started", _moment(report.started_at)),
        ("Settled", _moment(report.finished_at)),
        ("Took", _took(report)),
        ("Process", report.pid),
        ("Turns", report.turns),
        ("Cost", None if report.cost_usd is None else cost_words(report.cost_usd)),
        ("Progress", report.progress),
        ("Summary", report.summary),
        ("Error", report.error),
        ("Refused", ", ".join(report.refused_actions)),
        ("Not reached", ", ".join(report.failed_servers)),
        ("Jail", report.jail),
        ("Folder", report.folder),
    ]
    return [(name, str(value)) for name, value in rows if value not in {None, ""}]


def _took(report: JobReport) -> str:
    if report.started_at is None:
        return ""
    end = time.time() if report.finished_at is None else report.finished_at
    return duration_words(max(0.0, end - report.started_at))


def _moment(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds).astimezone().isoformat(" ", "seconds")
