"""A real file system that is soon full."""

import contextlib
import shutil
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

_FILLER = "filler"


@contextmanager
def small_disk(folder: Path, *, kilobytes: int = 1024) -> Generator[Path, None, None]:
    """Mount a file system of that size at `folder` while the block lasts."""
    folder.mkdir()
    options = f"size={kilobytes}k,mode=0700"
    mount, umount = shutil.which("mount"), shutil.which("umount")
    if mount is None or umount is None:
        pytest.skip("there is no mount program to make a small disk with")
    command = [mount, "-t", "tmpfs", "-o", options, "papercup-test", str(folder)]
    mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        pytest.skip(f"no small disk can be mounted here: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        # Lazily: a process that is about to end may still have a file open.
        subprocess.run([umount, "--lazy", str(folder)], check=True)


def fill(disk: Path) -> None:
    """Take all the room that is left."""
    with (disk / _FILLER).open("ab", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(bytes(1024)):
            pass


def make_room(disk: Path) -> None:
    """Give back what `fill` took."""
    (disk / _FILLER).unlink()
