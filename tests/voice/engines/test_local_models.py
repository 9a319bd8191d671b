from pathlib import Path

import pytest

from tests.fakes.real_models import two_cities
from tests.fakes.small_model import NAME, TEXT, a_model
from voice.engines.local_models import open_local_model
from voice.engines.protocols import EngineError
from voice.engines.sherpa import SherpaSpeechToText


def opened(model: str, folder: Path) -> SherpaSpeechToText:
    return open_local_model(
        model, language="auto", models_folder=folder / "models", cache_folder=folder / "cache"
    )


def test_a_model_in_a_folder_is_loaded_and_tried_out_once(tmp_path: Path) -> None:
    a_model(tmp_path / "models" / NAME)

    engine = opened(NAME, tmp_path)
    again = opened(str(tmp_path / "models" / NAME), tmp_path)

    assert engine.transcribe(two_cities()[16_000:48_000]) == TEXT
    assert (engine.name, engine.language) == (f"{NAME} (sherpa-onnx)", "*")
    assert again.name == engine.name
    assert len(list((tmp_path / "cache").iterdir())) == 1


def test_a_model_that_would_end_the_process_is_an_error(tmp_path: Path) -> None:
    folder = a_model(tmp_path / "models" / NAME)
    (folder / "tokens.txt").write_text("two words here\n")

    with pytest.raises(EngineError, match=r"the model cannot be loaded: .*words"):
        opened(NAME, tmp_path)

    assert not (tmp_path / "cache").exists()


def test_a_model_that_was_changed_is_tried_out_again(tmp_path: Path) -> None:
    folder = a_model(tmp_path / "models" / NAME)
    opened(NAME, tmp_path)
    (folder / "model.onnx").write_bytes(b"broken")

    with pytest.raises(EngineError, match="the model cannot be loaded"):
        opened(NAME, tmp_path)


def test_a_known_model_that_is_missing_is_offered_with_its_size(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"`papercup voice install whisper-base`.*\(208 MB\)"):
        opened("whisper-base", tmp_path)


@pytest.mark.parametrize("model", ["nonsense", "/nowhere/at/all"])
def test_an_unknown_model_is_an_error_that_says_where_to_look(model: str, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="`papercup voice models`"):
        opened(model, tmp_path)


def test_a_folder_that_holds_no_model_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "models" / "mine").mkdir(parents=True)

    with pytest.raises(EngineError, match="holds no model that Papercup can tell"):
        opened("mine", tmp_path)
