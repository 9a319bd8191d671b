"""Where plugins are got ready before they are put in their places: beside those, on the same disk.

One program at a time works there. Whatever ends it, what was in place is still there, or again as
soon as somebody works there next.
"""

import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from extensions.disk import sync
from extensions.plugins.naming import is_valid_id
from extensions.plugins.packages.errors import PlacingError
from extensions.plugins.packages.packages_file import FILE_NAME

_LOCK_NAME = ".packages.lock"
_PREFIX = ".staging-"
_UNDO, _DONE, _FAILED = "undo", "done", "failed"
"""The first stands within for as long as all is to be put back as it was: what it says so."""
_OLD, _NEW = "old", "new"
"""In that: what stood there, and an empty file for each place where nothing did."""


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
        target = self.root / name
        try:
            undo = self._remember(name)
            # Else a power cut may leave files in their places, and nothing in them.
            os.sync()
            try:
                if os.path.lexists(target):
                    # A folder that has something in it cannot be replaced in one step.
                    target.rename(undo / _OLD / name)
                if folder is not None:
                    folder.rename(target)
                sync(self.root)
                yield
                # From here on it counts.
                undo.rename(self.folder / f"{_DONE}-{name}")
            except BaseException:
                _put_back(self.root, self.folder)
                raise
        except OSError as error:
            raise _placing_error(target, error) from error

    def _remember(self, name: str) -> Path:
        """Write down how all is, and return the folder in which that stands."""
        part = self.make(f"{_UNDO}-{name}")
        (part / _OLD).mkdir()
        (part / _NEW).mkdir()
        if not os.path.lexists(self.root / name):
            (part / _NEW / name).touch()
        kept = self.root / FILE_NAME
        if kept.exists():
            shutil.copy(kept, part / _OLD / FILE_NAME)
        else:
            (part / _NEW / FILE_NAME).touch()
        return part.rename(self.folder / _UNDO)


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


def _put_back(root: Path, folder: Path) -> None:
    """Put all back as it was; that may have been begun before."""
    if not _is_folder(folder / _UNDO):
        return
    failed = Path(tempfile.mkdtemp(prefix=_FAILED, dir=folder))
    for each in _names(folder / _UNDO / _NEW):
        if os.path.lexists(root / each):
            (root / each).rename(failed / each)
    for each in _names(folder / _UNDO / _OLD):
        # The file is replaced in one step: whoever reads it meanwhile finds one.
        if each != FILE_NAME and os.path.lexists(root / each):
            (root / each).rename(failed / each)
        (folder / _UNDO / _OLD / each).rename(root / each)
    sync(root)


def _names(folder: Path) -> Iterator[str]:
    # Whoever wrote a project may have written that, too: nothing else may be moved about.
    for each in os.listdir(folder) if _is_folder(folder) else ():  # noqa: PTH208 - names alone
        if each == FILE_NAME or is_valid_id(each):
            yield each


def _is_folder(path: Path) -> bool:
    """Say whether that is a folder itself, and no link to one."""
    return path.is_dir() and not path.is_symlink()


def _clean(root: Path) -> None:
    """Put back what a program had not replaced yet that was ended, and remove what it has left."""
    for left in root.glob(f"{_PREFIX}*"):
        if _is_folder(left):
            _put_back(root, left)
            shutil.rmtree(left)


def _placing_error(path: Path, error: OSError) -> PlacingError:
    why = "the disk is full" if error.errno == errno.ENOSPC else error.strerror or str(error)
    return PlacingError(f"{path} cannot be written: {why}")
