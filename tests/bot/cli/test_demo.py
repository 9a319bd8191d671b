import os
import subprocess
import sys
from pathlib import Path

import pytest

from bot.cli.demo import EXAMPLES, DemoWish, run_demo

ROOT = Path(__file__).parents[3]


def test_without_voice_the_voice_demo_is_refused_and_it_is_said_how_to_add_it(
    tmp_path: Path,
) -> None:
    script = (
        "import sys; sys.modules['sherpa_onnx'] = sys.modules['av'] = None\n"
        "from bot.cli.main import main\n"
        "sys.argv = ['papercup', 'demo', '--voice']; main()"
    )
    result = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )

    assert result.returncode == 2
    assert "Voice is not installed here" in result.stderr
    assert "papercup[voice]" in result.stderr
    assert "Missing: av, sherpa-onnx." in result.stderr


def test_recordings_go_where_one_says_or_beside_the_report(tmp_path: Path) -> None:
    report, wavs = tmp_path / "out" / "seen.json", tmp_path / "said"
    folders = [
        DemoWish(text=True, voice=True, report=report, wavs=wavs).made_wavs_folder(),
        DemoWish(text=True, voice=True, report=report).made_wavs_folder(),
    ]

    assert folders == [wavs, tmp_path / "out" / "seen-wavs"]
    assert all(folder.is_dir() for folder in folders)


def test_else_they_go_into_a_new_temporary_folder() -> None:
    wish = DemoWish(text=False, voice=True)
    folders = [wish.made_wavs_folder(), wish.made_wavs_folder()]

    assert folders[0] != folders[1]
    for folder in folders:
        assert list(folder.iterdir()) == []
        folder.rmdir()


def test_a_folder_that_cannot_be_made_is_told_before_anything_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    taken = tmp_path / "file"
    taken.touch()

    assert run_demo(DemoWish(text=True, voice=True, wavs=taken / "said")) == 2
    assert capsys.readouterr().err.startswith("papercup: the recordings cannot be kept: ")


def test_without_the_examples_the_demo_of_plugins_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wish = DemoWish(text=False, voice=False, plugins=True, examples=tmp_path / "none")

    assert run_demo(wish) == 2
    needs = "It needs the example plugins: run it in the folder of the project."
    assert capsys.readouterr().err == f"papercup: {needs}\n"


def test_the_examples_are_where_the_demo_looks_for_them() -> None:
    assert (EXAMPLES / "hello" / "plugin.toml").is_file()
