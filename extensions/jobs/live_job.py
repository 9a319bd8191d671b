"""A job that has not settled, and the random values that a new one needs."""

import asyncio
import secrets
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from extensions.callers import Caller, CallerKind
from extensions.jobs.job import Job
from extensions.jobs.progress import Progress
from extensions.jobs.run import Run


def _new_job_id() -> str:
    return secrets.token_hex(4)


def _new_claude_session_id() -> str:
    return str(uuid.uuid4())


def _new_token() -> str:
    return secrets.token_urlsafe(32)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewIds:
    """Where the random values of a job come from."""

    job_id: Callable[[], str] = _new_job_id
    """Makes eight hexadecimal digits."""
    claude_session_id: Callable[[], str] = _new_claude_session_id
    """Makes a UUID."""
    token: Callable[[], str] = _new_token


class LiveJob:
    """A job that has not settled, as it stands now."""

    def __init__(self, job: Job, run: Run) -> None:
        self.job = job
        self.run = run
        self.progress = Progress()
        self.token: str | None = None
        """With which its run will call, once it has begun and until it is handed over."""
        self.turn_came = asyncio.Event()
        """Set when it has a place, or need not wait for one any more."""
        self.has_ended = asyncio.Event()
        """Set when it is under way no more; that it has settled is stored then."""
        self.is_stored = False
        self.cancel_wanted = False

    @property
    def caller(self) -> Caller:
        """As whom it calls the bot."""
        return Caller(CallerKind.JOB, self.job.id)
