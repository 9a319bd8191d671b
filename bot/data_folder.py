"""The folder in which everything is kept: where what stands, and that one bot alone uses it."""

import fcntl
import json
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bot.errors import DataFolderBusyError, DataFolderError

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_PRIVATE_UMASK = 0o077
_PACKED_ALONG = frozenset({"README.md", ".gitkeep", ".gitignore", "models"})
"""What may stand in the folder before a bot has ever used it; models can be installed before."""


@dataclass(frozen=True, slots=True)
class DataFolder:
    """Where what stands."""

    root: Path
    """Absolute."""

    @property
    def database(self) -> Path:
        """The SQLite database: what is true."""
        return self.root / "papercup.db"

    @property
    def extensions_json(self) -> Path:
        """The jobs, for other programs to read."""
        return self.root / "extensions.json"

    @property
    def extensions(self) -> Path:
        """The folders in which jobs work, one for each."""
        return self.root / "extensions"

    @property
    def run(self) -> Path:
        """What controls the runs of jobs, out of their reach."""
        return self.root / "run"

    @property
    def home(self) -> Path:
        """The home folder of every `claude`."""
        return self.root / "home"

    @property
    def sessions(self) -> Path:
        """The folders in which speakers work, one for each session."""
        return self.root / "sessions"

    @property
    def plugins(self) -> Path:
        """What plugins keep in files, in a folder for each, by its id."""
        return self.root / "plugins"

    @property
    def models(self) -> Path:
        """The speech models that were downloaded, one folder for each."""
        return self.root / "models"

    @property
    def model_cache(self) -> Path:
        """What is made of speech models; it is made anew if it is missing."""
        return self.models / ".cache"

    @property
    def control_socket(self) -> Path:
        """Where a running bot is asked how it is."""
        return self.root / "control.sock"

    @property
    def lock(self) -> Path:
        """The file that a running bot holds locked, and that names it."""
        return self.root / "lock"


@contextmanager
def held_data_folder(root: Path) -> Generator[DataFolder, None, None]:
    """Make the folder if need be, and keep every other bot away from it meanwhile.

    What this process makes while it holds the folder is for its own user alone.

    Raises:
        DataFolderBusyError: If another bot holds it.
        DataFolderError: If it cannot be used.
    """
    folder = DataFolder(root)
    umask = os.umask(_PRIVATE_UMASK)
    try:
        lock = _prepare(folder)
        try:
            _take(folder, lock)
            yield folder
        finally:
            os.close(lock)
    finally:
        os.umask(umask)


def lock_holder(folder: DataFolder) -> str | None:
    """Return which bot holds the folder, as far as that is known; `None` if none does.

    Raises:
        OSError: If the lock's file may not be read.
    """
    try:
        lock = os.open(folder.lock, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    try:
        # Shared, so that two that only look do not take each other for a bot.
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _holder(folder.lock)
    finally:
        os.close(lock)
    return None


def is_unused(root: Path) -> bool:
    """Say whether no bot has used the folder yet, and nothing else stands in it."""
    return {path.name for path in root.iterdir()} <= _PACKED_ALONG


def _prepare(folder: DataFolder) -> int:
    """Make what is missing, and return the descriptor of the lock's file."""
    root = folder.root
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        _make_private(root)
        for inner in (folder.extensions, folder.run, folder.home, folder.sessions):
            inner.mkdir(mode=0o700, exist_ok=True)
        # Not inherited by any child, so the lock ends with this process, however that ends.
        return os.open(folder.lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        mend = "Set data_dir to a folder that this user may write to."
        raise DataFolderError(root, error.strerror or str(error), mend) from error


def _make_private(root: Path) -> None:
    status = root.stat()
    if status.st_uid != os.geteuid():
        mend = f"Run `chown {os.geteuid()} {root}`, or set another data_dir."
        raise DataFolderError(root, "it belongs to another user", mend)
    if not status.st_mode & _OTHERS:
        return
    if not (root / "lock").exists() and not is_unused(root):
        # Somebody's own folder, named by mistake: closing it could lock them out of their things.
        mend = "Set data_dir to a folder of its own, or run `chmod 700` on this one."
        raise DataFolderError(root, "it holds other things, and other users may open it", mend)
    root.chmod(0o700)


def _take(folder: DataFolder, lock: int) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise DataFolderBusyError(folder.root, _holder(folder.lock)) from error
    except OSError as error:
        mend = "Set data_dir to a folder on a local disk."
        raise DataFolderError(folder.root, f"it cannot be locked ({error})", mend) from error
    started_at = datetime.now(UTC).isoformat(timespec="seconds")
    os.ftruncate(lock, 0)
    os.pwrite(lock, json.dumps({"pid": os.getpid(), "startedAt": started_at}).encode(), 0)


def _holder(lock: Path) -> str:
    try:
        holder = json.loads(lock.read_text(encoding="utf-8"))
        return f"process {holder['pid']}, running since {holder['startedAt']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "a process that has not yet said which"
