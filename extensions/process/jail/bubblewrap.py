"""The jail of a job, as a command of bubblewrap. Pure, but for the look at the machine.

Inside there is no network: 127.0.0.1 leads through two ports to the bot's two sockets for this
job. There are the system's programs and Python, read-only; the job's folder and its home, at the
paths that they have outside; an empty /tmp; and nothing else of the machine.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from extensions.process.interpreter import base_python, program_path, python_command

MCP_URL = "http://127.0.0.1:4001/mcp"
"""Where the MCP server is, inside."""
API_URL = "http://127.0.0.1:4002"
"""Where the model gateway is, inside."""
MCP_SOCKET, API_SOCKET = "mcp.sock", "api.sock"
"""What the sockets behind these are called in their folder."""
PORTS = {4001: MCP_SOCKET, 4002: API_SOCKET}
"""Which loopback port inside leads to which of them."""
WRAPPERS = 3
"""bubblewrap, its first process inside, and the forwarder."""

_SOCKETS = "/run/papercup"
_FORWARDER, _HOOK_RELAY = "/opt/papercup/forwarder.py", "/opt/papercup/hook_relay.py"
_TMP = "/tmp"  # noqa: S108 - it is the jail's own
_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - it is the jail's own
_SHARED_MEMORY_BYTES = 64 * 1024 * 1024
_ARGUMENTS_FD, _SECCOMP_FD, _FIRST_FILE_FD = 100, 101, 102
_ROOT_FOLDERS = ("/bin", "/sbin", "/lib", "/lib32", "/lib64")
# No whole /etc/ssl or /etc/pki: they hold private keys, which root could read.
_ETC = (
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/crypto-policies",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/pki/ca-trust",
    "/etc/pki/tls/certs",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What a jail takes over from the machine."""

    links: Mapping[str, str]
    """Top-level folders that are links, as `/bin` is on most systems, and where they lead."""
    folders: tuple[str, ...]
    """Top-level folders with programs and libraries that are no links."""
    python: Path
    """The interpreter beneath any virtual environment."""
    python_prefix: Path
    """The folder that it is installed in."""
    user_id: int
    group_id: int


