import inspect
from collections.abc import Sequence

import pytest
import sherpa_onnx  # type: ignore[import-untyped] # it has no types

from voice.engines.recipes import Recipe, recipe_of

WHISPER = (
    "base-encoder.onnx",
    "base-encoder.int8.onnx",
    "base-decoder.int8.onnx",
    "base-tokens.txt",
)
PARTS = ("encoder.int8.onnx", "decoder.int8.onnx", "joiner.int8.onnx", "tokens.txt")
ICEFALL = (
    "encoder-epoch-12-avg-4.onnx",
    "encoder-epoch-12-avg-4.int8.onnx",
    "decoder-epoch-12-avg-4.onnx",
    "joiner-epoch-12-avg-4.int8.onnx",
    "tokens.txt",
)
MOONSHINE = (
    "preprocess.onnx",
    "encode.int8.onnx",
    "uncached_decode.int8.onnx",
    "cached_decode.int8.onnx",
    "tokens.txt",
)
ONE = ("model.int8.onnx", "model.onnx", "tokens.txt", "README.md")

CASES = [
    (
        "whisper-base",
        WHISPER,
        "from_whisper",
        {
            "encoder": "base-encoder.int8.onnx",
            "decoder": "base-decoder.int8.onnx",
            "tokens": "base-tokens.txt",
        },
        {"language": "de"},
    ),
    (
        "parakeet-tdt-0.6b-v3",
        PARTS,
        "from_transducer",
        {"encoder": PARTS[0], "decoder": PARTS[1], "joiner": PARTS[2], "tokens": "tokens.txt"},
        {"model_type": "nemo_transducer"},
    ),
    (
        "zipformer-ru",
        ICEFALL,
        "from_transducer",
        {
            "encoder": ICEFALL[1],
            "decoder": ICEFALL[2],
            "joiner": ICEFALL[3],
            "tokens": "tokens.txt",
        },
        {"model_type": "transducer"},
    ),
    (
        "moonshine-base-en",
        MOONSHINE,
        "from_moonshine",
        {
            "preprocessor": MOONSHINE[0],
            "encoder": MOONSHINE[1],
            "uncached_decoder": MOONSHINE[2],
            "cached_decoder": MOONSHINE[3],
            "tokens": "tokens.txt",
        },
        {},
    ),
    (
        "moonshine-new",
        ("encoder_model.ort", "decoder_model_merged.ort", "tokens.txt"),
        "from_moonshine_v2",
        {
            "encoder": "encoder_model.ort",
            "decoder": "decoder_model_merged.ort",
            "tokens": "tokens.txt",
        },
        {},
    ),
    (
        "sense-voice",
        ONE,
        "from_sense_voice",
        {"model": "model.int8.onnx", "tokens": "tokens.txt"},
        {"language": "de"},
    ),
    (
        "sherpa-onnx-paraformer-zh",
        ONE,
        "from_paraformer",
        {"paraformer": "model.int8.onnx", "tokens": "tokens.txt"},
        {},
    ),
    (
        "zipformer-ctc-zh",
        ONE,
        "from_zipformer_ctc",
        {"model": "model.int8.onnx", "tokens": "tokens.txt"},
        {},
    ),
    (
        "dolphin-base-ctc",
        ONE,
        "from_dolphin_ctc",
        {"model": "model.int8.onnx", "tokens": "tokens.txt"},
        {},
    ),
    (
        "omnilingual-asr-300M",
        ONE,
        "from_omnilingual_asr_ctc",
        {"model": "model.int8.onnx", "tokens": "tokens.txt"},
        {},
    ),
    (
        "sherpa-onnx-nemo-ctc-en",
        ONE,
        "from_nemo_ctc",
        {"model": "model.int8.onnx", "tokens": "tokens.txt"},
        {},
    ),
]


@pytest.mark.parametrize(("model", "names", "factory", "files", "options"), CASES)
def test_a_model_is_told_by_the_names_of_its_files(
    model: str, names: Sequence[str], factory: str, files: dict[str, str], options: dict[str, str]
) -> None:
    recipe = recipe_of(model, names, "de")

    assert recipe == Recipe(factory=factory, files=files, options=options)
    wanted = inspect.signature(getattr(sherpa_onnx.OfflineRecognizer, factory)).parameters
    assert {*files, *options, "num_threads"} <= set(wanted)


@pytest.mark.parametrize(
    ("model", "names"),
    [
        ("whisper-base", ()),
        ("whisper-base", ("base-encoder.onnx", "base-decoder.onnx")),
        ("whisper-base", ("base-encoder.onnx", "base-tokens.txt")),
        ("something", ONE),
        ("sense-voice", ("tokens.txt",)),
    ],
)
def test_what_is_not_whole_or_not_clear_is_no_model(model: str, names: Sequence[str]) -> None:
    assert recipe_of(model, names, "") is None
