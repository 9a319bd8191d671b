"""One run of a job, as data. Pure."""

from dataclasses import dataclass, replace
from enum import StrEnum

from extensions.errors import LocalProtocolError


class ResumeReason(StrEnum):
    """Why a job has one more run, which goes on where the one before stopped."""

    ASKED = "asked"
    """Somebody wanted it."""
    BOT_AWAY = "bot_away"
    """The bot was away for so long that the run before could not go on."""
    ADDRESS_LOST = "address_lost"
    """The bot had to take another address, at which the run before could not find it."""


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
    resumed_because: ResumeReason | None = None
    """Why it goes on where the run before stopped; `None` for the first run."""
    count_goes_on: bool = False
    """Whether Claude's own count of the cost goes on in the next run. It starts anew if this run
    did not end by itself."""

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

    def ended(self, *, at: float, count_goes_on: bool = False) -> "Run":
        """Return this run, ended.

        Raises:
            LocalProtocolError: If it has ended already.
        """
        if self.ended_at is not None:
            raise LocalProtocolError(f"run {self.number} of job {self.job_id} ends twice")
        return replace(self, ended_at=at, count_goes_on=count_goes_on)

    def followed(self, *, because: ResumeReason, new_session_id: str) -> "Run":
        """Return the run that goes on where this one stopped.

        Args:
            because: Why there is another run.
            new_session_id: Its session, if that of this run is lost.

        Raises:
            LocalProtocolError: If this run has not ended.
        """
        if self.ended_at is None:
            raise LocalProtocolError(f"run {self.number} of job {self.job_id} has not ended")
        return Run(
            job_id=self.job_id,
            number=self.number + 1,
            claude_session_id=self.claude_session_id or new_session_id,
            resumed_because=because,
        )
