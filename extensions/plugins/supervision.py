"""Keeps one program running: starts it, watches it, starts it again, and ends it when asked."""

import asyncio
import logging
import random
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Generic, TypeAlias

from extensions.errors import LocalProtocolError
from extensions.plugins.charge import Charge, Watched, WatchedT
from extensions.plugins.lifecycle import Failed, Lifecycle, Ready, Shutdown, Spawning
from extensions.plugins.plain_lines import plain_line
from extensions.process.restart import RestartOptions, Restarts
from extensions.rpc.errors import PeerStartError

_MISSED_PINGS = 2
_BUSY_SECONDS = 5.0

_GIVEN_UP = "max restart attempts exceeded"
_OUR_FAULT = "an error inside Papercup, which is in its log"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class SupervisionOptions:
    """How a program is watched."""

    restarts: RestartOptions = field(default_factory=RestartOptions)
    silence_seconds: float = 60.0
    """A program that was not heard of for so long, with no call open, is pinged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _NotStarted:
    reason: str
    is_final: bool
    """Whether another try would come to the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ended:
    reason: str
    well_for_seconds: float


@dataclass(frozen=True, slots=True)
class _Asked:
    """It was ended because somebody asked for it."""


_Outcome: TypeAlias = _NotStarted | _Ended | _Asked


class _OrderedError(Exception):
    """There is an order, so what was under way is broken off. Never leaves this module."""


