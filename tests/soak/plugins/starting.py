"""Plugins that do not come up, and many that come up at once."""

import asyncio
import os
import resource
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from extensions.plugins.host import PluginHost
from extensions.plugins.lifecycle import Failed, Ready, Spawning
from extensions.plugins.manifest import Candidate
from tests.fakes.faulty_plugins import faulty, small, use, with_command
from tests.soak.plugins.meters import holdings, measured
from tests.soak.plugins.scene import NEIGHBOUR, Scene

_HANDSHAKE_SECONDS = 10.0
_PATIENCE_SECONDS = 3.0
_MANY = 200
_MOST_FILES = 512
_MOST_SPAWNING = 8
_ELF_OF_ANOTHER = b"\x7fELF\x02\x01\x01" + b"\0" * 9 + b"\x02\0\xf3\0" + b"\0" * 44

_HANDSHAKES = {
    "exits": ("exits", "child exited before handshake completed: it exited with code 3"),
    "no-json": ("says=Listening on port 8080", "handshake timed out after 10s"),
    "a-list": (
        'says={"jsonrpc":"2.0","id":<id>,"result":[1]}',
        "invalid handshake payload: it is not an object",
    ),
    "a-version": (
        'says={"jsonrpc":"2.0","id":<id>,"result":{"protocol_version":0}}',
        "protocol version 0 is not spoken any more",
    ),
    "silent": ("says=", "handshake timed out after 10s"),
}


async def no_handshake(scene: Scene) -> None:
    """F1."""
    bad = [faulty(name, what) for name, (what, _) in _HANDSHAKES.items()]
    async with scene.host() as host:
        began = time.monotonic()
        async with asyncio.TaskGroup() as tasks:
            loading = tasks.create_task(host.load(bad))
            await asyncio.sleep(1)
            answer = await use(host.find_program(NEIGHBOUR), "say", phrase="up")
            scene.must("others are answered meanwhile", be=answer == "up")
            await loading
        seconds = time.monotonic() - began
        limit = _HANDSHAKE_SECONDS + 0.1
        scene.must_stay_below("the host is up within 10.1 s", limit, seconds, "s")
        await asyncio.sleep(_PATIENCE_SECONDS)
        for name, (_, reason) in _HANDSHAKES.items():
            plugin = host.find_program(name)
            state = plugin.state
            scene.must("each is down for the right reason", be=state == Failed(reason), seen=state)
            is_once = (plugin.lifecycle.epoch, plugin.lifecycle.restarts) == (1, 0)
            scene.must("none is tried again", be=is_once, seen=plugin.lifecycle)
            lines = scene.records.lines(level=30, holding=f"plugin {name}: {reason}")
            scene.must("each is one line in the log", be=len(lines) == 1, seen=lines)
    scene.tell(f"{len(bad)} plugins; the host was up after {seconds:.2f} s")


async def many_at_once(scene: Scene) -> None:
    """F19."""
    spawning: list[int] = []
    async with scene.host() as host:
        host.watch(lambda: spawning.append(_spawning(host)))
        began = time.monotonic()
        async with measured() as meter:
            await host.load([small(f"p{number}") for number in range(_MANY)])
        seconds = time.monotonic() - began
        ready = sum(isinstance(each.state, Ready) for each in host.plugins) - 1
        most = max(spawning)
        ended_at = time.monotonic()
    scene.must("all are ready", be=ready == _MANY, seen=ready)
    scene.must_stay_below("200 are ready within 5 s", 5.0, seconds, "s")
    scene.must("no more than 8 are being started at once", be=most <= _MOST_SPAWNING, seen=most)
    scene.tell(
        f"{_MANY} plugins ready after {seconds:.2f} s, {most} at once at most;"
        f" loop late by {meter.lag_p99_ms:.1f} ms (p99), {meter.lag_most_ms:.0f} ms (at most);"
        f" all ended after {time.monotonic() - ended_at:.2f} s"
    )


def _spawning(host: PluginHost) -> int:
    return sum(
        isinstance(each.state, Spawning) and each.lifecycle.epoch == 1 for each in host.plugins
    )


async def cannot_start(scene: Scene) -> None:
    """F25."""
    folder = scene.folder / "programs"
    folder.mkdir()
    wanted = _programs(folder)
    async with scene.host(*(each for each, _ in wanted)) as host:
        for candidate, reason in wanted:
            state = host.find(candidate.id).state
            seen = state.reason if isinstance(state, Failed) else str(state)
            scene.must("each is left out with the exact reason", be=seen == reason, seen=seen)
        before = holdings()
        for spare in range(12):
            with _few_files(spare):
                await host.load([faulty(f"starved-{spare}")])
        states = [host.find(f"starved-{spare}").state for spare in range(12)]
        failed = [state.reason for state in states if isinstance(state, Failed)]
        is_named = all("too many files are open" in reason for reason in failed)
        scene.must("no files left (EMFILE) is named", be=is_named and bool(failed), seen=failed)
        for spare in range(12):
            await host.unload(f"starved-{spare}")
        after = holdings()
        is_same = (after.files, after.children) == (before.files, before.children)
        scene.must("nothing stays open of what was not started", be=is_same, seen=after)
        await host.load([faulty("later")])
        is_ready = isinstance(host.find("later").state, Ready)
        scene.must("with files to spare again, plugins start", be=is_ready)
        answer = await use(host.find_program(NEIGHBOUR), "say", phrase="up")
        scene.must("others are answered", be=answer == "up")
    reasons = "; ".join(reason for _, reason in wanted)
    scene.tell(
        f"{len(wanted)} programs: {reasons}; {len(failed)} of 12 short of files: {failed[0]}"
    )


def _programs(folder: Path) -> list[tuple[Candidate, str]]:
    """Return plugins that cannot be started, and why."""
    files = {
        "plain": (b"#!/bin/sh\n", 0o644, "it is not executable"),
        "alien": (
            _ELF_OF_ANOTHER,
            0o755,
            f"it was built for riscv64, and this machine is {_own()}",
        ),
        "bare": (
            b"echo hello\n",
            0o755,
            "neither a program nor a script that names its interpreter after #!",
        ),
        "empty": (b"", 0o755, "its file is empty, or cannot be read"),
    }
    found: list[tuple[Candidate, str]] = [
        (with_command("absent", "no-such"), "its program 'no-such' is not found on PATH"),
        (with_command("gone", "./gone", folder), "its program './gone' is not there"),
    ]
    for name, (content, mode, reason) in files.items():
        (folder / name).write_bytes(content)
        (folder / name).chmod(mode)
        command = f"./{name}"
        program = folder / name
        found.append(
            (with_command(name, command, folder), f"spawn failed for `{program}`: {reason}")
        )
    (folder / "lost").write_text("#!/no/such/python\n")
    (folder / "lost").chmod(0o755)
    reason = (
        f"spawn failed for `{folder / 'lost'}`: shebang interpreter `/no/such/python` not found on"
        " host (install it or rewrite the shebang)"
    )
    return [*found, (with_command("lost", "./lost", folder), reason)]


def _own() -> str:
    return os.uname().machine


@contextmanager
def _few_files(spare: int) -> Generator[None, None, None]:
    """Have so many files open that there is room for a few more alone."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (_MOST_FILES, limits[1]))
    opened: list[int] = []
    try:
        with suppress(OSError):
            while True:
                opened.append(os.open("/dev/null", os.O_RDONLY))
        for fd in opened[:spare]:
            os.close(fd)
        yield
    finally:
        for fd in opened[spare:]:
            os.close(fd)
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
