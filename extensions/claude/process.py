"""A running `claude`: what is said to it, and what it tells."""

import asyncio
from asyncio.subprocess import Process
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path

from extensions.claude.events import BadLine, ControlAnswered, Event
from extensions.claude.failures import Failure, failure_of_exit, failure_of_size
from extensions.claude.lines import LineSplitter, TooLong
from extensions.claude.stream import Picture, initialize, interrupt, parse_line, user_message
from extensions.errors import ClaudeStartError
from extensions.process.child import running_child
from extensions.process.families import FamilyLimits
from extensions.process.limits import ProcessLimits

_READ_BYTES = 65536
_LINE_LIMIT_BYTES = 32 << 20
_KEPT_EVENTS = 1000
_STDERR_TAIL_BYTES = 4096
_LOOK_SECONDS = 1.0
_SIZE_LOOK_SECONDS = 0.5
_EXIT_SECONDS = 5.0
_WRITE_SECONDS = 10.0


class ClaudeProcess:
    """A `claude` that is up. Get one from `running_claude`."""

    def __init__(self, child: Process) -> None:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        self._child = child
        self._stdin = child.stdin
        self._stdout = child.stdout
        self._stderr = child.stderr
        self._splitter = LineSplitter(_LINE_LIMIT_BYTES)
        self._unread: deque[Event] = deque()
        self._before_ready: deque[Event] = deque(maxlen=_KEPT_EVENTS)
        self._stderr_tail = b""
        self._stderr_ended = asyncio.Event()
        self._request_numbers = count(1)
        self._outgrew: str | None = None

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._child.pid

    @property
    def stderr_tail(self) -> str:
        """The last that it wrote to its standard error."""
        return self._stderr_tail.decode(errors="replace")

    async def ready(self, timeout_seconds: float) -> None:
        """Wait until it is ready for a message. Call it once, before `events`.

        Raises:
            ClaudeStartError: If it ends instead, or is not ready in time.
        """
        request_id = self._new_request_id()
        try:
            async with asyncio.timeout(timeout_seconds):
                await self._write(initialize(request_id))
                await self._answered(request_id)
        except TimeoutError:
            reason = f"it did not answer within {timeout_seconds:g} seconds"
            raise ClaudeStartError(reason) from None
        except ConnectionError:
            raise ClaudeStartError((await self.exit()).detail) from None

    async def say(self, text: str, *, uuid: str, images: Sequence[Picture] = ()) -> None:
        """Say something to it; what becomes of it is told as `MessageMoved` with that `uuid`.

        Args:
            text: What is said.
            uuid: A fresh one. A message whose uuid the Claude session knows already, from before
                it was resumed too, is told to be completed and never answered.
            images: What is shown with it.

        Raises:
            ConnectionError: If it has ended.
        """
        await self._write(user_message(text, uuid=uuid, images=images))

    async def interrupt(self) -> None:
        """Stop the running turn; its end is told as any turn's. Harmless if there is none.

        Raises:
            ConnectionError: If it has ended.
        """
        await self._write(interrupt(self._new_request_id()))

    async def events(self) -> AsyncIterator[Event]:
        """Yield what it tells, until it ends.

        It is read only as fast as this is consumed: one that nobody listens to comes to a halt.
        """
        while self._before_ready:
            yield self._before_ready.popleft()
        while (event := await self._next_event()) is not None:
            yield event

    def kill(self) -> None:
        """End it at once; what it was answering is lost. Harmless if it has ended."""
        with suppress(ProcessLookupError):
            self._child.kill()

    async def keep_within(self, limits: FamilyLimits) -> None:
        """End it when it has outgrown them, with all that it started; `exit` tells of it then."""
        while self._child.returncode is None:
            self._outgrew = await asyncio.to_thread(limits.outgrown_by, self.pid)
            if self._outgrew is not None:
                self.kill()
                return
            await asyncio.sleep(_SIZE_LOOK_SECONDS)

    async def exit(self) -> Failure:
        """Return why it has ended, once `events` has."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_EXIT_SECONDS):
                # Not wait(): it also waits for pipes that a grandchild may hold for ever.
                while self._child.returncode is None:  # noqa: ASYNC110 - see above
                    await asyncio.sleep(0.01)
        with suppress(TimeoutError):
            async with asyncio.timeout(_LOOK_SECONDS):
                await self._stderr_ended.wait()
        if self._outgrew is not None:
            return failure_of_size(self._outgrew)
        return failure_of_exit(self._child.returncode, self.stderr_tail)

    async def keep_stderr_tail(self) -> None:
        """Read its standard error to the end, and keep the last of it."""
        try:
            while data := await self._stderr.read(_READ_BYTES):
                self._stderr_tail = (self._stderr_tail + data)[-_STDERR_TAIL_BYTES:]
        finally:
            self._stderr_ended.set()

    async def _answered(self, request_id: str) -> None:
        while (event := await self._next_event()) is not None:
            if not isinstance(event, ControlAnswered) or event.request_id != request_id:
                self._before_ready.append(event)
            elif event.error is not None:
                raise ClaudeStartError(event.error)
            else:
                return
        raise ClaudeStartError((await self.exit()).detail)

    async def _next_event(self) -> Event | None:
        """Return the next event; `None` once there are no more."""
        while not self._unread:
            data = await self._read()
            if not data:
                return None
            self._unread.extend(map(_event_of, self._splitter.feed(data)))
        return self._unread.popleft()

    async def _read(self) -> bytes:
        while True:
            try:
                async with asyncio.timeout(_LOOK_SECONDS):
                    return await self._stdout.read(_READ_BYTES)
            except TimeoutError:
                # A grandchild may hold the pipe open for ever.
                if self._child.returncode is not None:
                    return b""

    async def _write(self, line: bytes) -> None:
        try:
            self._stdin.write(line)
            async with asyncio.timeout(_WRITE_SECONDS):
                await self._stdin.drain()
        except TimeoutError:
            raise BrokenPipeError("claude reads nothing any more") from None
        except RuntimeError as error:  # uvloop says so of a pipe that is closed
            raise BrokenPipeError(str(error)) from error

    def _new_request_id(self) -> str:
        return f"papercup-{next(self._request_numbers)}"


@asynccontextmanager
async def running_claude(
    command: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    grace_seconds: float = 3.0,
    descriptors: Mapping[int, bytes] | None = None,
    limits: ProcessLimits | None = None,
    family: FamilyLimits | None = None,
) -> AsyncGenerator[ClaudeProcess, None]:
    """Start `claude`, and end it when the block is left.

    Args:
        command: Its arguments, from `speaker_command`.
        cwd: The folder that it works in.
        env: Its whole environment, from `claude_environment`.
        grace_seconds: How long it may take to end its turn once the block is left.
        descriptors: What it can read from its open file descriptors, by their numbers: a jail's.
        limits: What each of its processes may use at most.
        family: What they may be together; beyond it is ended.

    Raises:
        OSError: If it cannot be started.
    """
    async with running_child(
        command,
        cwd=cwd,
        env=env,
        grace_seconds=grace_seconds,
        descriptors=descriptors,
        limits=limits,
    ) as child:
        claude = ClaudeProcess(child)
        loop = asyncio.get_running_loop()
        tasks = [loop.create_task(claude.keep_stderr_tail())]
        if family is not None:
            tasks.append(loop.create_task(claude.keep_within(family)))
        try:
            yield claude
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)


def _event_of(line: bytes | TooLong) -> Event:
    match line:
        case TooLong(limit_bytes):
            return BadLine(f"longer than {limit_bytes} bytes")
        case _:
            return parse_line(line)
