"""Where runs are carried out: the interface between the job manager and a machine."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from extensions.jobs.job import Outcome
from extensions.jobs.progress import Progress
from extensions.jobs.run import ResumeReason


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What a backend needs to know to carry out one run."""

    job_id: str
    run_number: int
    """1 for the first run of a job. Later ones go on where the one before stopped."""
    task: str
    claude_session_id: str
    """A UUID, set before the start so that the run can be resumed."""
    folder: str
    """The absolute path of the folder it works in."""
    token: str
    """With which this run calls the bot; never written to a file or an argument."""


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The run's `claude` is up."""

    pid: int


@dataclass(frozen=True, slots=True)
class RunProgressed:
    """The run got on."""

    progress: Progress


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The run is over, and every process of it is gone. Nothing comes after it."""

    outcome: Outcome
    ended_at: float | None = None
    """Unix time, in seconds; `None` if nobody saw it end."""
    resume_because: ResumeReason | None = None
    """Why another run should go on where it stopped; `None` if none should by itself."""
    count_goes_on: bool = False
    """Whether the count of the cost goes on in another run."""


@dataclass(frozen=True, slots=True)
class RunNeverStarted:
    """Nothing of the run was ever done, so that it may be started. Nothing comes after it."""


RunEvent = RunStarted | RunProgressed | RunEnded | RunNeverStarted


class Order(StrEnum):
    """What a run can be told."""

    CANCEL = "cancel"
    CLOSE = "close"


class JobBackend(Protocol):
    """Carries out runs. A run goes on when the block that follows it is left."""

    @property
    def jail(self) -> str:
        """What confines the runs: `bubblewrap` or `none`."""
        ...

    def start(self, request: RunRequest) -> AbstractAsyncContextManager[AsyncIterator[RunEvent]]:
        """Start a run, and follow it while the block lasts; it ends with one `RunEnded`.

        If it cannot be started, that is a `RunEnded` that failed.
        """
        ...

    def attach(
        self, job_id: str, run_number: int
    ) -> AbstractAsyncContextManager[AsyncIterator[RunEvent]]:
        """Follow a run that was started before, by an earlier bot perhaps, from its beginning.

        It ends with one `RunEnded`, or one `RunNeverStarted`.
        """
        ...

    async def tell(self, job_id: str, run_number: int, order: Order) -> bool:
        """Give a run an order; `False` if it is not there to hear it."""
        ...
