"""Runs the programs of others that bring plugins in: git, npm and uv.

Each gets an environment made of nothing, a home folder of its own, limits, and a time.
"""

import asyncio
import os
import shutil
import signal
from asyncio import StreamReader
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from extensions.plugins.packages.entries import MOST_BYTES
from extensions.plugins.packages.errors import FetchError
from extensions.process.child import running_child
from extensions.process.limits import ProcessLimits

_PASSED_ON = frozenset(
    {"PATH", "LANG", "TMPDIR"}
    | {"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY"}
    | {"http_proxy", "https_proxy", "no_proxy", "all_proxy"}
    | {"SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS"}
)
"""What they get of this program's environment: how the network is reached, and whom to believe."""
_KEPT_LINES = 20
_LINE_BYTES = 4096
_GRACE_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class HelperRun:
    """What is run."""

    command: Sequence[str]
    """The name of the program, and its arguments."""
    cwd: Path
    home: Path
    """A folder of its own, to be thrown away."""
    environment: Mapping[str, str]
    """This program's own."""
    more: Mapping[str, str] = field(default_factory=dict[str, str])
    """What it gets besides."""
    timeout_seconds: float
    file_bytes: int = 2 * MOST_BYTES
    """How large a file it may write."""
    memory_bytes: int | None = None
    """How much memory each of its processes may ask for; `None`: any amount."""
    on_line: Callable[[str], None] = lambda _line: None
    """Told each line that it writes to its standard error."""


def is_there(program: str, environment: Mapping[str, str]) -> bool:
    """Say whether a program is on PATH."""
    return shutil.which(program, path=_search_path(environment)) is not None


def _search_path(environment: Mapping[str, str]) -> str:
    # What is not absolute leads to what the plugin brings, as that is where npm works.
    every = environment.get("PATH", "").split(os.pathsep)
    return os.pathsep.join(each for each in every if each.startswith("/"))


def run_helper(run: HelperRun) -> str:
    """Run a program to its end, and return the last that it wrote to its standard output.

    Not to be called where an event loop runs.

    Raises:
        FetchError: If it is not there, fails, or takes too long.
    """
    return asyncio.run(_run(run))


async def _run(run: HelperRun) -> str:
    program = run.command[0]
    search_path = _search_path(run.environment)
    found = shutil.which(program, path=search_path)
    if found is None:
        raise FetchError(f"{program} is needed, and not found on PATH")
    passed = {name: run.environment[name] for name in _PASSED_ON if name in run.environment}
    env = {
        **passed,
        "PATH": search_path,
        "HOME": str(run.home),
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        **run.more,
    }
    output, errors = deque[str](maxlen=_KEPT_LINES), deque[str](maxlen=_KEPT_LINES)

    def hear(line: str) -> None:
        errors.append(line)
        run.on_line(line)

    try:
        async with asyncio.timeout(run.timeout_seconds):
            code = await _finished([found, *run.command[1:]], run, env, (output.append, hear))
    except TimeoutError as error:
        seconds = f"{run.timeout_seconds:g} seconds"
        raise FetchError(f"{program} has not ended within {seconds}") from error
    except OSError as error:
        raise FetchError(f"{program} cannot be run: {error.strerror or error}") from error
    if code == -signal.SIGXFSZ:
        raise FetchError(f"{program} was ended, as it wrote too large a file")
    if code != 0:
        said = "; ".join(line for line in (errors or output) if line.strip())
        raise FetchError(f"{program} failed ({code}): {said or 'it did not say why'}")
    return "\n".join(output)


async def _finished(
    command: Sequence[str],
    run: HelperRun,
    env: Mapping[str, str],
    hear: tuple[Callable[[str], None], Callable[[str], None]],
) -> int:
    async with running_child(
        command,
        cwd=run.cwd,
        env=env,
        grace_seconds=_GRACE_SECONDS,
        limits=ProcessLimits(file_bytes=run.file_bytes, data_bytes=run.memory_bytes),
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdin.close()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(_read(child.stdout, hear[0]))
            tasks.create_task(_read(child.stderr, hear[1]))
        return await child.wait()


async def _read(stream: StreamReader, hear: Callable[[str], None]) -> None:
    rest = b""
    while piece := await stream.read(_LINE_BYTES):
        *lines, rest = (rest + piece).replace(b"\r", b"\n").split(b"\n")
        for line in lines:
            hear(line.decode(errors="replace"))
        # A line without an end is not kept for ever.
        rest = rest[-_LINE_BYTES:]
    if rest:
        hear(rest.decode(errors="replace"))
