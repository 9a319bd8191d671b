"""The folder of a session in which the files are that people sent.

What works in a session may put links anywhere in its folder. Each step is therefore opened without
following one, and files are written under a name that nothing has yet.
"""

import os
import shutil
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

INBOX = "inbox"
MOST_INBOX_BYTES = 500_000_000
"""How much is kept of what was sent to one session; the oldest goes first."""

_MOST_ENTRIES = 5_000
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Inbox:
    """Where the files of one message are; each method blocks, and may raise OSError."""

    session_folder: Path
    message_id: int

    def path_of(self, name: str) -> str:
        """Return where the file of that name stands, as seen from the session's folder."""
        return f"{INBOX}/{self.message_id}/{name}"

    def read(self, name: str, size_bytes: int) -> bytes | None:
        """Return a file that stands there already; `None` if it does not, or not whole."""
        try:
            with self._opened() as folder:
                descriptor = os.open(name, _READ, dir_fd=folder)
        except OSError:
            return None
        with os.fdopen(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode) or found.st_size != size_bytes:
                return None
            return file.read(size_bytes)

    def write(self, name: str, content: bytes) -> None:
        """Put a file there, whole or not at all; one of that name is replaced."""
        # Names of files never begin with a point.
        temporary = f".{name}.part"
        with self._opened() as folder:
            with suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=folder)
            try:
                with os.fdopen(os.open(temporary, _CREATE, 0o600, dir_fd=folder), "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            except OSError:
                # On a full disk even the part that was written is in the way.
                with suppress(OSError):
                    os.unlink(temporary, dir_fd=folder)
                raise

    def make_room(self, wanted_bytes: int, *, most_bytes: int = MOST_INBOX_BYTES) -> None:
        """Remove the files of the oldest messages until there is room for so many bytes more."""
        with self._inbox() as inbox:
            # Without a number it is nothing that was sent; it is left alone.
            names = (name for name in _names(inbox) if name.isdecimal())
            sizes = {int(name): _size(inbox, name) for name in names}
            total = sum(sizes.values())
            for message_id in sorted(sizes.keys() - {self.message_id}):
                if total + wanted_bytes <= most_bytes:
                    return
                shutil.rmtree(str(message_id), dir_fd=inbox)
                total -= sizes[message_id]

    @contextmanager
    def _opened(self) -> Generator[int, None, None]:
        """Open the message's folder, which is made if need be."""
        with self._inbox() as inbox, _made(inbox, str(self.message_id)) as folder:
            yield folder

    @contextmanager
    def _inbox(self) -> Generator[int, None, None]:
        self.session_folder.mkdir(mode=0o700, exist_ok=True)
        session = os.open(self.session_folder, _FOLDER)
        try:
            with _made(session, INBOX) as inbox:
                yield inbox
        finally:
            os.close(session)


@contextmanager
def _made(folder: int, name: str) -> Generator[int, None, None]:
    with suppress(FileExistsError):
        os.mkdir(name, 0o700, dir_fd=folder)
    with _step(folder, name) as inner:
        yield inner


@contextmanager
def _step(folder: int, name: str) -> Generator[int, None, None]:
    descriptor = os.open(name, _FOLDER, dir_fd=folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _names(folder: int) -> list[str]:
    with os.scandir(folder) as entries:
        return [entry.name for entry in islice(entries, _MOST_ENTRIES)]


def _size(folder: int, name: str) -> int:
    """Return how much the files in a folder take; what is no folder takes nothing."""
    try:
        with _step(folder, name) as inner:
            return sum(
                os.stat(file, dir_fd=inner, follow_symlinks=False).st_size for file in _names(inner)
            )
    except OSError:
        return 0
