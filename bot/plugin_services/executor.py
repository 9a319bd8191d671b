"""Runs programs for plugins: in a jail, without a network, for a while, and saying not too much."""

import asyncio
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from extensions.hooks import Occasion
from extensions.plugins.services import Executed, ExecutionError
from extensions.process.child import running_child
from extensions.process.interpreter import python_command
from extensions.process.jail.bubblewrap import Jail, JailedCommand, JailPolicy
from extensions.process.limits import ProcessLimits

_READ_BYTES = 64 * 1024
# A folder is entered inside, where no link leads out of what is seen there.
_ENTER = "import os, sys; os.chdir(sys.argv[1]); os.execvp(sys.argv[2], sys.argv[2:])"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecLimits:
    """What one program may take."""

    seconds: float = 120.0
    output_bytes: int = 1024 * 1024
    """That it may print, on stdout and on stderr each."""
    file_bytes: int = 1024**3
    """To which it may write one file."""
    tmp_bytes: int = 256 * 1024**2
    """That it may keep in `/tmp`."""
    at_once: int = 4
    """How many may run for one plugin at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JailedExecutor:
    """Implements `Executor`."""

    jail: Jail | None
    jail_reason: str | None
    """Why there is no jail; `None` if there is one."""
    plugins_folder: Path
    """The folder in which each plugin has one that is called by its id."""
    workspace_of: Callable[[str, Occasion], Path]
    """Returns where a plugin works on that occasion: the folder that its programs may change."""
    plugin_folder_of: Callable[[str], Path | None] = lambda _: None
    """Returns the folder that a plugin was found in, which its programs may read."""
    limits: ExecLimits = field(default_factory=ExecLimits)
    _running: Counter[str] = field(default_factory=Counter[str])

    async def run(
        self, plugin_id: str, command: Sequence[str], *, cwd: Path | None, occasion: Occasion
    ) -> Executed:
        """Run a program to its end, and return what it printed.

        Raises:
            ExecutionError: If it cannot be run, took too long or printed too much.
        """
        if self.jail is None:
            raise ExecutionError(
                f"programs are run for plugins in a jail alone, and there is none: "
                f"{self.jail_reason or 'it does not work on this machine'}"
            )
        try:
            with self._counted(plugin_id):
                place = await asyncio.to_thread(self._prepare, plugin_id, cwd, occasion)
                return await self._carried_out(self._jailed(self.jail, place, command), place)
        except OSError as error:
            reason = f"it cannot be started: {error.strerror or error}"
            raise ExecutionError(reason) from error

    @contextmanager
    def _counted(self, plugin_id: str) -> Generator[None, None, None]:
        if self._running[plugin_id] >= self.limits.at_once:
            raise ExecutionError(f"{self.limits.at_once} programs run for this plugin already")
        self._running[plugin_id] += 1
        try:
            yield
        finally:
            self._running[plugin_id] -= 1

    def _prepare(self, plugin_id: str, cwd: Path | None, occasion: Occasion) -> "_Place":
        folder = self.workspace_of(plugin_id, occasion).resolve()
        # `/` goes on from there, and `..` leads out: both are looked at as the system would.
        wanted = folder if cwd is None else (folder / cwd).resolve()
        if not wanted.is_relative_to(folder):
            raise ExecutionError("cwd is outside the workspace")
        if not wanted.is_dir():
            raise ExecutionError("cwd is no folder")
        own = self.plugins_folder.resolve() / plugin_id / "exec"
        for name in ("home", "sock"):
            (own / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        found = self.plugin_folder_of(plugin_id)
        return _Place(
            folder=folder,
            cwd=wanted,
            home=own / "home",
            sockets=own / "sock",
            read_only=() if found is None or found == folder else (found,),
        )

    def _jailed(self, jail: Jail, place: "_Place", command: Sequence[str]) -> JailedCommand:
        if place.cwd != place.folder:
            enter = [*python_command(jail.host.python), "-c", _ENTER, str(place.cwd)]
            command = [*enter, *command]
        policy = JailPolicy(
            folder=place.folder,
            home=place.home,
            sockets_folder=place.sockets,
            read_only=place.read_only,
            environment={"LANG": "C.UTF-8"},
            tmp_bytes=self.limits.tmp_bytes,
            # Nothing of the bot's is ever behind its doors.
            hold_seconds=0,
        )
        return jail.command(policy, command)

    async def _carried_out(self, jailed: JailedCommand, place: "_Place") -> Executed:
        limits = ProcessLimits(file_bytes=self.limits.file_bytes)
        child_of = running_child(
            jailed.command,
            cwd=place.folder,
            env={},
            grace_seconds=0,
            limits=limits,
            descriptors=jailed.descriptors,
        )
        try:
            async with asyncio.timeout(self.limits.seconds), child_of as child:
                return await self._ended(child)
        except TimeoutError as error:
            reason = f"it took longer than {self.limits.seconds:g} seconds and was stopped"
            raise ExecutionError(reason) from error

    async def _ended(self, child: asyncio.subprocess.Process) -> Executed:
        """Read what a program prints until it has ended."""
        assert child.stdin is not None
        child.stdin.close()
        async with asyncio.TaskGroup() as tasks:
            stdout = tasks.create_task(self._printed(child.stdout, child))
            stderr = tasks.create_task(self._printed(child.stderr, child))
        exit_code = await child.wait()
        if stdout.result() is None or stderr.result() is None:
            limit = self.limits.output_bytes
            raise ExecutionError(f"it printed more than {limit} bytes and was stopped")
        return Executed(
            stdout=_text(stdout.result()), stderr=_text(stderr.result()), exit_code=exit_code
        )

    async def _printed(
        self, stream: asyncio.StreamReader | None, child: asyncio.subprocess.Process
    ) -> bytes | None:
        """Return what comes; `None`, and the program is ended, if that is too much."""
        assert stream is not None
        pieces: list[bytes] = []
        left = self.limits.output_bytes
        while piece := await stream.read(_READ_BYTES):
            left -= len(piece)
            if left < 0:
                child.kill()
                return None
            pieces.append(piece)
        return b"".join(pieces)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a program runs. All paths are absolute, without links."""

    folder: Path
    cwd: Path
    home: Path
    sockets: Path
    read_only: tuple[Path, ...]


def _text(output: bytes | None) -> str:
    return (output or b"").decode("utf-8", "replace")
