from pathlib import Path

from extensions.plugins.gating import Missing, missing
from extensions.plugins.manifest import Requires


def _program(folder: Path, name: str, mode: int = 0o755) -> None:
    (folder / name).touch()
    (folder / name).chmod(mode)


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    _program(tmp_path, "jq")
    requires = Requires(bins=("jq", "ffmpeg"), env=("KEY", "EMPTY", "UNSET"))
    environment = {"PATH": f"/nowhere:{tmp_path}", "KEY": "x", "EMPTY": ""}

    found = missing(requires, environment)

    assert found == Missing(bins=("ffmpeg",), env=("EMPTY", "UNSET"))
    assert str(found) == (
        "programs that are not on PATH: ffmpeg; variables that are not set: EMPTY, UNSET"
    )


def test_nothing_is_missing_where_all_is_there(tmp_path: Path) -> None:
    _program(tmp_path, "jq")
    assert not missing(Requires(bins=("jq",)), {}, [tmp_path])
    assert not missing(Requires(), {})


def test_a_folder_or_a_file_that_cannot_be_run_is_no_program(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "broken").symlink_to("nowhere")
    _program(tmp_path, "text", 0o644)
    requires = Requires(bins=("folder", "broken", "text"))

    assert missing(requires, {}, [tmp_path]).bins == ("folder", "broken", "text")


def test_without_a_path_no_program_is_there() -> None:
    assert missing(Requires(bins=("sh",)), {}).bins == ("sh",)
    assert missing(Requires(bins=("sh",)), {"PATH": ""}).bins == ("sh",)
