from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

from extensions.jobs.backend import (
    Order,
    RunEnded,
    RunEvent,
    RunProgressed,
    RunRequest,
    RunStarted,
)
from extensions.jobs.job import JobStatus, Outcome
from extensions.jobs.progress import Progress, ToolUse
from extensions.jobs.redacting_backend import RedactingBackend

LEAKY = Outcome(
    status=JobStatus.FAILED,
    summary="The key is hush.",
    error="hush was refused",
    cost_usd=0.1,
    refused_actions=("Bash", "hush"),
    failed_servers=("hush",),
)
CLEAN = Outcome(
    status=JobStatus.FAILED,
    summary="The key is *.",
    error="* was refused",
    cost_usd=0.1,
    refused_actions=("Bash", "*"),
    failed_servers=("*",),
)
REQUEST = RunRequest(
    job_id="8d08ba4f",
    run_number=1,
    task="use hush",
    claude_session_id="s",
    folder="/job",
    token="t",
)


def _progress(word: str) -> Progress:
    return Progress(
        turns=1,
        last_tool=word,
        message=f"found {word}",
        tools=(ToolUse(word, f"{word}.txt"),),
        files_written=1,
        newest_file=f"{word}.txt",
        cost_usd=0.1,
    )


class LeakyBackend:
    """A backend whose runs tell a secret."""

    jail = "bubblewrap"

    def __init__(self) -> None:
        self.started: list[RunRequest] = []
        self.told: list[Order] = []

    @asynccontextmanager
    async def start(self, request: RunRequest) -> AsyncGenerator[AsyncIterator[RunEvent], None]:
        self.started.append(request)
        yield self._events()

    @asynccontextmanager
    async def attach(
        self, job_id: str, run_number: int
    ) -> AsyncGenerator[AsyncIterator[RunEvent], None]:
        assert (job_id, run_number) == ("8d08ba4f", 1)
        yield self._events()

    async def tell(self, job_id: str, run_number: int, order: Order) -> bool:
        assert (job_id, run_number) == ("8d08ba4f", 1)
        self.told.append(order)
        return True

    async def _events(self) -> AsyncIterator[RunEvent]:
        yield RunStarted(7)
        yield RunProgressed(_progress("hush"))
        yield RunEnded(LEAKY, ended_at=5.0)


EXPECTED = [
    RunStarted(7),
    RunProgressed(_progress("*")),
    RunEnded(CLEAN, ended_at=5.0),
]


async def test_what_a_run_tells_holds_no_secret_and_what_it_is_asked_stays_as_it_is() -> None:
    backend = LeakyBackend()
    redacting = RedactingBackend(backend, lambda text: text.replace("hush", "*"))

    async with redacting.start(REQUEST) as events:
        started = [event async for event in events]
    async with redacting.attach("8d08ba4f", 1) as events:
        attached = [event async for event in events]

    assert started == attached == EXPECTED
    assert backend.started == [REQUEST]
    assert redacting.jail == "bubblewrap"


async def test_orders_are_handed_on() -> None:
    backend = LeakyBackend()

    assert await RedactingBackend(backend, str).tell("8d08ba4f", 1, Order.CANCEL)
    assert backend.told == [Order.CANCEL]
