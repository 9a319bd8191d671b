"""What really became of jobs, read from what their runs left; and what the bot says of them."""

import fcntl
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_UNSETTLED = {"queued", "running", "waiting", "parked"}


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How a job ended."""

    status: str
    summary: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredJob:
    """A job as the bot's database has it."""

    id: str
    name: str
    folder: Path
    end: End
    error: str | None

    @property
    def is_settled(self) -> bool:
        """Whether it has ended, as the database says."""
        return self.end.status not in _UNSETTLED


def stored_jobs(data: Path) -> list[StoredJob]:
    """Return the jobs in the database, the oldest first. A bot should be running on it."""
    with closing(_database(data)) as database:
        rows = database.execute(
            "SELECT id, name, folder, status, summary, error FROM job_records ORDER BY sequence"
        )
        return [
            StoredJob(
                id=row["id"],
                name=row["name"],
                folder=Path(row["folder"]),
                end=End(status=row["status"], summary=row["summary"]),
                error=row["error"],
            )
            for row in rows
        ]


def database_faults(data: Path) -> str | None:
    """Return what SQLite finds amiss with the database; `None` if nothing is."""
    with closing(_database(data)) as database:
        (found,) = database.execute("PRAGMA integrity_check(1)").fetchone()
    return None if found == "ok" else str(found)


def shown_jobs(data: Path) -> dict[str, End] | str:
    """Return the jobs in `extensions.json` by their ids, or what is wrong with that file."""
    try:
        text = (data / "extensions.json").read_text(encoding="utf-8")
        records: list[dict[str, Any]] = json.loads(text)["extensions"]
        return {r["id"]: End(status=r["status"], summary=r["summary"]) for r in records}
    except FileNotFoundError:
        return "it is not there"
    except (ValueError, KeyError, TypeError) as error:
        return f"it cannot be read: {error!r}"


def run_folders(data: Path, job_id: str) -> list[Path]:
    """Return the control folders of a job's runs, the oldest first."""
    folders = [path for path in (data / "run" / job_id).glob("*") if path.name.isdigit()]
    return sorted(folders, key=lambda path: int(path.name))


def true_end(data: Path, job_id: str) -> End | None:
    """Return how a job's newest run ended, by what its runner recorded and its `claude` printed.

    `None`: it goes on, or has never begun.
    """
    folders = run_folders(data, job_id)
    if not folders or _is_locked(folders[-1] / "lock"):
        return None
    record = _read(folders[-1] / "exit.json")
    match None if record is None else record["reason"]:
        case "exited":
            return _own_end(folders[-1])
        case "cancelled":
            return End(status="cancelled", summary=None)
        case "timeout" | "output":
            return End(status="failed", summary=None)
        case _:
            return End(status="interrupted", summary=None)


def is_over(data: Path, job_id: str) -> bool:
    """Say whether no run of the job goes on: each has recorded its end, or lost its runner."""
    return not any(_is_locked(folder / "lock") for folder in run_folders(data, job_id))


def runner_of(data: Path, name: str) -> int | None:
    """Return the process id of the runner that carries out the job of that name."""
    for record in (data / "run").glob("*/*/runner.json"):
        if f"Carry out {name}." in (record.parent / "spec.json").read_text():
            runner = _read(record)
            return None if runner is None else int(runner["runner_pid"])
    return None


def _own_end(folder: Path) -> End:
    result = None
    for line in _lines(folder / "out.jsonl"):
        if line.get("type") == "result":
            result = line
    if result is None or result["is_error"] or result["subtype"] != "success":
        return End(status="failed", summary=None)
    return End(status="completed", summary=str(result["result"]).strip())


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_bytes().splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue


def _read(path: Path) -> dict[str, Any] | None:
    try:
        record: dict[str, Any] = json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return None
    return record


def _is_locked(path: Path) -> bool:
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return False
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _database(data: Path) -> sqlite3.Connection:
    database = sqlite3.connect(f"file:{data / 'papercup.db'}?mode=ro", uri=True, timeout=5)
    database.row_factory = sqlite3.Row
    return database
