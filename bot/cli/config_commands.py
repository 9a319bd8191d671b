"""`papercup config check` and `papercup config show`."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import typer

from bot.cli.options import ConfigOption, JsonOption
from bot.cli.output import ExitCode, print_error, print_json, print_table, telling_errors
from bot.config_reading import ConfigReading, read_config, these_surroundings, values_of
from bot.errors import ConfigError, SetupError
from bot.secrets import SECRET_NAMES, FoundSecrets, read_secrets

app = typer.Typer(help="Look into the configuration.", no_args_is_help=True)


@app.command()
def check(config: ConfigOption = None, *, as_json: JsonOption = False) -> None:
    """Say whether the configuration is right, and what has to be mended."""
    try:
        reading, secrets = _read(config)
    except SetupError as error:
        if as_json:
            print_json({"ok": False, "problems": _problems_of(error), "notes": []})
        else:
            print_error(str(error))
        raise typer.Exit(ExitCode.WRONG_USAGE) from error
    if as_json:
        notes = [dataclasses.asdict(note) for note in reading.notes]
        found = {"file": _file_of(reading), "secrets": _sources_of(secrets)}
        print_json({"ok": True, "problems": [], "notes": notes, **found})
        return
    typer.echo(f"The configuration is right ({_file_of(reading) or 'no file: all defaults'}).")
    for note in reading.notes:
        typer.echo(str(note))
    for name in secrets.missing:
        typer.echo(f"Still to be set before `papercup run`: {name}")


@app.command()
def show(config: ConfigOption = None, *, as_json: JsonOption = False) -> None:
    """Print each value in force, and where it comes from; of secrets only whether they are set."""
    with telling_errors():
        reading, secrets = _read(config)
    values = values_of(reading.config)
    if as_json:
        rows = {
            path: {"value": value, "source": reading.sources[path]}
            for path, value in values.items()
        }
        found = _sources_of(secrets)
        print_json({"file": _file_of(reading), "values": rows, "secrets": found})
        return
    print_table(
        f"Configuration: {_file_of(reading) or 'no file'}",
        ("Key", "Value", "From"),
        [(path, _shown(value), reading.sources[path]) for path, value in values.items()],
    )
    print_table(
        "\nSecrets",
        ("Name", "Value", "From"),
        [
            (name, "not set" if source is None else "set", source or "")
            for name, source in _sources_of(secrets).items()
        ],
    )


def _read(config: Path | None) -> tuple[ConfigReading, FoundSecrets]:
    where = these_surroundings()
    reading = read_config(config, where)
    return reading, read_secrets(reading.file, where)


def _file_of(reading: ConfigReading) -> str | None:
    return None if reading.file is None else str(reading.file)


def _sources_of(secrets: FoundSecrets) -> dict[str, str | None]:
    """Return where each secret was found; `None` if it is not set."""
    found = secrets.by_name
    return {name: found[name].source if name in found else None for name in SECRET_NAMES}


def _problems_of(error: SetupError) -> list[dict[str, str | None]]:
    if not isinstance(error, ConfigError):
        return [{"source": None, "key": None, "reason": str(error), "suggestion": None}]
    return [dataclasses.asdict(problem) for problem in error.problems]


def _shown(value: Any) -> str:
    return "unset" if value is None else json.dumps(value, ensure_ascii=False)
