"""Starts, watches and reaches runners: processes that carry out a run and outlive the bot."""

import asyncio
import fcntl
import json
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Literal

from extensions.errors import RunnerStartError
from extensions.process.interpreter import program_command
from extensions.process.limits import ProcessLimits
from extensions.process.sockets import open_unix

_VERSION = 1
_START_SECONDS = 20.0
_ANSWER_SECONDS = 5.0
_WATCH_SECONDS = 0.05
_FIRST_DESCRIPTOR = 100

Verb = Literal["cancel", "send", "close"]
"""What a runner can be told: to end its program, to write it a line, to close its stdin."""

Reason = Literal["exited", "cancelled", "timeout", "output", "memory", "processes", "terminated"]
"""Why a program ended: of itself, or by its runner for being told to, or for one of its limits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerSpec:
    """What a runner shall run. It is stored as a file: it holds no secret."""

    command: tuple[str, ...]
    cwd: Path
    first_line: str | None = None
    """What is written to its stdin first."""
    wrappers: int = 0
    """How many processes of `command` stand between the first and the program itself."""
    timeout_seconds: float = 24 * 3600
    """How long it may run in all."""
    grace_seconds: float = 5.0
    """How long it may take to end when it is told to; then it is killed."""
    exit_seconds: float = 30.0
    """How long it may take to end by itself after its last result, its stdin being closed."""
    output_limit_bytes: int = 256 * 1024 * 1024
    """How much it may print; checked a few times a second."""
    limits: ProcessLimits = field(default_factory=ProcessLimits)
    """What each of its processes may use."""
    memory_bytes: int | None = None
    """How much memory all of its processes together may use; `None` for as much as there is."""
    processes: int | None = None
    """How many processes it may consist of; `None` for as many as may be."""
    cgroups: tuple[Path, ...] = ()
    """The control groups in which it gets one of its own, so that the kernel keeps these two;
    with none, the runner looks a few times a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerSecrets:
    """What a runner gets through a pipe, so that it stands in no file and no argument."""

    environment: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """The whole environment of the command."""
    descriptors: Mapping[int, bytes] = field(default_factory=dict[int, bytes], repr=False)
    """What the command can read from its open file descriptors, by their numbers, 100 and up."""

    def __post_init__(self) -> None:
        if any(number < _FIRST_DESCRIPTOR for number in self.descriptors):
            msg = f"descriptors below {_FIRST_DESCRIPTOR} may be taken"
            raise ValueError(msg)


@dataclass(frozen=True, slots=True)
class NeverStarted:
    """No runner has ever had this run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """The run goes on."""

    pid: int | None
    """The program, without its wrappers; `None` in the first moments."""
    started_at: float | None
    """Unix time, in seconds; `None` in the first moments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exited:
    """The program has ended, and every process of the run is gone."""

    code: int
    """Its exit code; the negative number of the signal that ended it, if one did."""
    reason: Reason
    pid: int | None
    started_at: float
    """Unix time, in seconds."""
    finished_at: float
    """Unix time, in seconds."""
    max_rss_kb: int
    """The memory that the largest of its processes took."""
    cpu_seconds: float
    was_slow_to_exit: bool
    """Whether it had to be ended, as it did not end by itself after its last result."""
    was_disk_full: bool = False
    """Whether there was no room left when it ended, so that what it printed may not be whole."""


@dataclass(frozen=True, slots=True)
class Lost:
    """The runner is gone, and has not recorded an end: the machine stopped, or it was killed."""


RunnerState = NeverStarted | Running | Exited | Lost


async def start_runner(folder: Path, spec: RunnerSpec, secrets: RunnerSecrets) -> None:
    """Start a runner in the control folder `folder`, which is made if it is not there.

    It runs when this returns, and goes on whatever becomes of this process. If this is cancelled,
    it may run or not; `runner_state` tells.

    Raises:
        RunnerStartError: If it cannot be started, or has been before.
        OSError: If the folder cannot be written.
    """
    if runner_state(folder) != NeverStarted():
        raise RunnerStartError(str(folder), "this run has been started before")
    _write_folder(folder, spec)
    handed_over = {
        "environment": dict(secrets.environment),
        "descriptors": {str(n): data.hex() for n, data in secrets.descriptors.items()},
    }
    with (folder / "runner.log").open("ab") as log:
        await _run_to_its_start(folder, handed_over, log)


