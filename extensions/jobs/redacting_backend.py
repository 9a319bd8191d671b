"""A backend whose runs tell no secrets: what they say is redacted before anything is stored."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace

from extensions.jobs.backend import (
    JobBackend,
    Order,
    RunEnded,
    RunEvent,
    RunProgressed,
    RunRequest,
)
from extensions.jobs.job import Outcome
from extensions.jobs.progress import Progress, ToolUse

Redact = Callable[[str], str]
"""Returns a text without its secrets."""


class RedactingBackend:
    """Implements `JobBackend` by another one.

    Args:
        backend: Carries out the runs.
        redact: Takes the secrets out of what they say.
    """

    def __init__(self, backend: JobBackend, redact: Redact) -> None:
        self._backend = backend
        self._redact = redact

    @property
    def jail(self) -> str:
        """What confines the runs."""
        return self._backend.jail

    def start(self, request: RunRequest) -> AbstractAsyncContextManager[AsyncIterator[RunEvent]]:
        """Start a run; see `JobBackend.start`."""
        return self._redacted(self._backend.start(request))

    def attach(
        self, job_id: str, run_number: int
    ) -> AbstractAsyncContextManager[AsyncIterator[RunEvent]]:
        """Follow a run; see `JobBackend.attach`."""
        return self._redacted(self._backend.attach(job_id, run_number))

    async def tell(self, job_id: str, run_number: int, order: Order) -> bool:
        """Give a run an order; see `JobBackend.tell`."""
        return await self._backend.tell(job_id, run_number, order)

    @asynccontextmanager
    async def _redacted(
        self, following: AbstractAsyncContextManager[AsyncIterator[RunEvent]]
    ) -> AsyncGenerator[AsyncIterator[RunEvent], None]:
        async with following as events:
            yield (redacted_event(event, self._redact) async for event in events)


def redacted_event(event: RunEvent, redact: Redact) -> RunEvent:
    """Return `event` without secrets."""
    match event:
        case RunProgressed(progress=progress):
            return replace(event, progress=_redacted_progress(progress, redact))
        case RunEnded(outcome=outcome):
            return replace(event, outcome=redacted_outcome(outcome, redact))
        case _:
            return event


def redacted_outcome(outcome: Outcome, redact: Redact) -> Outcome:
    """Return `outcome` without secrets."""
    return replace(
        outcome,
        summary=_redacted_text(outcome.summary, redact),
        error=_redacted_text(outcome.error, redact),
        refused_actions=tuple(map(redact, outcome.refused_actions)),
        failed_servers=tuple(map(redact, outcome.failed_servers)),
    )


def _redacted_progress(progress: Progress, redact: Redact) -> Progress:
    return replace(
        progress,
        last_tool=_redacted_text(progress.last_tool, redact),
        message=_redacted_text(progress.message, redact),
        tools=tuple(ToolUse(redact(tool.name), redact(tool.detail)) for tool in progress.tools),
        newest_file=_redacted_text(progress.newest_file, redact),
    )


def _redacted_text(text: str | None, redact: Redact) -> str | None:
    return None if text is None else redact(text)
