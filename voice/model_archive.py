"""Unpacks the archive of a model, and trusts nothing in it."""

import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from voice.errors import EngineError

_CHUNK_BYTES = 1 << 20
_MEMBERS_LIMIT = 1_000
_GROWTH_LIMIT = 8
"""How many times as large as its archive a model may be; real ones are less than twice as large."""
_LEAST_LIMIT_BYTES = 1 << 20


def unpack(archive: Path, folder: Path, *, progress: Callable[[int], None]) -> None:
    """Unpack a `.tar.bz2` whose files stand in one folder of their own; takes minutes.

    Args:
        archive: The archive.
        folder: An empty folder, in which the files come to stand without that folder of theirs.
        progress: Told now and then how many bytes of the archive were read so far.

    Raises:
        EngineError: If it is no such archive, or is too large, or holds anything but files and
            folders inside the folder, or if there is no room for it.
    """
    room = _Room(max(_LEAST_LIMIT_BYTES, archive.stat().st_size * _GROWTH_LIMIT))
    try:
        with archive.open("rb") as raw, tarfile.open(fileobj=raw, mode="r:bz2") as tar:
            for source, path in _files_in(tar):
                _write(source, folder / path, room, lambda: progress(raw.tell()))
    except (tarfile.TarError, EOFError) as error:
        raise EngineError(f"the archive is broken: {error}") from error
    except OSError as error:
        raise EngineError(f"the archive cannot be unpacked: {error.strerror or error}") from error


class _Room:
    """How much may still be written."""

    def __init__(self, limit: int) -> None:
        self._left = limit

    def take(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise EngineError("the archive is far larger inside than a model should be")


def _files_in(tar: tarfile.TarFile) -> Iterator[tuple[IO[bytes], PurePosixPath]]:
    for number, member in enumerate(tar):
        if number >= _MEMBERS_LIMIT:
            raise EngineError("the archive holds too many files")
        path = _inside(member)
        if member.isdir() or path is None:
            continue
        if not member.isreg():
            raise EngineError(f"the archive holds something odd: {member.name!r}")
        source = tar.extractfile(member)
        assert source is not None
        yield source, path


def _write(source: IO[bytes], path: Path, room: _Room, tell: Callable[[], None]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as target:
        while chunk := source.read(_CHUNK_BYTES):
            room.take(len(chunk))
            target.write(chunk)
            tell()


def _inside(member: tarfile.TarInfo) -> PurePosixPath | None:
    """Return where a member belongs, without the outermost folder; `None` for that itself."""
    path = PurePosixPath(member.name)
    if path.is_absolute() or ".." in path.parts or "\\" in member.name:
        raise EngineError(f"the archive wants to write outside of its folder: {member.name!r}")
    parts = [part for part in path.parts if part != "."]
    return PurePosixPath(*parts[1:]) if len(parts) > 1 else None
