"""Runs a child process that cannot outlive the block that started it, nor the process."""

import asyncio
import os
import signal
from asyncio.subprocess import PIPE, Process, SubprocessStreamProtocol
from collections.abc import AsyncGenerator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from extensions.process.interpreter import program_command
from extensions.process.limits import ProcessLimits

_EXIT_POLL_SECONDS = 0.01
_TERMINATE_SECONDS = 1.0
_REAP_SECONDS = 2.0
_START_SECONDS = 30.0
_LINE_LIMIT_BYTES = 64 * 1024


@asynccontextmanager
async def running_child(
    command: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    grace_seconds: float = 3.0,
    line_limit_bytes: int = _LINE_LIMIT_BYTES,
    limits: ProcessLimits | None = None,
) -> AsyncGenerator[Process, None]:
    """Start `command` in its own session and process group; stop the whole group on exit.

    Must be entered on the event loop's own thread, and that thread must live as long as the
    child: the kernel ends the child together with the thread that started it.

    Args:
        command: The program and its arguments.
        cwd: Its working directory.
        env: Its whole environment; nothing is inherited.
        grace_seconds: How long it may take to exit once its stdin closes. After that it is asked
            to terminate, and at last killed.
        line_limit_bytes: How long a line of its output may be to be read by `readline`.
        limits: What it may use at most.

    Raises:
        OSError: If it cannot be started.
    """
    child = await _start(command, cwd, env, line_limit_bytes, limits or ProcessLimits())
    try:
        yield child.process
    finally:
        await _finish(_stop(child, grace_seconds))


@dataclass(frozen=True, slots=True)
class _Child:
    process: Process
    transport: asyncio.SubprocessTransport


async def _start(
    command: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    line_limit_bytes: int,
    limits: ProcessLimits,
) -> _Child:
    # Not preexec_fn: it runs Python between fork and exec, which may deadlock beside threads.
    errors, error_fd = os.pipe()
    try:
        set_limits = [f"{name}={value}" for name, value in limits.by_name().items()]
        arguments = [str(os.getpid()), str(error_fd), *set_limits, "--", *command]
        child = await _spawn(
            [*program_command("launch"), *arguments], cwd, env, line_limit_bytes, error_fd
        )
    except BaseException:
        os.close(errors)
        raise
    finally:
        os.close(error_fd)
    try:
        await _raise_start_error(errors, command[0])
    except BaseException:
        await _finish(_stop(child, 0))
        raise
    return child


async def _spawn(
    command: Sequence[str], cwd: Path, env: Mapping[str, str], line_limit_bytes: int, kept_fd: int
) -> _Child:
    loop = asyncio.get_running_loop()
    # What create_subprocess_exec does; but that hides the transport, which has to be closed.
    transport, protocol = await loop.subprocess_exec(
        lambda: SubprocessStreamProtocol(limit=line_limit_bytes, loop=loop),
        *command,
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        cwd=cwd,
        env=env,
        start_new_session=True,
        pass_fds=(kept_fd,),
    )
    return _Child(Process(transport, protocol, loop), transport)


async def _raise_start_error(errors: int, program: str) -> None:
    """Wait until the command runs; raise what kept it from it."""
    loop = asyncio.get_running_loop()
    readable = asyncio.Event()
    loop.add_reader(errors, readable.set)
    try:
        async with asyncio.timeout(_START_SECONDS):
            await readable.wait()
        number = os.read(errors, 16)
    finally:
        loop.remove_reader(errors)
        os.close(errors)
    if number:
        raise OSError(int(number), os.strerror(int(number)), program)


async def _stop(child: _Child, grace_seconds: float) -> None:
    process = child.process
    assert process.stdin is not None
    process.stdin.close()
    await _exited_within(process, grace_seconds)
    if process.returncode is None:
        _signal_group(process, signal.SIGTERM)
        await _exited_within(process, min(grace_seconds, _TERMINATE_SECONDS))
    # Also when it has exited: what it left behind in its group goes, too.
    _signal_group(process, signal.SIGKILL)
    await _exited_within(process, _REAP_SECONDS)
    # A grandchild in a session of its own may hold the pipes open for ever.
    child.transport.close()
    with suppress(TimeoutError):
        async with asyncio.timeout(_REAP_SECONDS):
            await process.wait()


async def _exited_within(process: Process, seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            # Not wait(): until Python 3.13 it also waits for the pipes to close, and a
            # grandchild may hold them open for ever.
            while process.returncode is None:  # noqa: ASYNC110 - see above
                await asyncio.sleep(_EXIT_POLL_SECONDS)


def _signal_group(process: Process, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)


async def _finish(cleanup: Coroutine[Any, Any, None]) -> None:
    """Run `cleanup` to its end, even if the caller is cancelled again meanwhile."""
    task = asyncio.get_running_loop().create_task(cleanup)
    interruption: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            interruption = error
    task.result()
    if interruption is not None:
        raise interruption
