import re

import pytest

from voice.engines.recipes import recipe_of
from voice.known_models import DEFAULT_MODEL, KNOWN_MODELS, known_model, understands


def test_every_name_stands_for_one_model() -> None:
    names = [model.name for model in KNOWN_MODELS]

    assert len(set(names)) == len(names)
    assert [known_model(name) for name in names] == list(KNOWN_MODELS)
    assert known_model("nonsense") is None
    assert known_model(DEFAULT_MODEL) is not None


def test_what_is_downloaded_has_a_size_and_a_sum_by_which_it_is_known() -> None:
    for model in KNOWN_MODELS:
        if model.path is not None:
            assert model.path.startswith("/k2-fsa/sherpa-onnx/releases/download/asr-models/")
            assert model.archive_bytes > 1_000_000
            assert re.fullmatch("[0-9a-f]{64}", model.sha256)


@pytest.mark.parametrize(
    ("name", "files", "factory"),
    [
        (
            "parakeet-tdt-0.6b-v3",
            "encoder.int8.onnx decoder.int8.onnx joiner.int8.onnx tokens.txt",
            "from_transducer",
        ),
        ("sense-voice", "model.int8.onnx tokens.txt LICENSE README.md", "from_sense_voice"),
        ("whisper-tiny", "tiny-encoder.onnx tiny-decoder.onnx tiny-tokens.txt", "from_whisper"),
        ("whisper-base", "base-encoder.onnx base-decoder.onnx base-tokens.txt", "from_whisper"),
        ("whisper-small", "small-encoder.onnx small-decoder.onnx small-tokens.txt", "from_whisper"),
    ],
)
def test_the_files_of_each_are_understood(name: str, files: str, factory: str) -> None:
    recipe = recipe_of(name, files.split(), "")

    assert recipe is not None
    assert recipe.factory == factory


@pytest.mark.parametrize(
    ("name", "language", "does"),
    [
        ("moonshine-tiny-en", "en", True),
        ("moonshine-tiny-en", "auto", True),
        ("moonshine-tiny-en", "de", False),
        ("parakeet-tdt-0.6b-v3", "de", True),
        ("parakeet-tdt-0.6b-v3", "ja", False),
        ("sense-voice", "ja", True),
        ("whisper-base", "is", True),
    ],
)
def test_a_model_understands_its_languages_alone(name: str, language: str, *, does: bool) -> None:
    model = known_model(name)

    assert model is not None
    assert understands(model, language) is does
