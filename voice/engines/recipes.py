"""How sherpa-onnx loads a model, told by the names of its files. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

_SINGLE_FILE_FACTORIES: Mapping[str, tuple[str, str]] = {
    "sense-voice": ("from_sense_voice", "model"),
    "paraformer": ("from_paraformer", "paraformer"),
    "zipformer-ctc": ("from_zipformer_ctc", "model"),
    "dolphin": ("from_dolphin_ctc", "model"),
    "omnilingual": ("from_omnilingual_asr_ctc", "model"),
    "nemo": ("from_nemo_ctc", "model"),
    "giga-am": ("from_nemo_ctc", "model"),
}
"""By what stands in the model's name: such models have the same files, `model.onnx` and
`tokens.txt`. The first that fits is taken."""

_NEMO_NAMES = ("nemo", "parakeet", "giga-am", "canary")
_MOONSHINE_FILES = {
    "preprocessor": "preprocess",
    "encoder": "encode",
    "uncached_decoder": "uncached_decode",
    "cached_decoder": "cached_decode",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How a model is loaded."""

    factory: str
    """Which function of sherpa-onnx's `OfflineRecognizer` makes it."""
    files: Mapping[str, str]
    """The names of its files, by the names that this function gives them."""
    options: Mapping[str, str] = field(default_factory=dict[str, str])


def recipe_of(model: str, names: Sequence[str], language: str) -> Recipe | None:
    """Return how the model is loaded that has files of these names; `None` if that is not clear.

    Where there are two of a file, the one of 8-bit integers is taken: it is faster and smaller.

    Args:
        model: Its name, as that of its folder: some can only be told apart by it.
        names: The names of the files in its folder.
        language: The language that is spoken; empty if the model is to find out.
    """
    if (tokens := _chosen(names, lambda stem: stem.endswith("tokens"), ".txt")) is None:
        return None
    found = _of_moonshine(names) or _of_parts(model, names, language)
    if found is None:
        found = _of_one_file(model.lower(), names, language)
    if found is None:
        return None
    files = {**found.files, "tokens": tokens}
    return Recipe(factory=found.factory, files=files, options=found.options)


def _of_moonshine(names: Sequence[str]) -> Recipe | None:
    merged = {
        "encoder": _chosen(names, lambda stem: stem == "encoder_model", ".ort"),
        "decoder": _chosen(names, lambda stem: stem == "decoder_model_merged", ".ort"),
    }
    if (files := _whole(merged)) is not None:
        return Recipe(factory="from_moonshine_v2", files=files)
    parts = {role: _chosen(names, _is(stem)) for role, stem in _MOONSHINE_FILES.items()}
    if (files := _whole(parts)) is not None:
        return Recipe(factory="from_moonshine", files=files)
    return None


def _of_parts(model: str, names: Sequence[str], language: str) -> Recipe | None:
    pair = _whole({role: _chosen(names, _has(role)) for role in ("encoder", "decoder")})
    if pair is None:
        return None
    if (joiner := _chosen(names, _has("joiner"))) is not None:
        is_nemo = any(part in model.lower() for part in _NEMO_NAMES)
        kind = "nemo_transducer" if is_nemo else "transducer"
        files = {**pair, "joiner": joiner}
        return Recipe(factory="from_transducer", files=files, options={"model_type": kind})
    if "whisper" in model.lower() or pair["encoder"].endswith(
        ("-encoder.onnx", "-encoder.int8.onnx")
    ):
        return Recipe(factory="from_whisper", files=pair, options={"language": language})
    return None


def _of_one_file(model: str, names: Sequence[str], language: str) -> Recipe | None:
    file = _chosen(names, _is("model"))
    factory = next((made for part, made in _SINGLE_FILE_FACTORIES.items() if part in model), None)
    if file is None or factory is None:
        return None
    name, role = factory
    options = {"language": language} if name == "from_sense_voice" else {}
    return Recipe(factory=name, files={role: file}, options=options)


def _whole(files: Mapping[str, str | None]) -> dict[str, str] | None:
    found = {role: name for role, name in files.items() if name is not None}
    return found if len(found) == len(files) else None


def _is(stem: str) -> Callable[[str], bool]:
    return lambda name: name == stem


def _has(part: str) -> Callable[[str], bool]:
    return lambda name: part in name


def _chosen(names: Sequence[str], fits: Callable[[str], bool], suffix: str = ".onnx") -> str | None:
    for whole_suffix in (f".int8{suffix}", suffix):
        for name in sorted(names):
            if name.endswith(whole_suffix) and fits(name.removesuffix(whole_suffix)):
                return name
    return None