class Supervisor(Generic[WatchedT]):
    """Runs the program of one charge; `run` has to be running."""

    def __init__(
        self,
        charge: Charge[WatchedT],
        slots: asyncio.Semaphore,
        options: SupervisionOptions,
        changed: Callable[[], None],
    ) -> None:
        """Take a charge.

        Args:
            charge: What is supervised.
            slots: How many programs may be started at once.
            options: How it is watched.
            changed: Called after each change of its state.
        """
        self._charge = charge
        self._slots = slots
        self._options = options
        self._changed = changed
        self._restarts = Restarts()
        self._lifecycle = Lifecycle()
        self._scope: asyncio.Timeout | None = None
        self._order: str | None = None
        self._is_stopping = False
        self._news = asyncio.Event()

    @property
    def lifecycle(self) -> Lifecycle:
        """Where it stands."""
        return self._lifecycle

    async def run(self) -> None:
        """Keep it running until `stop`."""
        while not self._is_stopping:
            self._order = None
            try:
                outcome = await self._live()
            except Exception:
                logger.exception("plugin %s: its supervision failed", self._charge.id)
                outcome = _NotStarted(reason=_OUR_FAULT, is_final=True)
            if not isinstance(outcome, _Asked) and self._order is None:
                await self._pause(self._judge(outcome))
        logger.info("plugin %s: it has ended", self._charge.id)
        self._set(self._lifecycle.shut_down())

    def stop(self, reason: str) -> None:
        """End it for good; `settled` returns when it has ended."""
        self._is_stopping = True
        self._give(reason)

    def renew(self, reason: str) -> None:
        """End its program, and start it anew; `settled` returns when that is done.

        Raises:
            LocalProtocolError: If it was stopped for good.
        """
        if self._is_stopping:
            raise LocalProtocolError("a plugin is started anew after it was stopped")
        self._restarts = Restarts()
        self._give(reason)
        self._set(self._lifecycle.reloading())

    @property
    def is_settled(self) -> bool:
        """Whether it is ready, or is down to stay."""
        match self._lifecycle.state:
            case Shutdown():
                return True
            case Ready() | Failed():
                return self._order is None
            case _:
                return False

    async def settled(self) -> None:
        """Wait until it is ready, or is down to stay."""
        while not self.is_settled:
            self._news.clear()
            await self._news.wait()

    async def ready_within(self, seconds: float) -> bool:
        """Wait until it is ready, if it may become so; return whether it is."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.settled()
        return self._order is None and isinstance(self._lifecycle.state, Ready)

    async def _live(self) -> _Outcome:
        """Start the program, and stay with it until it has ended."""
        async with AsyncExitStack() as stack:
            try:
                async with self._interruptible():
                    peer = await self._started(stack)
            except _OrderedError:
                return _Asked()
            if isinstance(peer, _NotStarted):
                return peer
            self._set(self._lifecycle.ready())
            outcome = await self._stay_with(peer)
            if isinstance(outcome, _Asked):
                self._charge.gone("it is being ended", is_unasked=False)
                await self._charge.part(peer, self._order or "stop")
            else:
                self._charge.gone(outcome.reason, is_unasked=True)
            return outcome

    async def _started(self, stack: AsyncExitStack) -> WatchedT | _NotStarted:
        async with self._slots:
            refusal = await self._charge.refusal()
            if refusal is not None:
                return _NotStarted(reason=refusal, is_final=True)
            self._set(self._lifecycle.spawned())
            try:
                opened = self._charge.opened(self._lifecycle.epoch)
                peer = await stack.enter_async_context(opened)
            except PeerStartError as error:
                return _NotStarted(reason=str(error), is_final=False)
            problem = await self._charge.greet(peer)
            return peer if problem is None else _NotStarted(reason=problem, is_final=False)

    async def _stay_with(self, peer: WatchedT) -> _Ended | _Asked:
        loop = asyncio.get_running_loop()
        ready_at = loop.time()
        try:
            async with self._interruptible():
                reason = await self._until_dead(peer)
        except _OrderedError:
            return _Asked()
        return _Ended(reason=reason, well_for_seconds=loop.time() - ready_at)

    async def _until_dead(self, peer: WatchedT) -> str:
        missed, well_at = 0, 0.0
        while missed < _MISSED_PINGS:
            wait = self._until_ping_seconds(max(peer.last_heard, well_at))
            reason = await _ended_within(peer, wait)
            if reason is not None:
                return reason
            if wait == 0 and await self._charge.answers(peer):
                missed, well_at = 0, asyncio.get_running_loop().time()
            elif wait == 0:
                missed += 1
        return "it does not answer any more"

    def _until_ping_seconds(self, heard_at: float) -> float:
        if self._charge.is_busy:
            return _BUSY_SECONDS
        silence = asyncio.get_running_loop().time() - heard_at
        return max(0.0, self._options.silence_seconds - silence)

    def _judge(self, outcome: _NotStarted | _Ended) -> float | None:
        """Return after how long it is started again; `None`: not before it is asked for."""
        is_first_start = isinstance(self._lifecycle.state, Spawning)
        logger.warning("plugin %s: %s", self._charge.id, plain_line(outcome.reason))
        if isinstance(outcome, _NotStarted) and (outcome.is_final or is_first_start):
            self._set(self._lifecycle.failed(outcome.reason))
            return None
        options = self._options.restarts
        self._restarts = self._restarts.ended(
            options,
            at=asyncio.get_running_loop().time(),
            well_for_seconds=outcome.well_for_seconds if isinstance(outcome, _Ended) else 0.0,
        )
        if self._restarts.is_given_up(options):
            logger.error("plugin %s: %s", self._charge.id, _GIVEN_UP)
            self._set(self._lifecycle.failed(f"{_GIVEN_UP}; the last time {outcome.reason}"))
            return None
        self._set(self._lifecycle.restarting(attempt=self._restarts.in_a_row))
        # So that plugins that ended together do not start together; nobody has to guess it.
        wait = self._restarts.wait_seconds(options, chance=random.random())  # noqa: S311
        logger.info("plugin %s: it is started again in %.1f s", self._charge.id, wait)
        return wait

    async def _pause(self, seconds: float | None) -> None:
        with suppress(_OrderedError, TimeoutError):
            async with self._interruptible(), asyncio.timeout(seconds):
                await asyncio.get_running_loop().create_future()

    @asynccontextmanager
    async def _interruptible(self) -> AsyncGenerator[None, None]:
        """Break the block off by `_OrderedError` as soon as there is an order."""
        if self._order is not None:
            raise _OrderedError
        scope = asyncio.timeout(None)
        try:
            async with scope:
                self._scope = scope
                yield
        except TimeoutError:
            if scope.expired():
                raise _OrderedError from None
            raise
        finally:
            self._scope = None

    def _give(self, order: str) -> None:
        self._order = order
        if self._scope is not None:
            self._scope.reschedule(asyncio.get_running_loop().time())
        self._news.set()

    def _set(self, lifecycle: Lifecycle) -> None:
        self._lifecycle = lifecycle
        self._news.set()
        self._changed()


async def _ended_within(peer: Watched, seconds: float) -> str | None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            return (await peer.ended()).reason
    return None
