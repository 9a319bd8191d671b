"""Says in words why a program could not be started."""

import errno
import os
import platform
import shutil
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

_ELF = b"\x7fELF"
_MACHINES = {3: "i386", 40: "arm", 62: "x86_64", 183: "aarch64", 243: "riscv64"}
_SHORT_OF = {
    errno.EMFILE: "too many files are open",
    errno.ENFILE: "too many files are open on this machine",
    errno.EAGAIN: "too many processes run",
    errno.ENOMEM: "there is no memory left",
    errno.ENOSPC: "there is no room on the disk",
    errno.E2BIG: "its arguments and environment are too large",
    errno.ETXTBSY: "its file is being written",
}


def interpreter_missing(command: Sequence[str], *, cwd: Path, env: Mapping[str, str]) -> str | None:
    """Return why a script that asks for its interpreter by name will not run, if so.

    The system does not tell: to it, `/usr/bin/env` is the program.
    """
    path = _program(command[0], cwd, env)
    words = _first_line_words(path) if path is not None else []
    if not words or Path(words[0]).name != "env":
        return None
    wanted = next((word for word in words[1:] if not word.startswith("-") and "=" not in word), "")
    if not wanted or shutil.which(wanted, path=env.get("PATH", os.defpath)):
        return None
    return _no_interpreter(command[0], wanted)


def start_fault(
    error: OSError, command: Sequence[str], *, cwd: Path, env: Mapping[str, str]
) -> str:
    """Return why the command could not be started; `error` is what the system said."""
    program = command[0]
    if not cwd.is_dir():
        return f"spawn failed for `{program}`: its folder {cwd} is not there"
    path = _program(program, cwd, env)
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR:
            reason = _absent(program, path)
        case errno.EACCES | errno.EPERM:
            reason = _refused(path)
        case errno.ENOEXEC:
            reason = _no_program(path)
        case number if number in _SHORT_OF:
            reason = _SHORT_OF[number]
        case _:
            reason = error.strerror or str(error)
    return (
        reason if reason.startswith("spawn failed") else f"spawn failed for `{program}`: {reason}"
    )


def _program(program: str, cwd: Path, env: Mapping[str, str]) -> Path | None:
    """Return the file that the system would run, or tried to."""
    if "/" in program:
        return cwd / program
    folders = env.get("PATH", os.defpath).split(os.pathsep)
    found = (cwd / folder / program for folder in folders)
    return next((path for path in found if path.exists()), None)


def _absent(program: str, path: Path | None) -> str:
    if path is None:
        return "not found on PATH"
    if not path.exists():
        return "a link to nothing" if path.is_symlink() else "no such file"
    words = _first_line_words(path)
    if words:
        return _no_interpreter(program, words[0])
    if _head(path).startswith(_ELF):
        return "the loader that it was built for is not on this machine"
    return "no such file"


def _refused(path: Path | None) -> str:
    if path is not None and path.is_dir():
        return "it is a folder"
    if path is not None and path.is_file() and not os.access(path, os.X_OK):
        return "it is not executable"
    words = _first_line_words(path) if path is not None else []
    if words and Path(words[0]).is_file() and not os.access(words[0], os.X_OK):
        return f"its interpreter `{words[0]}` is not executable"
    return "permission denied"


def _no_program(path: Path | None) -> str:
    head = _head(path) if path is not None else b""
    if not head:
        return "its file is empty, or cannot be read"
    if not head.startswith(_ELF):
        return "neither a program nor a script that names its interpreter after #!"
    if len(head) < 20:  # noqa: PLR2004 - where the machine stands
        return "its file is cut off"
    (number,) = struct.unpack_from("<H" if head[5] == 1 else ">H", head, 18)
    machine = _MACHINES.get(number, f"machine {number}")
    if machine == platform.machine():
        return "its file is damaged"
    return f"it was built for {machine}, and this machine is {platform.machine()}"


def _no_interpreter(program: str, interpreter: str) -> str:
    return (
        f"spawn failed for `{program}`: shebang interpreter `{interpreter}` not found on host"
        " (install it or rewrite the shebang)"
    )


def _first_line_words(path: Path) -> list[str]:
    """Return what stands after the `#!` of a script; nothing if it is none."""
    head = _head(path)
    if not head.startswith(b"#!"):
        return []
    return head[2:].split(b"\n", 1)[0].decode(errors="replace").split()


def _head(path: Path) -> bytes:
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            return file.read(256)
    except OSError:
        return b""
