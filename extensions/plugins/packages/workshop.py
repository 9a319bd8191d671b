"""Where plugins are got ready before they are put in their places: beside those, on the same disk.

One program at a time works there. Whatever ends it, what was in place is still there, or again as
soon as somebody works there next.
"""

import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from extensions.disk import sync
from extensions.plugins.packages.errors import PlacingError

_LOCK_NAME = ".packages.lock"
_PREFIX = ".staging-"
_OLD = "old"
"""The folder within, in which is kept what is being replaced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """Where plugins are got ready. Get one from `open_workshop`."""

    root: Path
    """Where plugins stand."""
    folder: Path
    """For what is only needed meanwhile."""

    def make(self, name: str) -> Path:
        """Return an empty folder, made just now."""
        made = self.folder / name
        made.mkdir()
        return made

    @contextmanager
    def placing(self, folder: Path | None, name: str) -> Generator[None]:
        """Put a folder in its place for good if the block succeeds, instead of what stands there.

        Args:
            folder: What is put there; `None`: nothing.
            name: Of the place.

        Raises:
            PlacingError: If that is not possible; then what stood there still does.
        """
        target, kept = self.root / name, self.folder / _OLD / name
        try:
            # A folder that has something in it cannot be replaced in one step.
            kept.parent.mkdir(exist_ok=True)
            if os.path.lexists(target):
                target.rename(kept)
            try:
                if folder is not None:
                    folder.rename(target)
                sync(self.root)
                yield
            except BaseException:
                _put_back(kept, target, self.folder / f"failed-{name}")
                raise
            if kept.exists():
                # Else whoever works here next would put it back.
                kept.rename(self.folder / f"replaced-{name}")
        except OSError as error:
            raise _placing_error(target, error) from error


@contextmanager
def open_workshop(root: Path) -> Generator[Workshop]:
    """Work beside the plugins in `root`, as the only one; nothing of it is left afterwards.

    Raises:
        PlacingError: If somebody works there, or nothing can be written there.
    """
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _alone(root):
            _clean(root)
            with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=root) as name:
                yield Workshop(root=root, folder=Path(name))
    except OSError as error:
        raise _placing_error(root, error) from error


@contextmanager
def _alone(root: Path) -> Generator[None]:
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    lock = os.open(root / _LOCK_NAME, flags, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise PlacingError(f"another `papercup plugin` is at work in {root}") from error
        yield
    finally:
        os.close(lock)


def _put_back(kept: Path, target: Path, failed: Path) -> None:
    if os.path.lexists(target):
        target.rename(failed)
    if os.path.lexists(kept):
        kept.rename(target)


def _clean(root: Path) -> None:
    """Remove what a program has left that was ended; put back what it had not replaced yet."""
    for left in root.glob(f"{_PREFIX}*"):
        old = left / _OLD
        for each in old.iterdir() if old.is_dir() else ():
            if not os.path.lexists(root / each.name):
                each.rename(root / each.name)
        shutil.rmtree(left)


def _placing_error(path: Path, error: OSError) -> PlacingError:
    why = "the disk is full" if error.errno == errno.ENOSPC else error.strerror or str(error)
    return PlacingError(f"{path} cannot be written: {why}")
