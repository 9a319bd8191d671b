"""What `papercup jobs prune` does and prints: through a running bot, else in its place."""

import asyncio
import time

import typer

from bot.cli.output import print_json, print_table
from bot.cli.sizes import size_words
from bot.config import Config
from bot.control.client import prune_jobs
from bot.control.job_reports import plain_pruning
from bot.data_folder import DataFolder, held_data_folder
from bot.database import open_bot_database
from bot.job_pruning import JobPruning
from bot.migrations import migrations
from bot.wording import duration_words
from extensions.database import Database
from extensions.database_view import open_database_to_read
from extensions.jobs.pruning import PruneReport


def print_pruned(config: Config, *, dry_run: bool, as_json: bool) -> None:
    """Remove the files of old jobs, or look which would be removed, and print that.

    Raises:
        ControlRefusedError, PruneError: If they cannot be removed.
        ControlError: If a bot runs, but does not answer as it should.
        DataFolderBusyError: If a bot is just about to start, or to end.
        DatabaseError: If no bot runs, and the database cannot be used.
    """
    folder = DataFolder(config.data_dir)
    report = prune_jobs(folder.control_socket, dry_run=dry_run)
    is_running = report is not None
    if report is None:
        report = _prune_without_bot(config, folder, dry_run=dry_run)
    if as_json:
        print_json({"running": is_running, "dry_run": dry_run, **plain_pruning(report)})
        return
    if report.removed:
        print_table(None, ("Id", "Name", "Settled", "Size", "Because of"), _rows(report))
    typer.echo(summary_of(report, dry_run=dry_run))


def summary_of(report: PruneReport, *, dry_run: bool) -> str:
    """Return in one or two sentences what was removed, or would be, and what is left."""
    left = f"{_jobs(report.kept_jobs)} keep{_s(report.kept_jobs)} {size_words(report.kept_bytes)}."
    if not report.removed:
        return f"Nothing is to be removed; {left}"
    size = size_words(sum(one.bytes for one in report.removed))
    done = "Would remove" if dry_run else "Removed"
    return f"{done} the files of {_jobs(len(report.removed))} ({size}); {left}"


def _prune_without_bot(config: Config, folder: DataFolder, *, dry_run: bool) -> PruneReport:
    if not folder.database.exists():
        return PruneReport(removed=(), kept_jobs=0, kept_bytes=0)
    if dry_run:
        return asyncio.run(_look(config, folder))
    with held_data_folder(folder.root):
        return asyncio.run(_remove(config, folder))


async def _look(config: Config, folder: DataFolder) -> PruneReport:
    schema = len(migrations())
    async with open_database_to_read(folder.database, schema=schema) as database:
        return await _pruning(config, folder, database).prune(dry_run=True)


async def _remove(config: Config, folder: DataFolder) -> PruneReport:
    async with open_bot_database(folder, clock=time.time) as database:
        return await _pruning(config, folder, database).prune(dry_run=False)


def _pruning(config: Config, folder: DataFolder, database: Database) -> JobPruning:
    # A job that outlived its bot has not settled in the database, and is left alone by that.
    return JobPruning(database, folder, config.jobs, is_live=lambda _: False, clock=time.time)


def _rows(report: PruneReport) -> list[tuple[str, ...]]:
    now = time.time()
    return [
        (
            one.job_id,
            one.name,
            f"{duration_words(max(0.0, now - one.finished_at))} ago",
            size_words(one.bytes),
            one.reason.value,
        )
        for one in report.removed
    ]


def _jobs(number: int) -> str:
    return "1 job" if number == 1 else f"{number} jobs"


def _s(number: int) -> str:
    return "s" if number == 1 else ""