def this_host() -> Host:
    """Look at the machine that this runs on."""
    there = [folder for folder in _ROOT_FOLDERS if os.path.lexists(folder)]
    links = {name: str(Path(name).readlink()) for name in there if Path(name).is_symlink()}
    return Host(
        links=links,
        folders=tuple(folder for folder in there if folder not in links),
        python=base_python(),
        python_prefix=Path(sys.base_prefix).resolve(),
        user_id=os.getuid(),
        group_id=os.getgid(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class JailPolicy:
    """What one jail lets its program see. All paths are absolute."""

    folder: Path
    """The program's working folder, writable."""
    home: Path
    """Its home, writable; a Claude session that is kept there can be resumed."""
    sockets_folder: Path
    """The folder of `mcp.sock` and `api.sock`, which may come and go meanwhile."""
    read_only: tuple[Path, ...] = ()
    """What else is seen, at the paths that it has outside: the `claude` program."""
    also_writable: Mapping[Path, Path] = field(default_factory=dict[Path, Path])
    """What else is seen, writable: by its path outside, the path that it has inside."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """The program's whole environment, but for PATH, HOME, TMPDIR and IS_SANDBOX."""
    tmp_bytes: int = 1024 * 1024 * 1024
    """How much it may keep in `/tmp`, which takes up memory."""
    hold_seconds: float = 600.0
    """How long a call waits for the bot while that is away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JailedCommand:
    """How to start a program in a jail. Neither argument nor environment holds a secret."""

    command: tuple[str, ...]
    descriptors: Mapping[int, bytes] = field(repr=False)
    """What it must be able to read from open file descriptors; this holds the secrets."""
    wrappers: int = WRAPPERS
    """How many processes stand between the first and the program itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Jail:
    """A kind of jail that works on this machine."""

    bwrap: Path
    """The bubblewrap program."""
    host: Host
    seccomp: bytes | None = field(repr=False)
    """The filter of system calls, where one is known for this machine."""

    @property
    def hook_relay(self) -> list[str]:
        """The command that runs the program `hook_relay`, inside."""
        return [*python_command(self.host.python), _HOOK_RELAY]

    def command(self, policy: JailPolicy, command: Sequence[str]) -> JailedCommand:
        """Return how to start `command` in a jail; start it with an empty environment."""
        files = _files(self.host, policy)
        numbered = dict(enumerate(files, start=_FIRST_FILE_FD))
        options = [
            *_confinement(self.seccomp),
            *_system(self.host, policy),
            *(word for fd, path in numbered.items() for word in ("--ro-bind-data", str(fd), path)),
            *_own_places(policy),
            *_environment(self.host, policy),
        ]
        descriptors = {
            _ARGUMENTS_FD: b"".join(os.fsencode(option) + b"\0" for option in options),
            **{fd: files[path] for fd, path in numbered.items()},
        }
        if self.seccomp is not None:
            descriptors[_SECCOMP_FD] = self.seccomp
        forwarder = [*python_command(self.host.python), _FORWARDER, "--hold"]
        ports = [f"{port}={_SOCKETS}/{name}" for port, name in PORTS.items()]
        return JailedCommand(
            command=(
                *(str(self.bwrap), "--args", str(_ARGUMENTS_FD), "--"),
                *(*forwarder, str(policy.hold_seconds), *ports, "--", *command),
            ),
            descriptors=descriptors,
        )


def _confinement(seccomp: bytes | None) -> list[str]:
    options = ["--unshare-all", "--die-with-parent", "--new-session"]
    options += ["--hostname", "papercup", "--cap-drop", "ALL"]
    return options if seccomp is None else [*options, "--seccomp", str(_SECCOMP_FD)]


def _system(host: Host, policy: JailPolicy) -> list[str]:
    options = ["--proc", "/proc", "--dev", "/dev"]
    options += ["--size", str(_SHARED_MEMORY_BYTES), "--tmpfs", _SHARED_MEMORY]
    # What stands there already are mounts of their own.
    options += ["--remount-ro", "/dev", "--size", str(policy.tmp_bytes), "--tmpfs", _TMP]
    options += ["--symlink", _TMP, "/var/tmp"]  # noqa: S108 - it is the jail's own
    for folder in ("/usr", *host.folders):
        options += ["--ro-bind", folder, folder]
    for folder, target in host.links.items():
        options += ["--symlink", target, folder]
    for path in _ETC:
        options += ["--ro-bind-try", path, path]
    return options + _read_only(host.python_prefix)


def _files(host: Host, policy: JailPolicy) -> dict[str, bytes]:
    """Return the files that are made for the jail: who asks for a user's name must find one."""
    user = f"job:x:{host.user_id}:{host.group_id}:job:{policy.home}:/bin/bash\n"
    return {
        "/etc/passwd": user.encode(),
        "/etc/group": f"job:x:{host.group_id}:\n".encode(),
        "/etc/hosts": b"127.0.0.1 localhost papercup\n",
        "/etc/nsswitch.conf": b"passwd: files\ngroup: files\nhosts: files\n",
    }


def _own_places(policy: JailPolicy) -> list[str]:
    options = ["--ro-bind", str(program_path("forwarder")), _FORWARDER]
    options += ["--ro-bind", str(program_path("hook_relay")), _HOOK_RELAY]
    # The folder, not the sockets: a socket that is made anew must be seen, too.
    options += ["--ro-bind", str(policy.sockets_folder), _SOCKETS]
    for path in policy.read_only:
        options += _read_only(path)
    own = {path: path for path in (policy.home, policy.folder)}
    for outside, inside in (*own.items(), *policy.also_writable.items()):
        options += ["--bind", str(outside), str(inside)]
    # Else what is written elsewhere would seem to be kept, and be gone in the end.
    return [*options, "--remount-ro", "/", "--chdir", str(policy.folder)]


def _read_only(path: Path) -> list[str]:
    return [] if path.is_relative_to("/usr") else ["--ro-bind", str(path), str(path)]


def _environment(host: Host, policy: JailPolicy) -> list[str]:
    folders = [f"{host.python_prefix}/bin", "/usr/local/bin", "/usr/bin", "/bin"]
    environment = dict(policy.environment) | {
        "PATH": ":".join(dict.fromkeys(folders)),
        "HOME": str(policy.home),
        "TMPDIR": _TMP,
        # Only here: it tells Claude that it may run as root, as it cannot do harm.
        "IS_SANDBOX": "1",
    }
    return [word for name, value in environment.items() for word in ("--setenv", name, value)]
