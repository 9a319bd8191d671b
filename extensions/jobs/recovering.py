"""Brings the jobs in the database up to date from the files that tell of them, if it lost some."""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from extensions.database import Database
from extensions.jobs.backend import RunEnded
from extensions.jobs.extensions_json import (
    TEXT_LENGTH_LIMIT,
    ShownJob,
    ShownJobs,
    read_extensions,
)
from extensions.jobs.job_sheets import JobSheets
from extensions.jobs.recovery import Knowledge, Recovered, is_database_behind, recovered
from extensions.jobs.recovery_store import RecoveryStore
from extensions.jobs.run_following import follow_run
from extensions.jobs.workspace import Workspace

logger = logging.getLogger(__name__)

_LARGEST_JSON_BYTES = 64 * 1024 * 1024
_MOST_WARNINGS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFilesOnDisk:
    """The files that tell of jobs besides the database."""

    json_path: Path
    """`extensions.json`."""
    sheets: JobSheets
    workspace: Workspace


async def recover_jobs(
    database: Database, *, is_damaged: bool, files: JobFilesOnDisk, clock: Callable[[], float]
) -> None:
    """Store what the files know of jobs and the database does not, before it is used otherwise.

    If nothing is lost, nothing is done. What is running or has ended unseen is stored as running,
    so that whoever follows it finds out.

    Args:
        database: Holds the jobs.
        is_damaged: Whether something of it is known to be lost.
        files: What is believed besides it.
        clock: Gives Unix time, in seconds.

    Raises:
        sqlite3.Error: If the database cannot be read or written.
    """
    store = RecoveryStore(database)
    shown = await asyncio.to_thread(_read_json, files.json_path)
    _warn(shown.passed_over)
    standings = await store.standings([job.id for job in shown.jobs])
    if not is_damaged and not is_database_behind(shown.jobs, standings):
        return
    if not is_damaged:
        logger.warning("extensions.json knows of jobs that the database has lost")
    found = [one async for one in _found(store, shown, files, clock())]
    await store.restore(found)
    _say(found)


def _read_json(path: Path) -> ShownJobs:
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST_JSON_BYTES + 1)
    except FileNotFoundError:
        return ShownJobs()
    except OSError as error:
        return ShownJobs(passed_over=(f"the whole file: {error}",))
    if len(data) > _LARGEST_JSON_BYTES:
        return ShownJobs(passed_over=("the whole file: it is too large",))
    return read_extensions(data)


def _warn(passed_over: Sequence[str]) -> None:
    for what in passed_over[:_MOST_WARNINGS]:
        logger.warning("of extensions.json is passed over: %s", what)
    if len(passed_over) > _MOST_WARNINGS:
        logger.warning("and %d more", len(passed_over) - _MOST_WARNINGS)


def _say(found: Sequence[Recovered]) -> None:
    counts = Counter(one.job.status.value for one in found)
    words = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    logger.warning("jobs recovered from their files: %s", words or "none, as none was missing")
    for one in found:
        if not one.job.origin.is_known:
            logger.warning("job %s: who asked for it is lost: only the owner sees it", one.job.id)


async def _found(
    store: RecoveryStore, shown: ShownJobs, files: JobFilesOnDisk, now: float
) -> AsyncIterator[Recovered]:
    by_id = {job.id: job for job in shown.jobs}
    job_ids = sorted({*by_id, *await asyncio.to_thread(files.sheets.job_ids)})
    standings = await store.standings(job_ids)
    records = await store.records(job_ids)
    for job_id in job_ids:
        known = await asyncio.to_thread(_look, files.sheets, job_id, by_id.get(job_id))
        known = replace(known, record=records.get(job_id), standing=standings.get(job_id))
        if known.record is None and known.sheet is None and known.shown is None:
            continue
        folder = str(files.workspace.path_of(job_id))
        one = recovered(known, folder=folder, now=now)
        if one is not None:
            yield await _with_whole_text(one, files.sheets)


def _look(sheets: JobSheets, job_id: str, shown: ShownJob | None) -> Knowledge:
    sheet = sheets.read(job_id)
    newest_run = sheets.newest_run(job_id)
    number = max(newest_run, 1 if sheet is None else sheet.run.number)
    return Knowledge(
        sheet=sheet,
        shown=shown,
        newest_run=newest_run,
        has_begun=sheets.has_begun(job_id, number),
    )


async def _with_whole_text(one: Recovered, sheets: JobSheets) -> Recovered:
    """Return it with all that its run printed, if `extensions.json` shows only a part of that."""
    outcome = one.job.outcome
    if outcome is None or len(outcome.summary or "") < TEXT_LENGTH_LIMIT:
        return one
    control = sheets.control_folder(one.job.id, one.run.number)
    async for event in follow_run(control, lambda: False):
        if isinstance(event, RunEnded) and event.outcome.status is outcome.status:
            return replace(one, job=replace(one.job, outcome=event.outcome))
    return one
