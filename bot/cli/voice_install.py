"""What `papercup voice install` does and prints."""

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from bot.cli.interruption import ended_like_ctrl_c
from bot.cli.output import ExitCode, print_error
from bot.cli.sizes import size_words
from bot.config import Config
from bot.voice_settings import hearing_settings
from voice.hearing_settings import HearingSettings
from voice.known_models import KNOWN_MODELS, KnownModel, known_model
from voice.model_files import Progress, Stage, install_model, is_there


def install_and_tell(config: Config, model: KnownModel, *, is_asked: bool) -> None:
    """Download a model, showing how far it is.

    Args:
        config: Says where it comes from, and where it goes.
        model: Which.
        is_asked: Whether the size is shown first, and the download begins only upon a yes.

    Raises:
        EngineError: If it cannot be had, or is not what it should be.
    """
    settings = hearing_settings(config)
    if model.path is None:
        typer.echo(f"{model.name} came with Papercup; there is nothing to download.")
        return
    typer.echo(_announcement(model, settings, config.endpoints.models))
    if is_asked:
        typer.confirm("Download it?", abort=True)
    with ended_like_ctrl_c(), _bar() as bar:
        task = bar.add_task(Stage.DOWNLOADING, total=model.archive_bytes)

        def show(progress: Progress) -> None:
            is_known = progress.stage is not Stage.TRYING
            total = model.archive_bytes if is_known else None
            bar.update(task, description=progress.stage, completed=progress.done_bytes, total=total)

        folder = settings.models_folder
        install_model(model, folder, base_url=config.endpoints.models, tell=show)
    typer.echo(f'It works. To use it, write model = "{model.name}" below [hearing] in config.toml.')


def wanted_model(name: str) -> KnownModel:
    """Return the model that is called so, or end the command."""
    if (model := known_model(name)) is not None:
        return model
    names = ", ".join(model.name for model in KNOWN_MODELS)
    print_error(f"there is no model called {name!r}; known are: {names}")
    raise typer.Exit(ExitCode.WRONG_USAGE)


def _announcement(model: KnownModel, settings: HearingSettings, source: str) -> str:
    size = size_words(model.archive_bytes)
    again = " again" if is_there(model, settings.models_folder) else ""
    return (
        f"{model.name} is downloaded{again}: {size} from {source}, licence {model.licence}."
        f" It goes to {settings.models_folder / model.name}."
    )


def _bar() -> Bar:
    return Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )
