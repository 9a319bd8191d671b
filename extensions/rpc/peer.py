"""A child process that speaks JSON-RPC over its standard input and output."""

import asyncio
import logging
import os
import secrets
import signal
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from extensions.process.families import (
    MARK_NAME,
    descendants,
    kill_marked,
    kill_processes,
)
from extensions.process.finishing import finish
from extensions.process.limits import ProcessLimits
from extensions.rpc.channel import Channel
from extensions.rpc.errors import PeerError, PeerGoneError, RpcError
from extensions.rpc.messages import Params
from extensions.rpc.options import Farewell, PeerEnd, PeerOptions, PeerOwner
from extensions.rpc.spawning import ExitWatch, Spawned, spawn

__all__ = ["Farewell", "Params", "Peer", "PeerEnd", "PeerOptions", "PeerOwner", "running_peer"]

_BROKEN_SECONDS = 0.5
"""How long a peer may live on that has closed one of its pipes."""
_REAP_SECONDS = 2.0
_FAMILY_LIMIT = 10_000
_REASONS = {
    signal.SIGXCPU: "it took more processor time than it may",
    signal.SIGXFSZ: "it wrote a larger file than it may",
}

logger = logging.getLogger(__name__)


class Peer:
    """A running child. Everything of it is used on the event loop's own thread."""

    def __init__(self, spawned: Spawned, owner: PeerOwner, options: PeerOptions) -> None:
        """Take over a program that runs; use `running_peer` instead."""
        self._loop = asyncio.get_running_loop()
        self._process = spawned.process
        self._options = options
        self._refusal: str | None = None
        self._death_reason: str | None = None
        self._timers: list[asyncio.TimerHandle] = []
        self._end: PeerEnd | None = None
        self._has_ended = asyncio.Event()
        self._channel = Channel(spawned, owner=owner, options=options, broken=self._on_broken)
        self._exit_watch = ExitWatch(spawned.process.pid, self._on_exit)
        if options.memory_bytes is not None or options.processes is not None:
            self._later(options.look_seconds, self._look_at_family)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def last_heard(self) -> float:
        """When its last message came, or it was started; on the event loop's clock."""
        return self._channel.last_heard

    @property
    def counts(self) -> Mapping[str, int]:
        """What has happened so far, by name: for people's eyes."""
        return self._channel.counts

    @property
    def end(self) -> PeerEnd | None:
        """How it ended; `None` as long as it lives."""
        return self._end

    async def call(self, method: str, params: Params, *, timeout_seconds: float) -> Any:
        """Ask the peer, and return its answer.

        If this is cancelled, the peer is told to stop.

        Raises:
            RpcError: If it answered with an error.
            PeerError: If it gave no answer: PeerTimeoutError, PeerGoneError, PeerBusyError,
                FrameTooLargeError or BadAnswerError.
        """
        if self._refusal is not None:
            raise PeerGoneError(self._refusal)
        return await self._channel.call(method, params, timeout_seconds)

    def notify(self, method: str, params: Params) -> None:
        """Tell the peer something; never raises for what the peer does, and never waits."""
        if self._refusal is None:
            self._channel.notify(method, params)

    def observe(self, event_params: Callable[[int], Params]) -> None:
        """Tell the peer an event, when it reads, and behind all else.

        Args:
            event_params: Makes the params, given the number of the event: 0, 1 and so on.
        """
        if self._refusal is None:
            self._channel.observe(event_params)

    async def ended(self) -> PeerEnd:
        """Wait until it has ended, and return how."""
        await self._has_ended.wait()
        assert self._end is not None
        return self._end

    async def stop(self, farewell: Farewell | None = None, *, grace_seconds: float) -> PeerEnd:
        """Tell it to end, and kill it and its process group after the grace.

        Calls that are open may still be answered within the grace; new ones are refused at once.

        Args:
            farewell: What it is told, before its standard input is closed.
            grace_seconds: How long it may take to end, in all.
        """
        if self._end is None:
            deadline = self._loop.time() + grace_seconds
            self._refusal = self._refusal or "it is being stopped"
            if farewell is not None and grace_seconds > 0:
                await self._say_farewell(farewell, grace_seconds)
            self._channel.close_stdin()
            with suppress(TimeoutError):
                async with asyncio.timeout_at(deadline):
                    return await self.ended()
            await self._kill_now("it did not end in time, and was killed")
        return await self.ended()

    async def close(self, mark: str) -> None:
        """Kill it if it lives, and all that it has left behind."""
        await self._kill_now("it was killed")
        await self._channel.closed(_REAP_SECONDS)
        left = await asyncio.to_thread(kill_marked, mark, since_pid=self.pid)
        if left:
            logger.warning("%s: killed %d processes that it left", self._options.name, left)

    async def _say_farewell(self, farewell: Farewell, grace_seconds: float) -> None:
        if not farewell.is_request:
            self._channel.notify(farewell.method, farewell.params)
            return
        try:
            await self._channel.call(farewell.method, farewell.params, grace_seconds)
        except (RpcError, PeerError) as error:
            logger.debug("%s: its farewell: %s", self._options.name, error)

    async def _kill_now(self, reason: str) -> None:
        if self._end is not None:
            return
        self._kill(reason)
        with suppress(TimeoutError):
            async with asyncio.timeout(_REAP_SECONDS):
                await self._has_ended.wait()
                return
        # The kernel does not let go of it; there is nothing else to be done.
        logger.error("%s: process %d cannot be killed", self._options.name, self.pid)
        self._finish(None)

    def _kill(self, reason: str) -> None:
        """Kill it with its group and what it started; the kernel tells when that is done."""
        if self._end is not None:
            return
        self._death_reason = self._death_reason or reason
        self._refusal = self._refusal or reason
        # They may have left the group, and once it is dead nobody knows whose they were.
        family = descendants(self.pid, limit=_FAMILY_LIMIT)
        self._kill_group()
        kill_processes(family[1:])

    def _kill_group(self) -> None:
        # Only before it is reaped: until then its number is nobody else's.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    def _on_broken(self, reason: str) -> None:
        """Give a program that has closed a pipe a moment: usually it is just ending."""
        if self._end is None and self._refusal is None:
            self._refusal = reason
            self._later(_BROKEN_SECONDS, lambda: self._kill(reason))

    def _on_exit(self) -> None:
        self._kill_group()
        code = self._process.wait()
        self._channel.drain()
        self._finish(code)

    def _finish(self, code: int | None) -> None:
        if self._end is not None:
            return
        reason = self._death_reason or _reason(code)
        self._refusal = reason
        self._end = PeerEnd(exit_code=code, reason=reason)
        self._exit_watch.close()
        for timer in self._timers:
            timer.cancel()
        self._channel.close(PeerGoneError(reason))
        self._has_ended.set()

    def _look_at_family(self) -> None:
        reason = self._options.family.outgrown_by(self.pid)
        if reason is not None:
            self._kill(reason)
        else:
            self._timers.clear()
            self._later(self._options.look_seconds, self._look_at_family)

    def _later(self, seconds: float, act: Callable[[], None]) -> None:
        self._timers.append(self._loop.call_later(seconds, act))


