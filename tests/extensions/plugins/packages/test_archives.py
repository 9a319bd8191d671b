"""What hostile archives hold is refused by its name, and nothing is written elsewhere."""

import gzip
import io
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from extensions.plugins.packages.archives import unpack_tar, unpack_tar_gz, unpack_zip
from extensions.plugins.packages.entries import MOST_ENTRIES, EntryLimits
from extensions.plugins.packages.errors import BadPackageError
from extensions.plugins.packages.progress import Progress
from tests.fakes.package_archives import (
    file_entry,
    other_entry,
    plugin_files,
    tar_of,
    tgz,
    tgz_of,
    zipped,
)


def _silent(_progress: Progress) -> None:
    pass


def _unpack_tgz(folder: Path, archive: bytes) -> Path:
    return _unpacked(
        folder, archive, lambda a, b: unpack_tar_gz(a, b, strips_root=True, tell=_silent)
    )


def _unpack_zip(folder: Path, archive: bytes) -> Path:
    return _unpacked(folder, archive, lambda a, b: unpack_zip(a, b, tell=_silent))


def _unpacked(folder: Path, archive: bytes, unpack: Callable[[Path, Path], None]) -> Path:
    work = folder / "work"
    target = work / "files"
    target.mkdir(parents=True)
    (work / "archive").write_bytes(archive)
    unpack(work / "archive", target)
    return target


def test_files_come_out_of_the_folder_that_they_stand_in(tmp_path: Path) -> None:
    entries = [
        other_entry("package", tarfile.DIRTYPE),
        file_entry("package/extension.toml", b"name"),
        file_entry("package/bin/run", b"#!/bin/sh", mode=0o755),
    ]
    folder = _unpack_tgz(tmp_path, tgz_of(entries))

    assert (folder / "extension.toml").read_text() == "name"
    assert (folder / "extension.toml").stat().st_mode & 0o777 == 0o644
    assert (folder / "bin/run").stat().st_mode & 0o777 == 0o755
    assert sorted(each.name for each in tmp_path.rglob("*")) == sorted(
        ["work", "files", "archive", "extension.toml", "bin", "run"]
    )


HOSTILE_TARS = {
    "zip-slip": ([file_entry("package/../../evil")], "package/../../evil leads out of"),
    "absolute": ([file_entry("/tmp/evil")], "/tmp/evil leads out of"),
    "backslash": ([file_entry("package\\..\\evil")], "leads out of"),
    "drive": ([file_entry("C:/evil")], "C:/evil leads out of"),
    "symlink, then written through": (
        [
            other_entry("package/out", tarfile.SYMTYPE, "/tmp"),
            file_entry("package/out/evil"),
        ],
        "package/out is a link, and archives may hold none",
    ),
    "hard link out": (
        [other_entry("package/passwd", tarfile.LNKTYPE, "/etc/passwd")],
        "package/passwd is a hard link",
    ),
    "device": ([other_entry("package/disk", tarfile.BLKTYPE)], "package/disk is a device"),
    "pipe": ([other_entry("package/pipe", tarfile.FIFOTYPE)], "package/pipe is a pipe"),
    "setuid": (
        [file_entry("package/root", mode=0o4755)],
        "package/root would run as another user",
    ),
    "duplicate": ([file_entry("package/a"), file_entry("package/./a")], "package/./a is there twi"),
    "case collision": (
        [file_entry("package/README"), file_entry("package/readme")],
        "package/readme differs from README by its spelling alone",
    ),
    "same letters, composed and not": (
        [file_entry("package/caf\u00e9"), file_entry("package/cafe\u0301")],
        "by its spelling alone",
    ),
    "file within a file": (
        [file_entry("package/a"), file_entry("package/a/b")],
        "package/a/b stands within a file",
    ),
    "file that is a folder": (
        [file_entry("package/a/b"), file_entry("package/a")],
        "package/a is a file and a folder",
    ),
    "second root": (
        [file_entry("package/a"), file_entry("other/a")],
        "other/a stands outside of the folder",
    ),
    "for git": ([file_entry("package/.git/config")], "package/.git/config stands in .git"),
    "newline": ([file_entry("package/a\nb")], r"'package/a\nb' is no name of a file"),
    "written from right to left": ([file_entry("package/\u202egpj.sh")], "is no name of a file"),
    "endless name": ([file_entry("package/" + "a" * 300)], "is no name of a file: it is too long"),
    "no name": ([file_entry("./")], "is no name of a file"),
}


