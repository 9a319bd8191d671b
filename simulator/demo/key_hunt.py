"""Looks for a secret where it must not be: in every child process, and in every file."""

import base64
import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote


def places_of(secret: str, *, ancestor: int, folder: Path) -> list[str]:
    """Return where `secret` is found, also in base64 or as part of an address.

    Args:
        secret: What is looked for.
        ancestor: A process; its descendants' environments and arguments are searched.
        folder: All files below it are searched.
    """
    forms = [
        secret.encode(),
        base64.b64encode(secret.encode()).rstrip(b"="),
        quote(secret, safe="").encode(),
    ]
    return [
        where
        for where, content in [*_processes(ancestor), *_files(folder)]
        if any(form in content for form in forms)
    ]


def descendants(ancestor: int) -> list[int]:
    """Return the processes that a process started, and those that they started."""
    found: list[int] = []
    for task in _entries(Path(f"/proc/{ancestor}/task")):
        for child in _read(task / "children").split():
            found += [int(child), *descendants(int(child))]
    return found


def _processes(ancestor: int) -> Iterator[tuple[str, bytes]]:
    for process in [*descendants(ancestor), *_detached(ancestor)]:
        for part in ("environ", "cmdline"):
            path = Path(f"/proc/{process}/{part}")
            yield str(path), _read(path)


def _detached(ancestor: int) -> Iterator[int]:
    """Yield the processes that run programs of the same tree, but were let go by the bot."""
    for entry in _entries(Path("/proc")):
        if entry.name.isdigit() and int(entry.name) not in {ancestor, os.getpid()}:
            command = _read(entry / "cmdline")
            if b"runner" in command or b"bwrap" in command or b"claude" in command:
                yield int(entry.name)


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            yield str(path), _read(path)


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # it has ended, or is not ours to look at
        return b""
