"""Carries out runs on this machine: each under a runner of its own, in a jail where one works."""

import logging
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from extensions.errors import RunnerStartError
from extensions.jobs.backend import Order, RunEnded, RunEvent, RunRequest
from extensions.jobs.job import JobStatus, Outcome
from extensions.jobs.run_following import follow_run
from extensions.jobs.run_plan import LocalSettings, Planner, RunFolders
from extensions.process.detached import Running, runner_state, start_runner, tell_runner
from extensions.process.jail.bubblewrap import Jail

logger = logging.getLogger(__name__)

_NOT_STARTED = Outcome(
    status=JobStatus.FAILED, error="It could not be started; Papercup's log says why."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BotDoors:
    """How runs reach the bot, and what the bot knows of their calls."""

    mcp_url: str
    """The MCP server, for runs without a jail."""
    api_url: str
    """The model gateway, for runs without a jail."""
    sockets: Callable[[Path], AbstractAsyncContextManager[None]]
    """Opens both as sockets in a folder, for a run in a jail, while the block lasts."""
    answer_was_cut: Callable[[str], bool]
    """Says of a job, by its id, whether the model's last answer to it stopped before its end."""


class LocalBackend:
    """Carries out runs on this machine. Implements `JobBackend`."""

    def __init__(
        self, folder: Path, settings: LocalSettings, doors: BotDoors, *, jail: Jail | None
    ) -> None:
        """Take what it needs.

        Args:
            folder: Holds the files of all runs, which no job sees.
            settings: How runs are carried out.
            doors: How they reach the bot.
            jail: What they are put into; `None` if no jail works here.
        """
        self._folder = folder.absolute()
        self._doors = doors
        self._planner = Planner(
            # A jail has the program itself, not what links to it.
            settings=replace(settings, claude=settings.claude.resolve()),
            jail=jail,
            mcp_url=doors.mcp_url,
            api_url=doors.api_url,
        )

    @property
    def jail(self) -> str:
        """What confines the runs: `bubblewrap` or `none`."""
        return "none" if self._planner.jail is None else "bubblewrap"

    @asynccontextmanager
    async def start(self, request: RunRequest) -> AsyncGenerator[AsyncIterator[RunEvent], None]:
        """Start a run, and follow it while the block lasts."""
        async with AsyncExitStack() as stack:
            try:
                await self._start(request, stack)
            except (OSError, RunnerStartError) as error:
                logger.warning("job %s: cannot be started: %s", request.job_id, error)
                events = _only(RunEnded(_NOT_STARTED))
            else:
                events = self._follow(request.job_id, request.run_number)
            yield await stack.enter_async_context(aclosing(events))

    @asynccontextmanager
    async def attach(
        self, job_id: str, run_number: int
    ) -> AsyncGenerator[AsyncIterator[RunEvent], None]:
        """Follow a run that was started before, from its beginning."""
        folders = self._folders(job_id)
        async with AsyncExitStack() as stack:
            if isinstance(runner_state(folders.control(run_number)), Running):
                await stack.enter_async_context(self._doors.sockets(folders.sockets))
            yield await stack.enter_async_context(aclosing(self._follow(job_id, run_number)))

    async def tell(self, job_id: str, run_number: int, order: Order) -> bool:
        """Give a run an order; `False` if it is not there to hear it."""
        return await tell_runner(self._folders(job_id).control(run_number), order.value)

    async def _start(self, request: RunRequest, stack: AsyncExitStack) -> None:
        folders = self._folders(request.job_id)
        for folder in folders.all_but_control:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        await stack.enter_async_context(self._doors.sockets(folders.sockets))
        plan = self._planner.plan(request, folders, message_uuid=str(uuid.uuid4()))
        await start_runner(folders.control(request.run_number), plan.spec, plan.secrets)

    def _follow(self, job_id: str, run_number: int) -> AsyncGenerator[RunEvent, None]:
        return follow_run(
            self._folders(job_id).control(run_number),
            lambda: self._doors.answer_was_cut(job_id),
        )

    def _folders(self, job_id: str) -> RunFolders:
        return RunFolders(self._folder / job_id)


async def _only(event: RunEvent) -> AsyncGenerator[RunEvent, None]:
    yield event
