"""How jobs and their runs are put into rows of the database, and read from them."""

import json
import sqlite3
from typing import Any

from extensions.jobs.costs import EarlierRuns
from extensions.jobs.job import Job, JobStatus, Origin, Outcome
from extensions.jobs.record import JobRecord
from extensions.jobs.run import ResumeReason, Run

INSERT_JOB = """
    INSERT INTO jobs (id, name, task, session_id, person_id, guild_id, channel_id, folder, jail,
                      created_at, status, pid, started_at, finished_at)
    VALUES (:id, :name, :task, :session_id, :person_id, :guild_id, :channel_id, :folder, :jail,
            :created_at, :status, :pid, :started_at, :finished_at)
"""
UPDATE_JOB = """
    UPDATE jobs SET status = :status, jail = :jail, pid = :pid, started_at = :started_at,
                    finished_at = :finished_at, is_end_told = 0
    WHERE id = :id
"""
INSERT_RUN = """
    INSERT INTO runs (job_id, number, claude_session_id, token_hash, started_at, ended_at,
                      resumed_because, count_goes_on, status, summary, error, cost_usd,
                      cost_is_partial, turns, refused_actions, failed_servers)
    VALUES (:job_id, :number, :claude_session_id, :token_hash, :started_at, :ended_at,
            :resumed_because, :count_goes_on, :status, :summary, :error, :cost_usd,
            :cost_is_partial, :turns, :refused_actions, :failed_servers)
"""
UPDATE_RUN = """
    UPDATE runs SET token_hash = :token_hash, started_at = :started_at, ended_at = :ended_at,
                    count_goes_on = :count_goes_on, status = :status, summary = :summary,
                    error = :error, cost_usd = :cost_usd, cost_is_partial = :cost_is_partial,
                    turns = :turns, refused_actions = :refused_actions,
                    failed_servers = :failed_servers
    WHERE job_id = :job_id AND number = :number
"""


def job_values(job: Job) -> dict[str, Any]:
    """Return the values of a job's row, by the names of the columns."""
    return {
        "id": job.id,
        "name": job.name,
        "task": job.task,
        "session_id": job.origin.session_id,
        "person_id": job.origin.person_id,
        "guild_id": job.origin.guild_id,
        "channel_id": job.origin.channel_id,
        "folder": job.folder,
        "jail": job.jail,
        "created_at": job.created_at,
        "status": job.status.value,
        "pid": job.pid,
        "started_at": job.started_at,
        "finished_at": job.finished_at,
    }


def run_values(run: Run, outcome: Outcome | None) -> dict[str, Any]:
    """Return the values of a run's row, by the names of the columns."""
    return {
        "job_id": run.job_id,
        "number": run.number,
        "claude_session_id": run.claude_session_id,
        "token_hash": run.token_hash,
        "started_at": run.started_at,
        "ended_at": run.ended_at,
        "resumed_because": None if run.resumed_because is None else run.resumed_because.value,
        "count_goes_on": run.count_goes_on,
        "status": None if outcome is None else outcome.status.value,
        "summary": None if outcome is None else outcome.summary,
        "error": None if outcome is None else outcome.error,
        "cost_usd": None if outcome is None else outcome.cost_usd,
        "cost_is_partial": outcome is not None and outcome.cost_is_partial,
        "turns": None if outcome is None else outcome.turns,
        "refused_actions": None if outcome is None else json.dumps(outcome.refused_actions),
        "failed_servers": None if outcome is None else json.dumps(outcome.failed_servers),
    }


def record_of(row: sqlite3.Row) -> JobRecord:
    """Return what stands in a row of `job_records`."""
    return JobRecord(sequence=row["sequence"], job=_job_of(row), run=_run_of(row))


def earlier_runs_of(row: sqlite3.Row) -> EarlierRuns:
    """Return what a job had come to by a row of `runs`, which is that of the last one."""
    return EarlierRuns(
        cost_usd=row["cost_usd"],
        cost_is_partial=bool(row["cost_is_partial"]),
        turns=row["turns"],
        count_goes_on=bool(row["count_goes_on"]),
    )


def _job_of(row: sqlite3.Row) -> Job:
    return Job(
        id=row["id"],
        name=row["name"],
        task=row["task"],
        origin=Origin(
            session_id=row["session_id"],
            person_id=row["person_id"],
            guild_id=row["guild_id"],
            channel_id=row["channel_id"],
        ),
        folder=row["folder"],
        jail=row["jail"],
        created_at=row["created_at"],
        status=JobStatus(row["status"]),
        run_number=row["run_number"],
        resumed_because=_reason_of(row),
        pid=row["pid"],
        started_at=row["started_at"],
        finished_at=row["finished_at"],
        outcome=_outcome_of(row),
    )


def _run_of(row: sqlite3.Row) -> Run:
    return Run(
        job_id=row["id"],
        number=row["run_number"],
        claude_session_id=row["claude_session_id"],
        token_hash=row["token_hash"],
        started_at=row["run_started_at"],
        ended_at=row["run_ended_at"],
        resumed_because=_reason_of(row),
        count_goes_on=bool(row["count_goes_on"]),
    )


def _reason_of(row: sqlite3.Row) -> ResumeReason | None:
    return None if row["resumed_because"] is None else ResumeReason(row["resumed_because"])


def _outcome_of(row: sqlite3.Row) -> Outcome | None:
    if row["outcome"] is None:
        return None
    return Outcome(
        status=JobStatus(row["outcome"]),
        summary=row["summary"],
        error=row["error"],
        cost_usd=row["cost_usd"],
        cost_is_partial=bool(row["cost_is_partial"]),
        turns=row["turns"],
        refused_actions=tuple(json.loads(row["refused_actions"])),
        failed_servers=tuple(json.loads(row["failed_servers"])),
    )