@asynccontextmanager
async def running_peer(
    command: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    owner: PeerOwner,
    options: PeerOptions | None = None,
    limits: ProcessLimits | None = None,
) -> AsyncGenerator[Peer]:
    """Start `command`, and end it and all that it started when the block is left.

    Must be entered on the event loop's own thread, and that thread must live as long as the
    child: the kernel kills the child together with the thread that started it.

    Args:
        command: The program and its arguments.
        cwd: Its working directory.
        env: Its environment, beside a variable by which what it starts is known.
        owner: Is told what it asks and says.
        options: How it is spoken to, and what it may cost.
        limits: What it may use at most.

    Raises:
        PeerStartError: If it cannot be started.
    """
    mark = secrets.token_hex(16)
    spawned = await spawn(
        command, cwd=cwd, env={**env, MARK_NAME: mark}, limits=limits or ProcessLimits()
    )
    peer = Peer(spawned, owner, options or PeerOptions())
    try:
        yield peer
    finally:
        await finish(peer.close(mark))


def _reason(code: int | None) -> str:
    if code is None:
        return "it was killed, and has not ended"
    if code >= 0:
        return f"it exited with code {code}"
    number = signal.Signals(-code) if -code in set(signal.Signals) else None
    if number is None:
        return f"it was ended by signal {-code}"
    return _REASONS.get(number, f"it was ended by {number.name}")
