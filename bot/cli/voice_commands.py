"""`papercup voice models`, `install` and `test`."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.options import ConfigOption, JsonOption
from bot.cli.output import ExitCode, print_error, telling_errors
from bot.config import Config
from bot.config_reading import read_config, these_surroundings
from voice.errors import EngineError
from voice.installed import VOICE_MISSING, missing

app = typer.Typer(
    help="See to the models that hear what people say in voice channels.", no_args_is_help=True
)

ModelArgument = Annotated[
    str, typer.Argument(metavar="MODEL", help="Its name, as `papercup voice models` shows it.")
]
FileArgument = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="A recording, as .wav, .ogg or .mp3.", show_default=False),
]
YesOption = Annotated[bool, typer.Option("--yes", help="Do not ask before it is downloaded.")]


@app.command()
def models(config: ConfigOption = None, *, as_json: JsonOption = False) -> None:
    """List the models that hear: their languages and sizes, and which are there already."""
    with _with_voice(config) as settings:
        # Only here, as below: it needs what may not be installed.
        from bot.cli.voice_models import print_models  # noqa: PLC0415

        print_models(settings, as_json=as_json)


@app.command()
def install(model: ModelArgument, config: ConfigOption = None, *, yes: YesOption = False) -> None:
    """Download a model that hears, and try it out."""
    with _with_voice(config) as settings:
        from bot.cli.voice_install import install_and_tell, wanted_model  # noqa: PLC0415

        install_and_tell(settings, wanted_model(model), is_asked=not yes)


@app.command("test")
def hear_file(
    file: FileArgument, config: ConfigOption = None, *, as_json: JsonOption = False
) -> None:
    """Print what is heard in a recording."""
    with _with_voice(config) as settings:
        from bot.cli.voice_test import print_heard  # noqa: PLC0415

        print_heard(settings, file, as_json=as_json)


@contextmanager
def _with_voice(named: Path | None) -> Generator[Config]:
    with telling_errors():
        settings = read_config(named, these_surroundings()).config
        if packages := missing():
            print_error(f"{VOICE_MISSING} Missing: {', '.join(packages)}.")
            raise typer.Exit(ExitCode.FAILED)
        try:
            yield settings
        except EngineError as error:
            print_error(str(error))
            raise typer.Exit(ExitCode.FAILED) from error
