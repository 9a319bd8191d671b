"""Starts the program of a peer, and notices when it ends."""

import asyncio
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from signal import SIGKILL
from typing import BinaryIO, cast

from extensions.process.interpreter import program_command
from extensions.process.limits import ProcessLimits
from extensions.rpc.errors import PeerStartError
from extensions.rpc.start_faults import interpreter_missing, start_fault

_START_SECONDS = 30.0
_EXIT_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Spawned:
    """A program that runs, and the pipes to it."""

    process: subprocess.Popen[bytes]
    stdin: BinaryIO
    stdout: BinaryIO
    stderr: BinaryIO


async def spawn(
    command: Sequence[str], *, cwd: Path, env: Mapping[str, str], limits: ProcessLimits
) -> Spawned:
    """Start `command` in its own session and process group; it dies with this thread.

    Raises:
        PeerStartError: If it cannot be started.
    """
    if fault := interpreter_missing(command, cwd=cwd, env=env):
        raise PeerStartError(command[0], fault)
    try:
        return await _spawn(command, cwd, env, limits)
    except OSError as error:
        reason = start_fault(error, command, cwd=cwd, env=env)
        raise PeerStartError(command[0], reason) from error
    except ValueError as error:  # a NUL in an argument or a variable
        raise PeerStartError(command[0], f"spawn failed for `{command[0]}`: {error}") from error


async def _spawn(
    command: Sequence[str], cwd: Path, env: Mapping[str, str], limits: ProcessLimits
) -> Spawned:
    errors, error_fd = os.pipe()
    items = [f"{name}={value}" for name, value in limits.by_name().items()]
    orders = [str(os.getpid()), str(error_fd), "DEATH=KILL", *items, "--", *command]
    try:
        # Not asyncio's: it hands its pipes to transports, and waits for its children in threads.
        process = subprocess.Popen(  # noqa: ASYNC220 - half a millisecond
            [*program_command("launch"), *orders],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=cwd,
            env=dict(env),
            start_new_session=True,
            pass_fds=(error_fd,),
        )
    except BaseException:
        os.close(errors)
        raise
    finally:
        os.close(error_fd)
    try:
        await _raise_start_error(errors)
    except BaseException:
        _end(process)
        raise
    return Spawned(
        process=process,
        stdin=cast("BinaryIO", process.stdin),
        stdout=cast("BinaryIO", process.stdout),
        stderr=cast("BinaryIO", process.stderr),
    )


async def _raise_start_error(errors: int) -> None:
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
        raise OSError(int(number), os.strerror(int(number)))


def _end(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
    with suppress(ProcessLookupError):
        os.killpg(process.pid, SIGKILL)
    process.wait()


class ExitWatch:
    """Tells once when a process has ended; it is not reaped by this."""

    def __init__(self, pid: int, ended: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._pid = pid
        self._ended = ended
        self._timer: asyncio.TimerHandle | None = None
        self._fd: int | None = None
        try:
            self._fd = os.pidfd_open(pid)
        except OSError:
            # Some containers forbid it.
            self._look()
        else:
            self._loop.add_reader(self._fd, self._tell)

    def close(self) -> None:
        """Watch no more."""
        if self._timer is not None:
            self._timer.cancel()
        if self._fd is not None:
            self._loop.remove_reader(self._fd)
            os.close(self._fd)
            self._fd = None

    def _look(self) -> None:
        if os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            self._timer = self._loop.call_later(_EXIT_POLL_SECONDS, self._look)
        else:
            self._timer = self._loop.call_later(0, self._tell)

    def _tell(self) -> None:
        self.close()
        self._ended()
