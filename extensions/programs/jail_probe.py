"""Tries, inside a jail, what must work there and what must not; prints what came of it.

Usage: jail_probe.py TARGETS, which is a JSON object of what to try it on:

    folder, home           what must be writable
    mcp_port, api_port     loopback ports behind which "ok" is said
    other_port             a loopback port of the machine
    abstract, socket       the name and the path of unix sockets of the machine
    secret, outside        a file of the machine, and one that could be written there
    pid                    a process of the machine, or null
    programs               commands that must run

It prints one JSON object: `attempts` says of each whether it worked ("done") or why it did not;
the rest describes the process.
"""

import ctypes
import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

_CLONE_NEWUSER = 0x10000000
_SECONDS = 5.0
_NAMESPACES = ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts")


def main() -> None:
    """Try everything, and print it."""
    targets = json.loads(sys.argv[1])
    status = dict(
        line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines()
    )
    findings = {
        "attempts": {name: _attempt(name, targets) for name in _ATTEMPTS},
        "environment": sorted(os.environ),
        "first_environment": _first_environment(),
        "capabilities": status["CapEff"],
        "no_new_privileges": status["NoNewPrivs"],
        "seccomp": status["Seccomp"],
        "namespaces": {name: str(Path("/proc/self/ns", name).readlink()) for name in _NAMESPACES},
        "interfaces": [name for _, name in socket.if_nameindex()],
        "user_id": os.getuid(),
    }
    print(json.dumps(findings))  # noqa: T201


def _first_environment() -> str:
    """Return the environment of the first process, as far as it can be read."""
    try:
        return Path("/proc/1/environ").read_text(errors="replace")
    except OSError:
        return ""


def _attempt(name: str, targets: dict[str, Any]) -> str:
    try:
        _ATTEMPTS[name](targets)
    except OSError as error:
        return f"{type(error).__name__}: {error.strerror or error}"
    return "done"


def _hear_ok(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), _SECONDS) as connection:
        if connection.recv(2) != b"ok":
            raise ConnectionError("nothing was said")


def _connect(address: str) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(_SECONDS)
        connection.connect(address)


def _write(path: Path) -> None:
    path.write_text("x")
    path.unlink()


def _read_through_link(targets: dict[str, Any]) -> None:
    link = Path(targets["folder"], "link")
    link.symlink_to(targets["secret"])
    try:
        link.read_bytes()
    finally:
        link.unlink()


def _signal(targets: dict[str, Any]) -> None:
    if targets["pid"] is None:
        raise ProcessLookupError("there is none to try it on")
    os.kill(targets["pid"], 0)


def _read_host_environment(targets: dict[str, Any]) -> None:
    if targets["pid"] is None:
        raise ProcessLookupError("there is none to try it on")
    Path(f"/proc/{targets['pid']}/environ").read_bytes()


def _unshare_user(_targets: dict[str, Any]) -> None:
    # In a child: this process must stay what it is.
    child = os.fork()
    if child == 0:
        os._exit(ctypes.CDLL(None).unshare(_CLONE_NEWUSER) != 0)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0:
        raise PermissionError("unshare failed")


def _mount(targets: dict[str, Any]) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    folder = os.fsencode(targets["folder"])
    if libc.mount(folder, folder, None, 4096, None) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    libc.umount2(folder, 2)


def _run_programs(targets: dict[str, Any]) -> None:
    for command in targets["programs"]:
        # Its output would stand before ours.
        quiet = [(os.POSIX_SPAWN_DUP2, 2, 1)]
        pid = os.posix_spawnp(command[0], command, os.environ, file_actions=quiet)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if code != 0:
            raise OSError(f"{command[0]} ended with {code}")


_ATTEMPTS: dict[str, Callable[[dict[str, Any]], object]] = {
    "reach_mcp": lambda targets: _hear_ok(targets["mcp_port"]),
    "reach_api": lambda targets: _hear_ok(targets["api_port"]),
    "write_folder": lambda targets: _write(Path(targets["folder"], "written")),
    "write_home": lambda targets: _write(Path(targets["home"], "written")),
    "write_tmp": lambda _: _write(Path("/tmp/written-by-papercup")),  # noqa: S108
    "run_programs": _run_programs,
    "reach_other_port": lambda targets: _hear_ok(targets["other_port"]),
    "reach_abstract_socket": lambda targets: _connect("\0" + targets["abstract"]),
    "reach_path_socket": lambda targets: _connect(targets["socket"]),
    "read_secret": lambda targets: Path(targets["secret"]).read_bytes(),
    "read_through_link": _read_through_link,
    "read_passwords": lambda _: Path("/etc/shadow").read_bytes(),
    "write_outside": lambda targets: _write(Path(targets["outside"])),
    "write_system": lambda _: _write(Path("/usr/written-by-papercup")),
    "write_root": lambda _: _write(Path("/written-by-papercup")),
    "signal_host_process": _signal,
    "read_host_environment": _read_host_environment,
    "make_user_namespace": _unshare_user,
    "mount": _mount,
}

if __name__ == "__main__":
    signal.alarm(30)
    main()