async def _run_to_its_start(folder: Path, handed_over: dict[str, Any], log: BinaryIO) -> None:
    # It forks, and the process started here ends as soon as the run is on.
    process = await asyncio.create_subprocess_exec(
        *program_command("runner/__main__"),
        str(folder),
        stdin=PIPE,
        stdout=DEVNULL,
        stderr=log,
        env={},
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(_START_SECONDS):
            await process.communicate(json.dumps(handed_over).encode())
    except TimeoutError as error:
        raise RunnerStartError(str(folder), "it took too long") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0:
        lines = (folder / "runner.log").read_text(errors="replace").splitlines()
        raise RunnerStartError(str(folder), lines[-1] if lines else "it does not say why")


def _write_folder(folder: Path, spec: RunnerSpec) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    document = {
        "version": _VERSION,
        "command": list(spec.command),
        "cwd": str(spec.cwd),
        "first_line": spec.first_line,
        "wrappers": spec.wrappers,
        "timeout_seconds": spec.timeout_seconds,
        "grace_seconds": spec.grace_seconds,
        "exit_seconds": spec.exit_seconds,
        "output_limit_bytes": spec.output_limit_bytes,
        "limits": spec.limits.by_name(),
        "memory": spec.memory_bytes,
        "processes": spec.processes,
        "cgroups": [str(folder) for folder in spec.cgroups],
    }
    (folder / "runner.log").touch(mode=0o600)
    (folder / "spec.json").touch(mode=0o600)
    (folder / "spec.json").write_text(json.dumps(document))


def runner_state(folder: Path) -> RunnerState:
    """Return how the run of the control folder `folder` stands; no process id is trusted."""
    ended = _read_record(folder / "exit.json")
    if ended is not None:
        return _exited(ended)
    try:
        is_locked = _is_locked(folder / "lock")
    except FileNotFoundError:
        return NeverStarted()
    if is_locked:
        record = _read_record(folder / "runner.json") or {}
        return Running(pid=record.get("pid"), started_at=record.get("started_at"))
    # It may have ended between the two looks.
    ended = _read_record(folder / "exit.json")
    return Lost() if ended is None else _exited(ended)


def _is_locked(path: Path) -> bool:
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _read_record(path: Path) -> dict[str, Any] | None:
    try:
        record: dict[str, Any] = json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return None
    return record


def _exited(record: dict[str, Any]) -> Exited:
    return Exited(
        code=record["code"],
        reason=record["reason"],
        pid=record["pid"],
        started_at=record["started_at"],
        finished_at=record["finished_at"],
        max_rss_kb=record["max_rss_kb"],
        cpu_seconds=record["cpu_seconds"],
        was_slow_to_exit=record["was_slow_to_exit"],
        was_disk_full=record.get("was_disk_full", False),
    )


async def watch_exit(folder: Path, *, interval_seconds: float = _WATCH_SECONDS) -> Exited | Lost:
    """Wait until the run of the control folder `folder` is over, and return how it ended.

    The runner keeps the run's time limit, so that this returns some day. A run that was never
    started counts as lost.
    """
    while True:
        match runner_state(folder):
            case Exited() | Lost() as end:
                return end
            case NeverStarted():
                return Lost()
            case Running():
                # Neither a file nor a lock of another process can be awaited.
                await asyncio.sleep(interval_seconds)


async def tell_runner(folder: Path, verb: Verb, line: str | None = None) -> bool:
    """Tell the runner of the control folder `folder` something; return whether it does it.

    Args:
        folder: The control folder of the run.
        verb: What it shall do.
        line: With `send`, the line for the program's stdin.
    """
    request = json.dumps({"version": _VERSION, "verb": verb, "line": line}) + "\n"
    try:
        async with asyncio.timeout(_ANSWER_SECONDS):
            reader, writer = await open_unix(folder / "ctl.sock")
            with closing(writer):
                writer.write(request.encode())
                answer = await reader.readline()
    except (OSError, TimeoutError):
        return False
    try:
        return json.loads(answer)["ok"] is True
    except ValueError:
        # It ended before it answered.
        return False
