"""Which jobs' files are removed, and which are kept. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

FRESH_SECONDS = 3600.0
"""For how long the files of a job are kept in any case: whoever was told of it may want them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepLimits:
    """For how long files are kept, and how many."""

    seconds: float
    """Since their job ended."""
    bytes: int
    """Of all jobs together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFolders:
    """What there is of one job on the disk."""

    job_id: str
    name: str
    bytes: int
    finished_at: float | None
    """Unix time, in seconds; `None` if the job has not settled, or is not known."""
    is_awaited: bool
    """Whether somebody is still to be told of it."""


class PruneReason(StrEnum):
    """Why files are removed."""

    AGE = "age"
    """They are older than files are kept."""
    SIZE = "size"
    """There is more than is kept, and they are the oldest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """The files of one job, which go."""

    job_id: str
    name: str
    bytes: int
    finished_at: float
    reason: PruneReason


def prune_plan(folders: Sequence[JobFolders], limits: KeepLimits, *, now: float) -> list[Removal]:
    """Return what goes, the oldest first: nothing of a job that is under way, or awaited."""
    removals: list[Removal] = []
    kept_bytes = sum(one.bytes for one in folders)
    ended = [(one.finished_at, one) for one in folders if one.finished_at is not None]
    for finished_at, one in sorted(ended, key=lambda pair: (pair[0], pair[1].job_id)):
        reason = _reason(one, limits, age_seconds=now - finished_at, kept_bytes=kept_bytes)
        if reason is not None:
            kept_bytes -= one.bytes
            removals.append(
                Removal(
                    job_id=one.job_id,
                    name=one.name,
                    bytes=one.bytes,
                    finished_at=finished_at,
                    reason=reason,
                )
            )
    return removals


def _reason(
    one: JobFolders, limits: KeepLimits, *, age_seconds: float, kept_bytes: int
) -> PruneReason | None:
    if one.is_awaited or age_seconds < FRESH_SECONDS:
        return None
    if age_seconds > limits.seconds:
        return PruneReason.AGE
    return PruneReason.SIZE if kept_bytes > limits.bytes else None
