"""One run of a job, as data. Pure."""

from dataclasses import dataclass, replace

from extensions.errors import LocalProtocolError


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One `claude` process of a job. Never changed in place: each step gives a new `Run`."""

    job_id: str
    number: int
    """1 for the first run of a job."""
    claude_session_id: str
    """A UUID, set before the start so that the run can be resumed."""
    token_hash: str | None = None
    """What is kept of the token with which it calls; `None` until it has started."""
    started_at: float | None = None
    """Unix time, in seconds; `None` until it has started."""
    ended_at: float | None = None
    """Unix time, in seconds; `None` until it has ended, or was given up before it started."""

    def started(self, *, token_hash: str, at: float) -> "Run":
        """Return this run, started.

        Raises:
            LocalProtocolError: If it has started already.
        """
        if self.started_at is not None or self.ended_at is not None:
            raise LocalProtocolError(f"run {self.number} of job {self.job_id} starts twice")
        return replace(self, token_hash=token_hash, started_at=at)

    def not_started(self) -> "Run":
        """Return this run as it was before its start, which came to nothing."""
        return replace(self, token_hash=None, started_at=None)

    def ended(self, *, at: float) -> "Run":
        """Return this run, ended.

        Raises:
            LocalProtocolError: If it has ended already.
        """
        if self.ended_at is not None:
            raise LocalProtocolError(f"run {self.number} of job {self.job_id} ends twice")
        return replace(self, ended_at=at)
