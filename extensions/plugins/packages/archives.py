"""Unpacks archives, and trusts nothing in them; no library's own way of unpacking is used."""

import gzip
import io
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from extensions.plugins.packages.entries import (
    MOST_ENTRIES,
    Entries,
    EntryLimits,
    bad_entry,
    size_limit_words,
)
from extensions.plugins.packages.errors import BadPackageError
from extensions.plugins.packages.progress import Stage, Tell
from extensions.plugins.packages.writing import TreeWriter

_CHUNK_BYTES = 1 << 18
_HEADER_BYTES = 2048
"""What an entry may take in a tar besides its content: a header, its filling, a long name."""
_MOST_READ_BYTES = 1 << 20
"""What is read of a tar at once. Headers may say that they are longer than memory."""

_ZIP_END, _ZIP64_LOCATOR = b"PK\x05\x06", b"PK\x06\x07"
_ZIP_END_BYTES, _ZIP64_LOCATOR_BYTES = 22, 20
_MOST_COMMENT_BYTES = 65_535
_MOST_LIST_BYTES = 8 * 1024 * 1024
"""Of the list of a zip's entries, which is read at once."""
_ENCRYPTED = 0x1
_PACKED_AS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""How wheels are packed. Of others a little becomes more than memory before anybody can look."""


def unpack_tar_gz(archive: Path, folder: Path, *, strips_root: bool, tell: Tell) -> None:
    """Unpack a `.tar.gz` into an empty folder.

    Args:
        archive: The archive.
        folder: Where its files come to stand; what is beside the archive is used meanwhile.
        strips_root: Whether all of it stands in one folder, which does not count.
        tell: Told how far it is.

    Raises:
        BadPackageError: If there is anything in it that cannot be taken.
    """
    limits = EntryLimits().of_archive(archive.stat().st_size)
    with _as_bad_packages():
        plain = archive.with_name(archive.name + ".tar")
        _inflate(archive, plain, limits)
        _unpack(plain, folder, Entries(limits, strips_root=strips_root), tell)
        plain.unlink()


def unpack_tar(
    archive: Path, folder: Path, *, tell: Tell, limits: EntryLimits | None = None
) -> None:
    """Unpack a `.tar` that is not compressed into an empty folder.

    Args:
        archive: The archive.
        folder: Where its files come to stand.
        tell: Told how far it is.
        limits: How much is taken; `None`: as much as of any plugin.

    Raises:
        BadPackageError: If there is anything in it that cannot be taken.
    """
    with _as_bad_packages():
        _unpack(archive, folder, Entries(limits or EntryLimits()), tell)


def unpack_zip(archive: Path, folder: Path, *, tell: Tell) -> None:
    """Unpack a zip, as a wheel is one, into an empty folder.

    Raises:
        BadPackageError: If there is anything in it that cannot be taken.
    """
    limits = EntryLimits().of_archive(archive.stat().st_size)
    writer = TreeWriter(folder, Entries(limits), tell, Stage.UNPACKING)
    with _as_bad_packages(), archive.open("rb") as file:
        _check_list(file)
        with zipfile.ZipFile(file) as opened:
            for entry in opened.infolist():
                _take_from_zip(opened, entry, writer)


@contextmanager
def _as_bad_packages() -> Generator[None]:
    try:
        yield
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise BadPackageError(f"the archive is broken: {error}") from error
    except (ValueError, OverflowError, struct.error, NotImplementedError, RuntimeError) as error:
        # What those libraries raise where nobody has thought of it.
        raise BadPackageError(f"the archive cannot be read: {error}") from error
    except gzip.BadGzipFile as error:
        raise BadPackageError(f"the archive is broken: {error}") from error


def _inflate(archive: Path, plain: Path, limits: EntryLimits) -> None:
    most = limits.bytes + limits.entries * _HEADER_BYTES
    done = 0
    with gzip.open(archive) as source, plain.open("xb") as target:
        while chunk := source.read(_CHUNK_BYTES):
            done += len(chunk)
            if done > most:
                raise BadPackageError(
                    f"the archive is far larger inside: {size_limit_words(limits.bytes)}"
                )
            target.write(chunk)


def _unpack(plain: Path, folder: Path, entries: Entries, tell: Tell) -> None:
    writer = TreeWriter(folder, entries, tell, Stage.UNPACKING)
    with (
        plain.open("rb", buffering=0) as raw,
        _Careful(raw) as file,
        tarfile.open(fileobj=file, mode="r:") as tar,
    ):
        for member in tar:
            _take_from_tar(tar, member, writer)


class _Careful(io.BufferedReader):
    """A file of which nothing large is read at once."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Return at most so many bytes."""
        if size is None or not 0 <= size <= _MOST_READ_BYTES:
            raise BadPackageError("the archive has an entry with an endless name")
        return super().read(size)


