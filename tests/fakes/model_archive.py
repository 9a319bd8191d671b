"""Archives as models are offered in, made by hand."""

import hashlib
import io
import tarfile
from collections.abc import Iterable, Mapping

from tests.fakes.small_model import NAME, model_files
from voice.known_models import KnownModel

PATH = "/models/hello.tar.bz2"


def an_archive(files: Mapping[str, bytes] | None = None) -> bytes:
    """Return an archive of files, by default those of a tiny model, in a folder of their own."""
    contents = model_files() if files is None else files
    return packed(file_entry(f"sherpa-onnx-hello/{name}", body) for name, body in contents.items())


def packed(entries: Iterable[tuple[tarfile.TarInfo, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:bz2") as tar:
        for entry, body in entries:
            tar.addfile(entry, io.BytesIO(body))
    return buffer.getvalue()


def file_entry(name: str, body: bytes) -> tuple[tarfile.TarInfo, bytes]:
    entry = tarfile.TarInfo(name)
    entry.size = len(body)
    return entry, body


def other_entry(name: str, kind: bytes, target: str = "") -> tuple[tarfile.TarInfo, bytes]:
    entry = tarfile.TarInfo(name)
    entry.type = kind
    entry.linkname = target
    return entry, b""


def model_of(archive: bytes, *, sha256: str | None = None) -> KnownModel:
    """Return the model that is downloaded as `archive` from `PATH`."""
    return KnownModel(
        name=NAME,
        languages=("en",),
        note="says hello",
        licence="MIT",
        path=PATH,
        archive_bytes=len(archive),
        sha256=hashlib.sha256(archive).hexdigest() if sha256 is None else sha256,
    )
