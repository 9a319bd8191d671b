"""Carries out runs on this machine: each under a runner of its own, in a jail where one works."""

import asyncio
import logging
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from extensions.claude.usage import Usage
from extensions.disk import has_room, is_disk_full
from extensions.errors import RunnerStartError
from extensions.jobs.backend import Order, RunEnded, RunEvent, RunRequest
from extensions.jobs.job import JobStatus, Outcome
from extensions.jobs.run_addresses import Addresses, read_addresses, write_addresses
from extensions.jobs.run_following import BotPresence, follow_run
from extensions.jobs.run_plan import LocalSettings, Planner, RunFolders
from extensions.process.cgroups import remove_groups
from extensions.process.detached import Lost, Running, runner_state, start_runner, tell_runner
from extensions.process.jail.bubblewrap import Jail

logger = logging.getLogger(__name__)

_NOT_STARTED = Outcome(
    status=JobStatus.FAILED, error="It could not be started; Papercup's log says why."
)


_DISK_FULL = Outcome(
    status=JobStatus.FAILED, error="The disk is full, so that it could not be started."
)


def _nothing_known(_job_id: str) -> Usage:
    return Usage()


def _no_plugins() -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class BotDoors:
    """How runs reach the bot, and what the bot knows of their calls."""

    mcp_url: str
    """The MCP server, for runs without a jail."""
    api_url: str
    """The model gateway, for runs without a jail."""
    sockets: Callable[[Path], AbstractAsyncContextManager[None]]
    """Opens both as sockets in a folder, for a run in a jail, while the block lasts."""
    opened_at: float
    """Unix time, in seconds: a run that was started before may have found them closed."""
    answer_was_cut: Callable[[str], bool]
    """Says of a job, by its id, whether the model's last answer to it stopped before its end."""
    used: Callable[[str], Usage] = _nothing_known
    """Says how many tokens a job, by its id, has used since the bot is there."""
    asks_plugins: Callable[[], bool] = _no_plugins
    """Says whether a run that starts now has to ask the plugins before it does things."""


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
                # A runner that could not write cannot say so, either.
                is_full = is_disk_full(error) or not has_room(self._folder)
                events = _only(RunEnded(_DISK_FULL if is_full else _NOT_STARTED))
            else:
                events = self._follow(request.job_id, request.run_number, BotPresence())
            yield await stack.enter_async_context(aclosing(events))

    @asynccontextmanager
    async def attach(
        self, job_id: str, run_number: int
    ) -> AsyncGenerator[AsyncIterator[RunEvent], None]:
        """Follow a run that was started before, from its beginning."""
        folders = self._folders(job_id)
        control = folders.control(run_number)
        async with AsyncExitStack() as stack:
            state = runner_state(control)
            if isinstance(state, Running):
                await stack.enter_async_context(self._doors.sockets(folders.sockets))
            elif isinstance(state, Lost):
                await asyncio.to_thread(remove_groups, control)
            looked_for = await asyncio.to_thread(read_addresses, control)
            was_lost = looked_for is not None and looked_for != self._addresses
            if was_lost and isinstance(state, Running):
                logger.warning(
                    "job %s: it cannot find Papercup's new address, so it is stopped", job_id
                )
                await self.tell(job_id, run_number, Order.CANCEL)
            bot = BotPresence(returned_at=self._doors.opened_at, address_was_lost=was_lost)
            yield await stack.enter_async_context(aclosing(self._follow(job_id, run_number, bot)))

    async def tell(self, job_id: str, run_number: int, order: Order) -> bool:
        """Give a run an order; `False` if it is not there to hear it."""
        return await tell_runner(self._folders(job_id).control(run_number), order.value)

    async def _start(self, request: RunRequest, stack: AsyncExitStack) -> None:
        if self._planner.settings.is_jail_required and self._planner.jail is None:
            raise RunnerStartError(request.folder, "a jail is required, but there is none")
        folders = self._folders(request.job_id)
        for folder in folders.all_but_control:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        await stack.enter_async_context(self._doors.sockets(folders.sockets))
        plan = self._planner.plan(
            request,
            folders,
            message_uuid=str(uuid.uuid4()),
            # A run that was lost in its first moments has left nothing to go on with.
            is_resumed=request.run_number > 1
            and await asyncio.to_thread(folders.knows_session, request.claude_session_id),
            asks_plugins=self._doors.asks_plugins(),
        )
        control = folders.control(request.run_number)
        if self._planner.jail is None:
            await asyncio.to_thread(write_addresses, control, self._addresses)
        await start_runner(control, plan.spec, plan.secrets)

    @property
    def _addresses(self) -> Addresses:
        return Addresses(mcp_url=self._doors.mcp_url, api_url=self._doors.api_url)

    def _follow(
        self, job_id: str, run_number: int, bot: BotPresence
    ) -> AsyncGenerator[RunEvent, None]:
        return follow_run(
            self._folders(job_id).control(run_number),
            lambda: self._doors.answer_was_cut(job_id),
            bot,
            lambda: self._doors.used(job_id),
        )

    def _folders(self, job_id: str) -> RunFolders:
        return RunFolders(self._folder / job_id)


async def _only(event: RunEvent) -> AsyncGenerator[RunEvent, None]:
    yield event
