"""Archives, repositories and sources that no plugin may come from, and what must be named."""

import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from tests.fakes.package_archives import (
    file_entry,
    other_entry,
    plugin_files,
    tgz,
    tgz_of,
    zipped,
)

_GIB = 1 << 30
_CHUNK = 1 << 20
_SETUID, _LINK = 0o104755, 0o120777
_LARGER = "the archive is far larger inside"
"""What is told of one before any of its entries is read."""
_METADATA = b"Metadata-Version: 2.1\nName: dice\nVersion: 1.0.0\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hostile:
    """An archive that must be refused."""

    title: str
    make: Callable[[], bytes]
    named: str
    """What of it must stand in what the operator is told."""
    is_wheel: bool = False

    @property
    def is_named(self) -> bool:
        """Whether the entry is named, or the archive was refused before any of them was read."""
        return self.named != _LARGER


def _tar(*entries: tuple[tarfile.TarInfo, bytes]) -> Callable[[], bytes]:
    whole = [*(file_entry(f"package/{k}", body) for k, body in plugin_files().items()), *entries]
    return lambda: tgz_of(whole)


def _zip(files: Mapping[str, bytes], modes: Mapping[str, int] | None = None) -> Callable[[], bytes]:
    return lambda: zipped({**_wheel_files(), **files}, modes=modes)


def _wheel_files() -> dict[str, bytes]:
    return {**plugin_files(), "dice-1.0.0.dist-info/METADATA": _METADATA}


def _files(count: int) -> bytes:
    """Return a tar of so many empty files."""
    head = bytearray(file_entry(f"package/{0:09d}")[0].tobuf(tarfile.USTAR_FORMAT))
    head[148:156] = b" " * 8
    base = sum(head) - sum(b"%09d" % 0)
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", compresslevel=1, mtime=0) as out:
        for number in range(count):
            name = b"%09d" % number
            head[8:17], head[148:156] = name, b"%06o\0 " % (base + sum(name))
            out.write(head)
        out.write(bytes(1024))
    return buffer.getvalue()


def _bomb_tar() -> bytes:
    entry = tarfile.TarInfo("package/zeros")
    entry.size = _GIB
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0) as out:
        out.write(entry.tobuf(tarfile.GNU_FORMAT))
        for _ in range(_GIB // _CHUNK):
            out.write(bytes(_CHUNK))
        out.write(bytes(1024))
    return buffer.getvalue()


def _bomb_zip() -> bytes:
    buffer = io.BytesIO(zipped(_wheel_files()))
    with (
        zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as archive,
        archive.open("zeros", "w") as out,
    ):
        for _ in range(_GIB // _CHUNK):
            out.write(bytes(_CHUNK))
    return buffer.getvalue()


def archives() -> Iterator[Hostile]:
    """Yield them all."""
    yield from _tars()
    yield from _zips()


def _tars() -> Iterator[Hostile]:
    symlink = other_entry("package/out", tarfile.SYMTYPE, "/tmp")
    tars: dict[str, tuple[Callable[[], bytes], str]] = {
        "tar: ../": (_tar(file_entry("package/../../evil")), "package/../../evil"),
        "tar: an absolute path": (_tar(file_entry("/tmp/evil")), "/tmp/evil"),
        "tar: backslashes": (_tar(file_entry("package\\..\\evil")), "package\\..\\evil"),
        "tar: a link, and a file through it": (
            _tar(symlink, file_entry("package/out/evil")),
            "package/out",
        ),
        "tar: a hard link out": (
            _tar(other_entry("package/passwd", tarfile.LNKTYPE, "/etc/passwd")),
            "package/passwd",
        ),
        "tar: a device": (_tar(other_entry("package/disk", tarfile.BLKTYPE)), "package/disk"),
        "tar: a pipe": (_tar(other_entry("package/pipe", tarfile.FIFOTYPE)), "package/pipe"),
        "tar: setuid": (_tar(file_entry("package/root", mode=0o4755)), "package/root"),
        "tar: 1 GiB from 1 MB": (_bomb_tar, _LARGER),
        "tar: a million files": (partial(_files, 1_000_000), _LARGER),
        "tar: 20,001 files": (partial(_files, 20_001), "is one entry too many"),
        "tar: the same name twice": (
            _tar(file_entry("package/a"), file_entry("package/./a")),
            "package/./a",
        ),
        "tar: names that differ by their case": (
            _tar(file_entry("package/README"), file_entry("package/readme")),
            "package/readme",
        ),
    }
    for title, (make, named) in tars.items():
        yield Hostile(title=title, make=make, named=named)


def _zips() -> Iterator[Hostile]:
    zips = {
        "wheel: ../": (_zip({"../evil": b""}), "../evil"),
        "wheel: an absolute path": (_zip({"/tmp/evil": b""}), "/tmp/evil"),
        "wheel: a link": (_zip({"out": b"/tmp"}, {"out": _LINK}), "out"),
        "wheel: setuid": (_zip({"root": b""}, {"root": _SETUID}), "root"),
        "wheel: 1 GiB from 1 MB": (_bomb_zip, "zeros"),
        "wheel: the same name twice": (
            lambda: zipped({**_wheel_files(), "copy1": b"", "copy2": b""}).replace(
                b"copy2", b"copy1"
            ),
            "copy1",
        ),
        "wheel: names that differ by their case": (
            _zip({"README": b"", "readme": b""}),
            "readme",
        ),
    }
    for title, (make, named) in zips.items():
        yield Hostile(title=title, make=make, named=named, is_wheel=True)


def with_scripts(marker: str) -> bytes:
    """Return an npm package whose scripts would all leave a mark."""
    scripts = ", ".join(
        f'"{name}": "touch {marker}"'
        for name in ("preinstall", "install", "postinstall", "prepare")
    )
    package = f'{{"name": "dice", "version": "1.0.0", "scripts": {{{scripts}}}}}'
    return tgz({**plugin_files(), "package.json": package.encode()})


def with_setup(marker: str) -> bytes:
    """Return a Python source package whose build would leave a mark."""
    body = f"open({marker!r}, 'w').close()\n".encode()
    return tgz({**plugin_files(), "setup.py": body}, root="dice-1.0.0")