def _take_from_tar(tar: tarfile.TarFile, member: tarfile.TarInfo, writer: TreeWriter) -> None:
    if not member.isdir() and (not member.isreg() or member.issparse()):
        raise bad_entry(member.name, f"is {_tar_kind(member)}")
    if member.size < 0:
        raise bad_entry(member.name, "says that it is smaller than nothing")
    path = writer.entries.take(member.name, is_folder=member.isdir(), mode=member.mode)
    if path is None:
        return
    if member.isdir():
        writer.add_folder(path)
        return
    source = tar.extractfile(member)
    assert source is not None
    with source:
        writer.add_file(path, member.name, source.read, mode=member.mode)


def _tar_kind(member: tarfile.TarInfo) -> str:
    if member.issym() or member.islnk():
        return f"a {'hard ' if member.islnk() else ''}link, and archives may hold none"
    if member.ischr() or member.isblk():
        return "a device"
    if member.isfifo():
        return "a pipe"
    return "neither a file nor a folder"


def _take_from_zip(opened: zipfile.ZipFile, entry: zipfile.ZipInfo, writer: TreeWriter) -> None:
    mode = entry.external_attr >> 16
    # What zipfile has made of the name is not what stands in the archive.
    name = entry.orig_filename
    if entry.flag_bits & _ENCRYPTED:
        raise bad_entry(name, "is encrypted")
    if stat.S_IFMT(mode) not in {0, stat.S_IFREG, stat.S_IFDIR}:
        kind = "a link, and archives may hold none" if stat.S_ISLNK(mode) else "a device or a pipe"
        raise bad_entry(name, f"is {kind}")
    if entry.compress_type not in _PACKED_AS:
        raise bad_entry(name, "is packed in a way that no wheel is")
    path = writer.entries.take(name, is_folder=entry.is_dir(), mode=mode)
    assert path is not None
    if entry.is_dir():
        writer.add_folder(path)
        return
    with opened.open(entry) as source:
        writer.add_file(path, name, source.read, mode=mode)


def _check_list(file: IO[bytes]) -> None:
    """Make sure that the list of a zip's entries is not too long to be read.

    Raises:
        BadPackageError: If it is, or the file is no zip.
    """
    size = file.seek(0, os.SEEK_END)
    tail_bytes = min(size, _ZIP64_LOCATOR_BYTES + _ZIP_END_BYTES + _MOST_COMMENT_BYTES)
    file.seek(size - tail_bytes)
    tail = file.read(tail_bytes)
    end = tail.rfind(_ZIP_END)
    if end < 0 or len(tail) - end < _ZIP_END_BYTES:
        raise BadPackageError("it is no zip")
    count, list_bytes = struct.unpack_from("<HL", tail, end + 10)
    is_zip64 = tail[:end][-_ZIP64_LOCATOR_BYTES:].startswith(_ZIP64_LOCATOR)
    if is_zip64 or count > MOST_ENTRIES or list_bytes > _MOST_LIST_BYTES:
        raise BadPackageError(f"it holds more than {MOST_ENTRIES} entries")