@pytest.mark.parametrize("case", HOSTILE_TARS)
def test_what_a_tar_must_not_hold_is_refused_by_its_name(tmp_path: Path, case: str) -> None:
    entries, refusal = HOSTILE_TARS[case]

    with pytest.raises(BadPackageError) as caught:
        _unpack_tgz(tmp_path, tgz_of(entries))

    assert refusal in str(caught.value)
    assert not (tmp_path / "evil").exists()


def test_a_bomb_is_given_up_long_before_it_is_unpacked(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", compresslevel=9) as file:
        for _ in range(64):
            file.write(bytes(1 << 20))

    with pytest.raises(BadPackageError, match="far larger inside: 10 MiB are the most"):
        _unpack_tgz(tmp_path, buffer.getvalue())

    assert sum(each.stat().st_size for each in tmp_path.rglob("*")) < 64 << 20


def test_a_million_files_are_too_many(tmp_path: Path) -> None:
    entry, _ = other_entry("package", tarfile.DIRTYPE)
    archive = entry.tobuf() * 101
    limits = EntryLimits(entries=100)

    assert EntryLimits().entries == MOST_ENTRIES
    with pytest.raises(BadPackageError, match="one entry too many: 100 are the most"):
        _unpacked(tmp_path, archive, lambda a, b: unpack_tar(a, b, tell=_silent, limits=limits))


def test_a_header_that_says_it_is_longer_than_memory_is_not_read(tmp_path: Path) -> None:
    entry = tarfile.TarInfo("././@LongLink")
    entry.type, entry.size = tarfile.GNUTYPE_LONGNAME, 3 << 20
    archive = entry.tobuf(tarfile.GNU_FORMAT) + bytes(3 << 20)

    with pytest.raises(BadPackageError, match="an endless name"):
        _unpacked(tmp_path, archive, lambda a, b: unpack_tar(a, b, tell=_silent))


def test_headers_without_end_are_refused(tmp_path: Path) -> None:
    entry = tarfile.TarInfo("x")
    entry.type, entry.size = tarfile.XHDTYPE, 0
    archive = entry.tobuf(tarfile.PAX_FORMAT) * 5_000

    with pytest.raises(BadPackageError, match="cannot be read"):
        _unpacked(tmp_path, archive, lambda a, b: unpack_tar(a, b, tell=_silent))


def test_a_sparse_file_is_refused(tmp_path: Path) -> None:
    entry = tarfile.TarInfo("package/hole")
    entry.type = tarfile.GNUTYPE_SPARSE
    archive = entry.tobuf(tarfile.GNU_FORMAT) + bytes(1024)

    with pytest.raises(BadPackageError, match="package/hole is neither a file nor a folder"):
        _unpacked(tmp_path, archive, lambda a, b: unpack_tar(a, b, tell=_silent))


@pytest.mark.parametrize(
    "archive",
    [b"", b"no archive", tgz(plugin_files())[:60], gzip.compress(b"x" * 2000)],
    ids=["empty", "text", "cut", "no tar"],
)
def test_what_is_no_archive_is_broken(tmp_path: Path, archive: bytes) -> None:
    with pytest.raises(BadPackageError, match="archive"):
        _unpack_tgz(tmp_path, archive)


def test_a_wheel_is_unpacked_as_it_is(tmp_path: Path) -> None:
    archive = zipped(
        {"dice/": b"", "dice/plugin.toml": b"x", "dice/run": b"y"},
        modes={"dice/": 0o40755, "dice/run": 0o100755},
    )
    folder = _unpack_zip(tmp_path, archive)

    assert (folder / "dice/plugin.toml").read_text() == "x"
    assert (folder / "dice/run").stat().st_mode & 0o111


@pytest.mark.parametrize(
    ("name", "mode", "refusal"),
    [
        ("../evil", 0o100644, r"\.\./evil leads out"),
        ("/evil", 0o100644, "/evil leads out"),
        ("a\\..\\evil", 0o100644, "leads out"),
        ("link", 0o120777, "link is a link, and archives may hold none"),
        ("pipe", 0o010644, "pipe is a device or a pipe"),
        ("root", 0o104755, "root would run as another user"),
    ],
)
def test_what_a_wheel_must_not_hold_is_refused_by_its_name(
    tmp_path: Path, name: str, mode: int, refusal: str
) -> None:
    with pytest.raises(BadPackageError, match=refusal):
        _unpack_zip(tmp_path, zipped({name: b"/etc/passwd"}, modes={name: mode}))


def test_a_bomb_in_a_wheel_is_refused_by_its_name(tmp_path: Path) -> None:
    archive = zipped({"fine.py": b"", "bomb": bytes(32 << 20)})

    with pytest.raises(BadPackageError, match="bomb makes it too large: 10 MiB are the most"):
        _unpack_zip(tmp_path, archive)


def test_the_list_of_a_wheel_is_not_read_if_it_is_endless(tmp_path: Path) -> None:
    archive = bytearray(zipped({"a": b""}))
    end = archive.rfind(b"PK\x05\x06")
    many = bytearray(archive)
    many[end + 8 : end + 12] = struct.pack("<HH", 30_000, 30_000)
    long = bytearray(archive)
    long[end + 12 : end + 16] = struct.pack("<L", 64 << 20)
    hidden = archive[:end] + b"PK\x06\x07" + bytes(16) + archive[end:]

    for number, each in enumerate((many, long, hidden)):
        with pytest.raises(BadPackageError, match="more than 20000 entries"):
            _unpack_zip(tmp_path / str(number), bytes(each))


def test_what_is_no_zip_is_told_from_one(tmp_path: Path) -> None:
    with pytest.raises(BadPackageError, match="it is no zip"):
        _unpack_zip(tmp_path, b"no zip")


def test_a_tar_of_git_stands_in_no_folder(tmp_path: Path) -> None:
    archive = tar_of(file_entry(name, body) for name, body in plugin_files().items())
    folder = _unpacked(tmp_path, archive, lambda a, b: unpack_tar(a, b, tell=_silent))

    assert sorted(each.name for each in folder.iterdir()) == ["extension.toml", "main.py"]


def test_a_bomb_that_would_not_go_into_memory_is_refused_by_its_name(tmp_path: Path) -> None:
    archives = list[bytes]()
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", method) as archive:
            archive.writestr("bomb", b"x")
        archives.append(buffer.getvalue())

    for number, each in enumerate(archives):
        with pytest.raises(BadPackageError, match=r"^bomb is packed in a way that no wheel is"):
            _unpack_zip(tmp_path / str(number), each)


def test_folders_that_stand_in_each_other_without_end_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadPackageError, match="stands in too many folders: 64 are the most"):
        _unpack_tgz(tmp_path, tgz({"a/" * 65 + "file": b""}))


@pytest.mark.parametrize("size", [-512, -1024])
def test_a_size_below_nothing_is_refused_by_the_entrys_name(tmp_path: Path, size: int) -> None:
    header = bytearray(tarfile.TarInfo("package/a").tobuf(tarfile.GNU_FORMAT))
    header[124:136] = (size % (1 << 96)).to_bytes(12, "big")
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    archive = bytes(header) + bytes(10240)

    with pytest.raises(BadPackageError, match="package/a says that it is smaller than nothing"):
        _unpacked(tmp_path, archive, lambda a, b: unpack_tar(a, b, tell=_silent))
