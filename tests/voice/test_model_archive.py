import tarfile
from pathlib import Path

import numpy as np
import pytest

from tests.fakes.model_archive import an_archive, file_entry, other_entry, packed
from voice.engines.protocols import EngineError
from voice.model_archive import unpack


def unpacked(archive: bytes, folder: Path) -> dict[str, bytes]:
    path = folder / "archive"
    path.write_bytes(archive)
    target = folder / "model"
    target.mkdir()
    unpack(path, target, progress=lambda _: None)
    return {
        str(file.relative_to(target)): file.read_bytes()
        for file in target.rglob("*")
        if file.is_file()
    }


def test_the_files_come_to_stand_without_their_outermost_folder(tmp_path: Path) -> None:
    archive = packed(
        [
            other_entry("model-1", tarfile.DIRTYPE),
            file_entry("model-1/a", b"first"),
            file_entry("./model-1/test_wavs/b", b"second"),
        ]
    )

    assert unpacked(archive, tmp_path) == {"a": b"first", "test_wavs/b": b"second"}


def test_it_is_told_how_far_it_is(tmp_path: Path) -> None:
    archive = an_archive({"a": np.random.default_rng(0).bytes(2_500_000)})
    (tmp_path / "archive").write_bytes(archive)
    told: list[int] = []

    unpack(tmp_path / "archive", tmp_path / "model", progress=told.append)

    assert told == sorted(told)
    assert told[-1] <= len(archive)
    assert len(told) == 3


@pytest.mark.parametrize(
    "name", ["/etc/papercup", "m/../../outside", "../outside", "m/..\\outside", "m\\outside"]
)
def test_nothing_is_written_outside_of_the_folder(name: str, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="outside of its folder"):
        unpacked(packed([file_entry(name, b"x")]), tmp_path)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["archive", "model"]
    assert list((tmp_path / "model").iterdir()) == []


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE]
)
def test_links_and_devices_are_refused(kind: bytes, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="something odd"):
        unpacked(packed([other_entry("m/link", kind, "/etc/passwd")]), tmp_path)


def test_a_file_that_comes_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="cannot be unpacked"):
        unpacked(packed([file_entry("m/a", b"1"), file_entry("m/a", b"2")]), tmp_path)


def test_an_archive_that_is_far_larger_inside_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="far larger inside"):
        unpacked(an_archive({"zeros": bytes(20_000_000)}), tmp_path)

    written = sum(path.stat().st_size for path in (tmp_path / "model").iterdir())
    assert written < 2_000_000


def test_an_archive_of_too_many_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="too many files"):
        unpacked(an_archive({str(number): b"" for number in range(1_001)}), tmp_path)


@pytest.mark.parametrize("cut", [0, 1, 40, 150])
def test_an_archive_that_is_cut_off_or_none_is_an_error(cut: int, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="broken"):
        unpacked(an_archive()[:cut], tmp_path)
