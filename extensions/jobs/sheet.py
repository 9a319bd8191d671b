"""What is kept of a job beside its runs, so that it can be known again without the database. Pure.

That is what no other file tells: who asked for it and where, the whole task, and with which token
its newest run calls.
"""

import json
from dataclasses import dataclass
from typing import Any

from extensions.jobs.job import Job, Origin
from extensions.jobs.run import ResumeReason, Run

_VERSION = 1


class BadSheetError(ValueError):
    """A file does not hold a job's sheet. Says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSheet:
    """What is kept of one job."""

    id: str
    name: str
    task: str
    origin: Origin
    jail: str
    created_at: float
    """Unix time, in seconds."""
    run: Run
    """Its newest run, as it was when it started, or was made if it has not."""


def sheet_of(job: Job, run: Run) -> JobSheet:
    """Return what is kept of a job whose newest run is `run`."""
    return JobSheet(
        id=job.id,
        name=job.name,
        task=job.task,
        origin=job.origin,
        jail=job.jail,
        created_at=job.created_at,
        run=run,
    )


def sheet_text(sheet: JobSheet) -> str:
    """Return the content of the file."""
    origin, run = sheet.origin, sheet.run
    document = {
        "version": _VERSION,
        "id": sheet.id,
        "name": sheet.name,
        "task": sheet.task,
        "session_id": origin.session_id,
        "person_id": origin.person_id,
        "guild_id": origin.guild_id,
        "channel_id": origin.channel_id,
        "jail": sheet.jail,
        "created_at": sheet.created_at,
        "run": {
            "number": run.number,
            "claude_session_id": run.claude_session_id,
            "token_hash": run.token_hash,
            "started_at": run.started_at,
            "resumed_because": run.resumed_because,
        },
    }
    return json.dumps(document, indent=2) + "\n"


def parse_sheet(job_id: str, data: bytes) -> JobSheet:
    """Read the file that is kept of the job `job_id`.

    Raises:
        BadSheetError: If it is not one of that job.
    """
    try:
        document: Any = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadSheetError(f"it cannot be read ({error})") from error
    match document:
        case {"version": 1, "id": str(found), "run": dict()} if found == job_id:
            return _sheet(document, document["run"])
        case {"version": 1, "id": str(found)} if found != job_id:
            raise BadSheetError("it is another job's")
        case _:
            raise BadSheetError("it is not a job's sheet of this version")


def _sheet(document: dict[str, Any], run: dict[str, Any]) -> JobSheet:
    job_id = _text(document, "id")
    return JobSheet(
        id=job_id,
        name=_text(document, "name"),
        task=_text(document, "task"),
        origin=Origin(
            session_id=_text(document, "session_id"),
            person_id=_whole(document, "person_id"),
            guild_id=None if document.get("guild_id") is None else _whole(document, "guild_id"),
            channel_id=_whole(document, "channel_id"),
        ),
        jail=_text(document, "jail"),
        created_at=_seconds(document, "created_at"),
        run=Run(
            job_id=job_id,
            number=_whole(run, "number"),
            claude_session_id=_text(run, "claude_session_id"),
            token_hash=None if run.get("token_hash") is None else _text(run, "token_hash"),
            started_at=None if run.get("started_at") is None else _seconds(run, "started_at"),
            resumed_because=_resume_reason(run.get("resumed_because")),
        ),
    )


def _resume_reason(value: Any) -> ResumeReason | None:
    return ResumeReason(value) if value in set(ResumeReason) else None


def _text(document: dict[str, Any], key: str) -> str:
    value = document.get(key)
    # A lone surrogate can be written in JSON, but not be stored.
    if not isinstance(value, str) or not _is_storable(value):
        raise BadSheetError(f"{key} is no text")
    return value


def _is_storable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _whole(document: dict[str, Any], key: str) -> int:
    value = document.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**63:
        raise BadSheetError(f"{key} is no whole number")
    return value


def _seconds(document: dict[str, Any], key: str) -> float:
    value = document.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**40:
        raise BadSheetError(f"{key} is no time")
    return float(value)
