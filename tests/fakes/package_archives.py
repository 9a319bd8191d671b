"""Archives as plugins are offered in, right ones and hostile ones, made by hand."""

import base64
import gzip
import hashlib
import io
import tarfile
import zipfile
from collections.abc import Iterable, Mapping

MANIFEST = """\
name = "{name}"
version = "{version}"

[run]
command = "python3"
args = ["main.py"]

[capabilities]
tools = true
"""
_METADATA = """\
Metadata-Version: 2.1
Name: {name}
Version: {version}
{needed}"""
_WHEEL = b"""\
Wheel-Version: 1.0
Generator: test
Root-Is-Purelib: true
Tag: py3-none-any
"""


def plugin_files(name: str = "dice", version: str = "1.0.0") -> dict[str, bytes]:
    """Return what stands in the folder of a plugin."""
    return {
        "extension.toml": MANIFEST.format(name=name, version=version).encode(),
        "main.py": b"print('rolled')\n",
    }


def tar_of(entries: Iterable[tuple[tarfile.TarInfo, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for entry, body in entries:
            tar.addfile(entry, io.BytesIO(body))
    return buffer.getvalue()


def tgz_of(entries: Iterable[tuple[tarfile.TarInfo, bytes]]) -> bytes:
    return gzip.compress(tar_of(entries), mtime=0)


def tgz(files: Mapping[str, bytes], *, root: str = "package") -> bytes:
    """Return an archive of files that stand in one folder."""
    return tgz_of(file_entry(f"{root}/{name}", body) for name, body in files.items())


def file_entry(name: str, body: bytes = b"", *, mode: int = 0o644) -> tuple[tarfile.TarInfo, bytes]:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(body), mode
    return entry, body


def other_entry(name: str, kind: bytes, target: str = "") -> tuple[tarfile.TarInfo, bytes]:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = kind, target
    return entry, b""


def zipped(files: Mapping[str, bytes], *, modes: Mapping[str, int] | None = None) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in files.items():
            entry = zipfile.ZipInfo(name, date_time=(2026, 1, 1, 0, 0, 0))
            entry.external_attr = (modes or {}).get(name, 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, body)
    return buffer.getvalue()


def wheel(
    name: str,
    version: str,
    files: Mapping[str, bytes],
    *,
    requires: Iterable[str] = (),
    scripts: str = "",
) -> bytes:
    """Return a wheel for any machine that uv installs, too."""
    info = f"{name}-{version}.dist-info"
    needed = "".join(f"Requires-Dist: {each}\n" for each in requires)
    every = {
        **files,
        f"{info}/METADATA": _METADATA.format(name=name, version=version, needed=needed).encode(),
        f"{info}/WHEEL": _WHEEL,
    }
    if scripts:
        every[f"{info}/entry_points.txt"] = f"[console_scripts]\n{scripts}\n".encode()
    lines = [f"{each},{_record_hash(body)},{len(body)}" for each, body in every.items()]
    every[f"{info}/RECORD"] = "\n".join([*lines, f"{info}/RECORD,,", ""]).encode()
    return zipped(every)


def _record_hash(body: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(body).digest()).rstrip(b"=")
    return f"sha256={digest.decode()}"
