"""A machine on which runs do what a test says."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

from extensions.jobs.backend import (
    Order,
    RunEnded,
    RunEvent,
    RunNeverStarted,
    RunRequest,
)
from extensions.jobs.job import JobStatus, Outcome

CANCELLED = Outcome(status=JobStatus.CANCELLED)


class FakeRun:
    """A run; it goes on until the test, or a cancel order, ends it."""

    def __init__(self, request: RunRequest | None = None) -> None:
        self.request = request
        self.told: list[Order] = []
        self.hears = True
        """Whether it is there to hear orders."""
        self.is_followed = False
        self._events: asyncio.Queue[RunEvent] = asyncio.Queue()

    def emit(self, event: RunEvent) -> None:
        """Have something become of the run."""
        self._events.put_nowait(event)

    @asynccontextmanager
    async def followed(self) -> AsyncGenerator[AsyncIterator[RunEvent], None]:
        """Follow it while the block lasts."""
        self.is_followed = True
        try:
            yield self._all()
        finally:
            self.is_followed = False

    async def _all(self) -> AsyncIterator[RunEvent]:
        while True:
            event = await self._events.get()
            yield event
            if isinstance(event, RunEnded | RunNeverStarted):
                return


class FakeJobBackend:
    """Carries out runs in name only."""

    def __init__(self, jail: str = "bubblewrap") -> None:
        self.jail = jail
        self.runs: dict[str, FakeRun] = {}
        """The newest of each job, by job id, in the order in which the jobs were started."""
        self.numbers: dict[str, int] = {}
        """Of these runs, by job id."""
        self.fault: Exception | None = None
        """Is raised when a run is started."""

    @property
    def tasks(self) -> list[str]:
        """The tasks of the runs, in the order in which they were started."""
        return [run.request.task for run in self.runs.values() if run.request is not None]

    @asynccontextmanager
    async def start(self, request: RunRequest) -> AsyncGenerator[AsyncIterator[RunEvent], None]:
        """Start a run."""
        if self.fault is not None:
            raise self.fault
        if request.run_number != self.numbers.get(request.job_id, 1):
            self.runs[request.job_id] = FakeRun()
        self.numbers[request.job_id] = request.run_number
        run = self.runs.setdefault(request.job_id, FakeRun())
        run.request = request
        async with run.followed() as events:
            yield events

    @asynccontextmanager
    async def attach(
        self, job_id: str, run_number: int
    ) -> AsyncGenerator[AsyncIterator[RunEvent], None]:
        """Follow a run that is there already."""
        assert run_number == self.numbers.get(job_id, 1)
        async with self.runs[job_id].followed() as events:
            yield events

    async def tell(self, job_id: str, run_number: int, order: Order) -> bool:
        """Have a run end if it is told to."""
        assert run_number == self.numbers.get(job_id, 1)
        run = self.runs.get(job_id)
        if run is None or not run.hears:
            return False
        run.told.append(order)
        run.emit(RunEnded(CANCELLED))
        return True
