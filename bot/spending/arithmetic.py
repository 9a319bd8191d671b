"""What jobs have cost within a time. Pure."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedRun:
    """A run of a job that is over."""

    job_id: str
    ended_at: float
    """Unix time, in seconds."""
    cost_usd: float
    """Of this run and all of the job's earlier ones."""


def midnight_before(now: float) -> float:
    """Return the Unix time at which the day began, where this machine is, that `now` is in."""
    day = datetime.fromtimestamp(now).astimezone().date()
    # Not counted back from now: a day may have 23 hours, or 25.
    return datetime(day.year, day.month, day.day).astimezone().timestamp()


def cost_since(runs: Iterable[EndedRun], since: float) -> float:
    """Return how much the cost of jobs has grown since then.

    Args:
        runs: All runs of the jobs of which one has ended since then.
        since: Unix time, in seconds.
    """
    before: dict[str, float] = {}
    by_now: dict[str, float] = {}
    for run in runs:
        if not is_cost(run.cost_usd):
            continue
        by_now[run.job_id] = max(by_now.get(run.job_id, 0.0), run.cost_usd)
        if run.ended_at < since:
            before[run.job_id] = max(before.get(run.job_id, 0.0), run.cost_usd)
    return math.fsum(cost - before.get(job_id, 0.0) for job_id, cost in by_now.items())


def is_cost(usd: float) -> bool:
    """Say whether anything can cost that."""
    return math.isfinite(usd) and usd >= 0
