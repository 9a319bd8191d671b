import json
import os
import signal
from pathlib import Path

import pytest

from bot.cli.interruption import ended_like_ctrl_c
from bot.cli.voice_install import install_and_tell
from bot.config import Config, EndpointsConfig
from bot.data_folder import held_data_folder
from tests.bot.cli.test_main import home, papercup
from tests.fakes.file_server import Served, serving
from tests.fakes.model_archive import PATH, an_archive, model_of
from tests.fakes.real_models import recording
from tests.fakes.small_model import NAME, TEXT, a_model
from voice.known_models import KNOWN_MODELS

__all__ = ("home",)

ARCHIVE = an_archive()


def test_the_models_are_listed_with_their_sizes_and_whether_they_are_there(home: Path) -> None:
    a_model(home / "data" / "models" / "whisper-base")

    shown = papercup(home, "voice", "models", environment=data_in(home))
    plain = papercup(home, "voice", "models", "--json", environment=data_in(home))

    assert shown.exit_code == plain.exit_code == 0
    rows = [line.split() for line in shown.stdout.splitlines()]
    assert ["parakeet-tdt-0.6b-v3", "25", "of", "Europe", "487.2", "MB", "no"] in [
        row[:7] for row in rows
    ]
    assert ["whisper-base", "about", "100", "207.6", "MB", "yes"] in [row[:6] for row in rows]
    assert "In use: moonshine-tiny-en (sherpa-onnx)" in shown.stdout
    told = json.loads(plain.stdout)
    assert told["model"] == "moonshine-tiny-en"
    assert [model["name"] for model in told["models"]] == [model.name for model in KNOWN_MODELS]
    assert [model["name"] for model in told["models"] if model["installed"]] == [
        "moonshine-tiny-en",
        "whisper-base",
    ]


def test_what_is_heard_in_a_recording_is_printed_part_by_part(home: Path) -> None:
    file = str(recording("beckett.wav"))

    shown = papercup(home, "voice", "test", file, environment=data_in(home))
    plain = papercup(home, "voice", "test", file, "--json", environment=data_in(home))

    assert shown.exit_code == plain.exit_code == 0
    assert "Ever tried." in shown.stdout
    assert "moonshine-tiny-en (sherpa-onnx), Silero VAD, smart-turn v3.2" in shown.stdout
    told = json.loads(plain.stdout)
    assert "No matter" in " ".join(part["text"] for part in told["heard"])
    assert all(part["from_seconds"] < part["to_seconds"] for part in told["heard"])


def test_a_recording_is_heard_by_the_model_that_is_configured(home: Path) -> None:
    a_model(home / "data" / "models" / NAME)
    environment = {**data_in(home), "PAPERCUP_HEARING__MODEL": NAME}

    result = papercup(home, "voice", "test", str(recording("beckett.wav")), environment=environment)

    assert result.exit_code == 0
    assert TEXT in result.stdout
    assert f"by {NAME} (sherpa-onnx)" in result.stdout


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"PAPERCUP_HEARING__MODEL": "whisper-tiny"}, "`papercup voice install whisper-tiny`"),
        ({"PAPERCUP_HEARING__LANGUAGE": "de"}, "does not understand the language 'de'"),
        ({"PAPERCUP_HEARING__ENGINE": "faster-whisper"}, "faster-whisper is not installed"),
    ],
)
def test_a_model_that_cannot_be_used_is_an_error_that_says_what_to_do(
    home: Path, environment: dict[str, str], said: str
) -> None:
    result = papercup(
        home,
        "voice",
        "test",
        str(recording("beckett.wav")),
        environment={**data_in(home), **environment},
    )

    assert result.exit_code == 1
    assert said in result.stderr
    assert "Traceback" not in result.output


def test_a_file_that_is_no_recording_is_an_error(home: Path) -> None:
    result = papercup(home, "voice", "test", "nothing.wav", environment=data_in(home))

    assert result.exit_code == 1
    assert result.stderr.startswith("papercup: nothing.wav cannot be read")


def test_the_size_is_shown_before_anything_is_downloaded(home: Path) -> None:
    result = papercup(home, "voice", "install", "parakeet-tdt-0.6b-v3", environment=data_in(home))

    assert result.exit_code == 1
    assert "487.2 MB from https://github.com, licence CC-BY-4.0" in result.stdout
    assert "Download it? [y/N]" in result.stdout
    assert not (home / "data").exists()


def test_a_model_that_nobody_knows_is_wrong_usage(home: Path) -> None:
    result = papercup(home, "voice", "install", "parrot", environment=data_in(home))

    assert result.exit_code == 2
    assert "no model called 'parrot'; known are: moonshine-tiny-en, parakeet" in result.stderr


def test_what_came_along_is_not_downloaded(home: Path) -> None:
    result = papercup(home, "voice", "install", "moonshine-tiny-en", environment=data_in(home))

    assert result.exit_code == 0
    assert "nothing to download" in result.stdout


def test_a_model_is_downloaded_and_it_is_said_how_to_use_it(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving({PATH: Served(body=ARCHIVE)}) as url:
        install_and_tell(a_config(home, url), model_of(ARCHIVE), is_asked=False)

    assert (home / "data" / "models" / NAME / "model.onnx").is_file()
    out, err = capsys.readouterr()
    assert f'It works. To use it, write model = "{NAME}" below [hearing]' in out
    assert "Trying out" in err
    with held_data_folder(home / "data") as folder:
        assert folder.root.stat().st_mode & 0o077 == 0


def test_a_download_that_fails_is_an_error_and_leaves_nothing(home: Path) -> None:
    with serving({}) as url:
        environment = {**data_in(home), "PAPERCUP_ENDPOINTS__MODELS": url}
        result = papercup(
            home, "voice", "install", "whisper-tiny", "--yes", environment=environment
        )

    assert result.exit_code == 1
    assert "answers with status 404" in result.stderr
    assert list((home / "data" / "models").iterdir()) == []


def test_sigterm_interrupts_a_download_as_ctrl_c_does() -> None:
    before = signal.getsignal(signal.SIGTERM)

    with pytest.raises(KeyboardInterrupt), ended_like_ctrl_c():
        os.kill(os.getpid(), signal.SIGTERM)

    assert signal.getsignal(signal.SIGTERM) is before


def data_in(home: Path) -> dict[str, str]:
    return {"PAPERCUP_DATA_DIR": str(home / "data")}


def a_config(home: Path, url: str) -> Config:
    return Config(data_dir=home / "data", endpoints=EndpointsConfig(models=url))
