"""What `papercup voice models` prints."""

from dataclasses import asdict

import typer

from bot.cli.output import print_json, print_table
from bot.cli.sizes import size_words
from bot.config import Config
from bot.voice_settings import hearing_settings
from voice.known_models import ANY_LANGUAGE, KNOWN_MODELS, KnownModel
from voice.model_files import is_there

_SHOWN_LANGUAGES = 5


def print_models(config: Config, *, as_json: bool) -> None:
    """List the models that hear, and say which is in use."""
    settings = hearing_settings(config)
    there = {model.name: is_there(model, settings.models_folder) for model in KNOWN_MODELS}
    if as_json:
        known = [{**asdict(model), "installed": there[model.name]} for model in KNOWN_MODELS]
        print_json({"engine": settings.engine, "model": settings.model, "models": known})
        return
    columns = ("Model", "Languages", "Download", "Installed", "Good to know")
    print_table(None, columns, [_row(model, is_there=there[model.name]) for model in KNOWN_MODELS])
    typer.echo(f"\nIn use: {settings.model} ({settings.engine}), as hearing.model says.")


def language_words(model: KnownModel) -> str:
    """Return which languages a model understands, the many in short."""
    if ANY_LANGUAGE in model.languages:
        return "about 100"
    if len(model.languages) > _SHOWN_LANGUAGES:
        return f"{len(model.languages)} of Europe"
    return ", ".join(model.languages)


def _row(model: KnownModel, *, is_there: bool) -> tuple[str, ...]:
    return (
        model.name,
        language_words(model),
        "-" if model.path is None else size_words(model.archive_bytes),
        "yes" if is_there else "no",
        model.note,
    )
