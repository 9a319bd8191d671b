"""Opens models of sherpa-onnx that stand in a folder of this machine."""

import hashlib
from pathlib import Path

from voice.engines.recipes import Recipe, recipe_of
from voice.engines.sherpa import Recognizer, SherpaSpeechToText
from voice.engines.trial import try_out
from voice.errors import EngineError
from voice.known_models import ANY_LANGUAGE, KnownModel, known_model


def open_local_model(
    model: str, *, language: str, models_folder: Path, cache_folder: Path
) -> SherpaSpeechToText:
    """Load a model; at the first time it is tried out before, in a process of its own.

    Args:
        model: The name of a folder in `models_folder`, or a path.
        language: The language that is spoken; `auto`: whichever it is.
        models_folder: Where models stand that were downloaded.
        cache_folder: Where it is noted which models were tried out.

    Raises:
        EngineError: If the model is missing or broken.
    """
    folder = _folder_of(model, models_folder)
    recipe = recipe_in(folder, language, known_model(model))
    _try_out_once(folder, recipe, cache_folder)
    files = {role: str(folder / name) for role, name in recipe.files.items()}
    recognizer = Recognizer(recipe.factory, files, **recipe.options)
    heard = ANY_LANGUAGE if language == "auto" else language
    return SherpaSpeechToText(f"{folder.name} (sherpa-onnx)", heard, recognizer)


def recipe_in(folder: Path, language: str, known: KnownModel | None) -> Recipe:
    """Return how the model in a folder is loaded.

    Raises:
        EngineError: If it cannot be told.
    """
    told = "" if language == "auto" or not (known is None or known.is_told_language) else language
    try:
        names = [path.name for path in folder.iterdir() if path.is_file()]
    except OSError as error:
        raise EngineError(f"{folder} cannot be read: {error.strerror or error}") from error
    recipe = recipe_of(folder.name if known is None else known.name, names, told)
    if recipe is None:
        raise EngineError(
            f"{folder} holds no model that Papercup can tell: it looks for those that are offered"
            " at https://github.com/k2-fsa/sherpa-onnx/releases/tag/asr-models"
        )
    return recipe


def try_out_model(folder: Path, recipe: Recipe) -> None:
    """Load the model in a folder in another process.

    Raises:
        EngineError: If it cannot be used.
    """
    files = {role: str(folder / name) for role, name in recipe.files.items()}
    try_out(recipe.factory, files, recipe.options)


def _folder_of(model: str, models_folder: Path) -> Path:
    named = Path(model).expanduser()
    folder = named if named.is_absolute() else models_folder / named
    if folder.is_dir():
        return folder
    if (known := known_model(model)) is not None:
        size = f"{known.archive_bytes / 1e6:.0f} MB"
        raise EngineError(
            f"the model {model} is not there yet; `papercup voice install {model}` downloads it"
            f" ({size})"
        )
    raise EngineError(
        f"there is no model in {folder}; `papercup voice models` shows what hearing.model may name"
    )


def _try_out_once(folder: Path, recipe: Recipe, cache_folder: Path) -> None:
    note = cache_folder / f"tried-{_fingerprint(folder, recipe)}"
    if note.exists():
        return
    try_out_model(folder, recipe)
    try:
        cache_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        note.touch(mode=0o600)
    except OSError as error:
        raise EngineError(f"{note} cannot be written: {error.strerror or error}") from error


def _fingerprint(folder: Path, recipe: Recipe) -> str:
    """Return what changes when the model, or how it is loaded, does."""
    parts = [str(folder), recipe.factory, repr(sorted(recipe.options.items()))]
    for name in sorted(recipe.files.values()):
        status = (folder / name).stat()
        parts.append(f"{name} {status.st_size} {status.st_mtime_ns}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
