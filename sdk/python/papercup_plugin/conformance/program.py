"""The program of a plugin, run as a host runs it."""

import asyncio
import os
import signal
import tempfile
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from papercup_plugin.conformance.processes import find_marked, kill_marked
from papercup_plugin.conformance.subject import Subject, state_mark
from papercup_plugin.errors import PluginError
from papercup_plugin.framing import LineReader

_READ_BYTES = 1 << 18
_KEPT_LINES = 20
_LONGEST_LINE = 500
_END_SECONDS = 2.0
"""How long it may take until a program that was killed has ended."""
_HELD_SECONDS = 0.5
"""How long the pipes of one that has ended are read: what it has started may hold them open."""
_LOOKED_EACH_SECONDS = 0.05
_MOST_LOOKS = 20
"""What a program has started may outlive it for a moment."""


class StartError(PluginError):
    """A program cannot be started."""

    def __init__(self, command: str, reason: str) -> None:
        super().__init__(command, reason)
        self.command = command
        self.reason = reason

    def __str__(self) -> str:
        return f"`{self.command}` cannot be started: {self.reason}"


class _Pipes(asyncio.subprocess.SubprocessStreamProtocol):
    """Its pipes, and whether it has ended."""

    def __init__(self) -> None:
        self._running_loop = asyncio.get_running_loop()
        super().__init__(limit=_READ_BYTES, loop=self._running_loop)
        self.has_ended = asyncio.Event()
        self._transport_made: asyncio.BaseTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._transport_made = transport

    def process_exited(self) -> None:
        super().process_exited()
        # Not `Process.wait`: it returns only when the pipes are closed.
        self.has_ended.set()
        if self._transport_made is not None:
            self._running_loop.call_later(_HELD_SECONDS, self._transport_made.close)


class Program:
    """A program that runs. Get one from `running`."""

    def __init__(self, transport: asyncio.SubprocessTransport, pipes: _Pipes, mark: str) -> None:
        self._transport = transport
        self._pipes = pipes
        self.mark = mark
        """What stands in the environment of it, and of all that it starts."""
        self._complaints = deque[str](maxlen=_KEPT_LINES)
        self._has_complained = asyncio.Event()
        self.complained_bytes = 0
        """How much it wrote to its standard error."""
        self.unfinished = b""
        """The beginning of the line that it has begun."""

    @property
    def exit_code(self) -> int | None:
        """What it ended with; `None` while it runs."""
        return self._transport.get_returncode()

    @property
    def said(self) -> tuple[str, ...]:
        """The last lines that it wrote to its standard error."""
        return tuple(self._complaints)

    async def write(self, line: bytes, *, timeout_seconds: float) -> bool:
        """Write a line, and return whether it was read, or fits into the pipe."""
        stdin = self._pipes.stdin
        if stdin is None or stdin.is_closing():
            return False
        try:
            async with asyncio.timeout(timeout_seconds):
                stdin.write(line + b"\n")
                await stdin.drain()
        except (TimeoutError, OSError):
            return False
        return True

    def close_input(self) -> None:
        """Let it see the end of its standard input."""
        if self._pipes.stdin is not None:
            self._pipes.stdin.close()

    async def lines(self) -> AsyncIterator[bytes | None]:
        """Yield each line that it writes, until it closes its output; `None`: a too long one."""
        reader = LineReader()
        stdout = self._pipes.stdout
        while stdout is not None and (data := await stdout.read(_READ_BYTES)):
            self.unfinished = (self.unfinished + data).rpartition(b"\n")[2][:_LONGEST_LINE]
            for line in reader.feed(data):
                yield line

    async def listen_to_complaints(self) -> None:
        """Keep the last of what it writes to its standard error."""
        rest = b""
        stderr = self._pipes.stderr
        while stderr is not None and (data := await stderr.read(_READ_BYTES)):
            self.complained_bytes += len(data)
            *lines, rest = (rest + data).split(b"\n")
            rest = rest[-_LONGEST_LINE:]
            self._keep(lines[-_KEPT_LINES:])
        self._keep([rest] if rest else [])
        self._has_complained.set()

    async def ended_within(self, seconds: float) -> bool:
        """Wait until it has ended, and return whether it has."""
        return await _set_within(self._pipes.has_ended, seconds)

    async def heard_out(self, seconds: float) -> None:
        """Wait until it has ended, and all is known that it wrote to its standard error."""
        if await self.ended_within(seconds):
            await _set_within(self._has_complained, seconds)

    async def left_behind(self) -> list[str]:
        """Return the names of what it has started, and has not ended a moment after itself."""
        left = find_marked(self.mark)
        for _ in range(_MOST_LOOKS):
            if not left:
                break
            await asyncio.sleep(_LOOKED_EACH_SECONDS)
            left = find_marked(self.mark)
        return sorted(left.values())

    async def end(self) -> None:
        """End it, and what it has started."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._transport.get_pid(), signal.SIGKILL)
        try:
            await self.ended_within(_END_SECONDS)
        finally:
            kill_marked(self.mark)
            self._transport.close()

    def _keep(self, lines: list[bytes]) -> None:
        self._complaints.extend(
            line[:_LONGEST_LINE].decode(errors="replace") for line in lines if line.strip()
        )


@asynccontextmanager
async def running(subject: Subject) -> AsyncGenerator[Program, None]:
    """Run the program of a plugin for as long as the block lasts.

    Raises:
        StartError: If it cannot be started.
    """
    with tempfile.TemporaryDirectory(prefix="papercup-plugin-", ignore_cleanup_errors=True) as name:
        program = await _started(subject, Path(name))
        try:
            yield program
        finally:
            await program.end()


async def _started(subject: Subject, folder: Path) -> Program:
    argv = subject.argv()
    try:
        transport, pipes = await asyncio.get_running_loop().subprocess_exec(
            _Pipes,
            *argv,
            cwd=subject.folder,
            env=subject.environment(os.environ, folder),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise StartError(argv[0], _reason(argv[0], error)) from error
    return Program(transport, pipes, state_mark(folder))


async def _set_within(event: asyncio.Event, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True


def _reason(command: str, error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError) and Path(command).is_file():
        return "what its first line names, to be run by, is not there"
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
