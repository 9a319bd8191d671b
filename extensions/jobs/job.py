"""A job, as data. Pure."""

from dataclasses import dataclass, replace
from enum import StrEnum

from extensions.errors import LocalProtocolError
from extensions.jobs.run import ResumeReason


class JobStatus(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    """It waits for a free place."""
    RUNNING = "running"
    WAITING = "waiting"
    """It asked a person something."""
    PARKED = "parked"
    """It was put aside, and can go on."""
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    """It was lost: the machine or its runner stopped."""

    @property
    def is_settled(self) -> bool:
        """Whether a job in this state has ended."""
        return self in _SETTLED


_SETTLED = frozenset(
    {JobStatus.COMPLETED, JobStatus.FAILED, JobStatus.CANCELLED, JobStatus.INTERRUPTED}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Who asked for a job, and where."""

    session_id: str
    person_id: int
    """Discord's id of the person whose turn it was."""
    guild_id: int | None
    channel_id: int

    @property
    def is_known(self) -> bool:
        """Whether it is known; that of a job whose record was lost may not be."""
        return self != UNKNOWN_ORIGIN


UNKNOWN_ORIGIN = Origin(session_id="", person_id=0, guild_id=None, channel_id=0)
"""Nobody has this id, so that such a job is nobody's but the owner's to see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRequest:
    """A job as somebody asks for it."""

    task: str
    """What is to be done, in the asker's words."""
    name: str | None = None
    """What it shall be called; made from the task if it is not said."""
    origin: Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a job ended."""

    status: JobStatus
    """One of the settled ones."""
    summary: str | None = None
    """What the job says it did: its last words."""
    error: str | None = None
    """One sentence that says why it did not complete."""
    cost_usd: float | None = None
    """What Claude reckons all of its runs cost, in US dollars."""
    cost_is_partial: bool = False
    """Whether it cost more than that: a run was stopped before Claude had said what it cost."""
    turns: int | None = None
    refused_actions: tuple[str, ...] = ()
    """The tools that it wanted to use and was not allowed to."""
    failed_servers: tuple[str, ...] = ()
    """The MCP servers that it could not reach."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One task given to Claude. Never changed in place: each step gives a new `Job`."""

    id: str
    """Eight hexadecimal digits."""
    name: str
    """What people call it; the newest job of a name is meant."""
    task: str
    """What was asked for, in the asker's words."""
    origin: Origin
    folder: str
    """The absolute path of the folder it works in."""
    jail: str
    """What confines it: `bubblewrap` or `none`."""
    created_at: float
    """Unix time, in seconds."""
    status: JobStatus = JobStatus.QUEUED
    pid: int | None = None
    """Process id of its `claude`, while it runs and afterwards."""
    run_number: int = 1
    """Of its newest run, which says how it stands."""
    resumed_because: ResumeReason | None = None
    """Why there is a newest run; `None` for the first."""
    started_at: float | None = None
    """Unix time, in seconds, of its newest run; `None` while it is queued."""
    finished_at: float | None = None
    """Unix time, in seconds; `None` until it has settled."""
    outcome: Outcome | None = None
    """`None` until it has settled."""

    def started(self, *, at: float) -> "Job":
        """Return this job, running.

        Raises:
            LocalProtocolError: If it is not queued.
        """
        if self.status is not JobStatus.QUEUED:
            raise LocalProtocolError(f"{self.status} -> running")
        return replace(self, status=JobStatus.RUNNING, started_at=at)

    def with_pid(self, pid: int) -> "Job":
        """Return this job with the process id of its `claude`."""
        return replace(self, pid=pid)

    def queued_again(self) -> "Job":
        """Return this job as it was before its start, which came to nothing.

        Raises:
            LocalProtocolError: If it has ended.
        """
        if self.status.is_settled:
            raise LocalProtocolError(f"{self.status} -> queued")
        return replace(self, status=JobStatus.QUEUED, pid=None, started_at=None)

    def settled(self, outcome: Outcome, *, at: float) -> "Job":
        """Return this job, ended.

        Raises:
            LocalProtocolError: If it has ended already, or the outcome's status is no ending.
        """
        if self.status.is_settled or not outcome.status.is_settled:
            raise LocalProtocolError(f"{self.status} -> {outcome.status}")
        return replace(self, status=outcome.status, finished_at=at, outcome=outcome)

    @property
    def can_be_resumed(self) -> bool:
        """Whether it may go on in another run."""
        return self.status is JobStatus.INTERRUPTED

    def resumed(self, because: ResumeReason) -> "Job":
        """Return this job as it waits for another run.

        Raises:
            LocalProtocolError: If it was not interrupted.
        """
        if not self.can_be_resumed:
            raise LocalProtocolError(f"{self.status} -> resumed")
        return replace(
            self,
            status=JobStatus.QUEUED,
            run_number=self.run_number + 1,
            resumed_because=because,
            pid=None,
            started_at=None,
            finished_at=None,
            outcome=None,
        )

    def duration_seconds(self, *, now: float) -> float:
        """Return how long its newest run has taken, or took; 0 if that never started."""
        if self.started_at is None:
            return 0.0
        # A clock may be set back meanwhile.
        return max(0.0, (now if self.finished_at is None else self.finished_at) - self.started_at)
