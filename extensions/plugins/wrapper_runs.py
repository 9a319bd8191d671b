"""Runs a program to its end, and leaves nothing of it behind."""

import asyncio
import os
import secrets
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from extensions.plugins.wrapper_output import Head, Ran, Tail
from extensions.process.families import MARK_NAME, kill_marked
from extensions.process.finishing import finish
from extensions.process.limits import ProcessLimits
from extensions.rpc.pipes import ReadPipe
from extensions.rpc.spawning import ExitWatch, Spawned, spawn

MOST_PRINTED_BYTES = 16 * 1024 * 1024
"""A program that prints more is stopped, as it may never end."""
_KILL_SECONDS = 2.0


async def run_program(
    command: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    limits: ProcessLimits,
    most_printed_bytes: int = MOST_PRINTED_BYTES,
) -> Ran:
    """Run a program that is given nothing to read, and return how it ended.

    If this is cancelled, it is killed. Either way all that it started is killed, too.

    Args:
        command: The program and its arguments.
        cwd: Its working directory.
        env: Its environment, beside a variable by which what it starts is known.
        limits: What it may use at most.
        most_printed_bytes: How much it may print before it is stopped.

    Raises:
        PeerStartError: If it cannot be started.
    """
    mark = secrets.token_hex(16)
    spawned = await spawn(command, cwd=cwd, env={**env, MARK_NAME: mark}, limits=limits)
    run = _Run(spawned, most_printed_bytes)
    try:
        return await run.ended()
    finally:
        await finish(run.close(mark))


class _Run:
    """A program that runs."""

    def __init__(self, spawned: Spawned, most_printed_bytes: int) -> None:
        self._process = spawned.process
        self._most_printed_bytes = most_printed_bytes
        self._stdout, self._stderr = Head(), Tail()
        self._printed_bytes = 0
        self._has_ended = asyncio.Event()
        spawned.stdin.close()
        self._pipes = (
            ReadPipe(spawned.stdout, received=self._printed, closed=_let_be),
            ReadPipe(spawned.stderr, received=self._complained, closed=_let_be),
        )
        self._exit_watch = ExitWatch(spawned.process.pid, self._has_ended.set)

    async def ended(self) -> Ran:
        """Wait until it has ended, and return how; not for what it left behind."""
        await self._has_ended.wait()
        for pipe in self._pipes:
            pipe.drain()
        self._kill_group()
        return Ran(
            exit_code=self._process.wait(),
            stdout=self._stdout,
            stderr=self._stderr,
            has_printed_too_much=self._printed_bytes > self._most_printed_bytes,
        )

    async def close(self, mark: str) -> None:
        """Kill it if it lives, and all that it has left behind."""
        self._kill_group()
        with suppress(TimeoutError):
            # One that the kernel does not let go of is not waited for.
            async with asyncio.timeout(_KILL_SECONDS):
                await self._has_ended.wait()
                self._process.wait()
        self._exit_watch.close()
        for pipe in self._pipes:
            pipe.close()
        await asyncio.to_thread(kill_marked, mark, since_pid=self._process.pid)

    def _printed(self, data: bytes) -> None:
        self._stdout.feed(data)
        self._count(len(data))

    def _complained(self, data: bytes) -> None:
        self._stderr.feed(data)
        self._count(len(data))

    def _count(self, count_bytes: int) -> None:
        self._printed_bytes += count_bytes
        if self._printed_bytes > self._most_printed_bytes:
            self._kill_group()

    def _kill_group(self) -> None:
        # Only before it is reaped: until then its number is nobody else's.
        if self._process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)


def _let_be() -> None:
    """Do nothing: it may go on without that pipe."""
