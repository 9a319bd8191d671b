"""What `papercup plugin new` and `vendor` do and print."""

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import typer

from bot.cli.output import harmless, print_error, print_json
from bot.cli.plugin_exit import PluginExit
from papercup_plugin.conformance.methods import Dialect
from papercup_plugin.templates import ScaffoldError, Wish, has_newest, scaffold, vendor


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """What plugin is begun, and where."""

    name: str
    template: str
    dialect: str
    folder: Path
    """In which its own is made."""
    has_sdk: bool


def print_new(beginning: Beginning, *, as_json: bool) -> PluginExit:
    """Begin a plugin, and print what was made and what comes next."""
    wish = Wish(
        name=beginning.name,
        template=beginning.template,
        dialect=Dialect(beginning.dialect),
        has_sdk=beginning.has_sdk,
    )
    try:
        folder = scaffold(wish, beginning.folder)
    except ScaffoldError as error:
        print_error(harmless(str(error)))
        return PluginExit.INVALID
    except OSError as error:
        print_error(harmless(f"{beginning.folder}: {error.strerror}"))
        return PluginExit.NOT_FOUND
    files = sorted(_entries(folder))
    if as_json:
        print_json({"name": wish.name, "folder": str(folder.resolve()), "entries": files})
        return PluginExit.OK
    shown = shlex.quote(str(folder))
    typer.echo(f"{harmless(shown)}: {', '.join(files)}")
    typer.echo(f"Test it:  papercup plugin test {harmless(shown)}")
    return PluginExit.OK


def print_vendored(path: Path, *, as_json: bool) -> PluginExit:
    """Put the SDK beside a plugin, and print where."""
    try:
        is_there = has_newest(path)
        target = vendor(path)
    except ScaffoldError as error:
        print_error(harmless(str(error)))
        return PluginExit.INVALID
    except OSError as error:
        print_error(harmless(f"{path}: {error.strerror}"))
        return PluginExit.NOT_FOUND
    if as_json:
        print_json({"folder": str(target.resolve()), "changed": not is_there})
    elif is_there:
        typer.echo(f"This very SDK is in {harmless(str(target))} already.")
    else:
        typer.echo(f"The SDK is in {harmless(str(target))}; the plugin has to be trusted anew.")
    return PluginExit.OK


def _entries(folder: Path) -> Iterable[str]:
    for entry in folder.iterdir():
        yield f"{entry.name}/" if entry.is_dir() else entry.name
