"""Runs a child process that cannot outlive the block that started it, nor the process."""

import asyncio
import os
import signal
from asyncio.subprocess import PIPE, Process, SubprocessStreamProtocol
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from extensions.process.finishing import finish
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
    descriptors: Mapping[int, bytes] | None = None,
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
        descriptors: What it can read from its open file descriptors, by their numbers, 100 and up.

    Raises:
        OSError: If it cannot be started.
    """
    with _memory_files(descriptors or {}) as files:
        orders = _Orders(
            command=tuple(command),
            limits=(limits or ProcessLimits()).by_name(),
            files=files,
        )
        child = await _start(orders, cwd=cwd, env=env, line_limit_bytes=line_limit_bytes)
    try:
        yield child.process
    finally:
        await finish(_stop(child, grace_seconds))


@dataclass(frozen=True, slots=True)
class _Child:
    process: Process
    transport: asyncio.SubprocessTransport


@dataclass(frozen=True, slots=True, kw_only=True)
class _Orders:
    """What the program that becomes the command is told."""

    command: tuple[str, ...]
    limits: Mapping[str, int]
    files: Mapping[int, int]
    """By the number that a descriptor shall have, the one that it has here."""

    @property
    def items(self) -> list[str]:
        """The limits and the descriptors, as arguments."""
        return [f"{name}={value}" for name, value in (*self.limits.items(), *self.files.items())]


@contextmanager
def _memory_files(contents: Mapping[int, bytes]) -> Generator[dict[int, int], None, None]:
    """Yield a descriptor for each content, by the number that it shall have in the child."""
    files: dict[int, int] = {}
    try:
        for number, content in contents.items():
            files[number] = os.memfd_create("papercup")
            with open(files[number], "wb", closefd=False) as file:
                file.write(content)
            os.lseek(files[number], 0, os.SEEK_SET)
        yield files
    finally:
        for fd in files.values():
            os.close(fd)


async def _start(
    orders: _Orders, *, cwd: Path, env: Mapping[str, str], line_limit_bytes: int
) -> _Child:
    # Not preexec_fn: it runs Python between fork and exec, which may deadlock beside threads.
    errors, error_fd = os.pipe()
    try:
        arguments = [str(os.getpid()), str(error_fd), *orders.items, "--", *orders.command]
        child = await _spawn(
            [*program_command("launch"), *arguments],
            cwd,
            env,
            line_limit_bytes,
            (error_fd, *orders.files.values()),
        )
    except BaseException:
        os.close(errors)
        raise
    finally:
        os.close(error_fd)
    try:
        await _raise_start_error(errors, orders.command[0])
    except BaseException:
        await finish(_stop(child, 0))
        raise
    return child


async def _spawn(
    command: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    line_limit_bytes: int,
    kept_fds: tuple[int, ...],
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
        pass_fds=kept_fds,
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
