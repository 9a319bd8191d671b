"""`papercup plugin new`, `vendor` and `test`: for those who write plugins."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.options import JsonOption
from bot.cli.output import telling_errors
from bot.cli.platforms import require_linux


class Template(StrEnum):
    """What a plugin can begin with."""

    TOOL = "tool"
    PERMISSION_GATE = "permission-gate"
    COMMAND = "command"
    PROVIDER_LESS = "provider-less"
    WIDGET = "widget"


class DialectName(StrEnum):
    """Which wire format it speaks."""

    SEP = "sep"
    STDIO = "stdio"


def add_test_commands(app: typer.Typer) -> None:
    """Add them to `papercup plugin`."""
    for command in (new, vendor):
        app.command()(command)
    app.command("test")(put_to_test)


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it is called.")],
    *,
    template: Annotated[Template, typer.Option("--template", help="What it begins with.")],
    folder: Annotated[
        Path, typer.Option("--dir", metavar="DIR", help="Where its folder is made.")
    ] = Path(),
    dialect: Annotated[
        DialectName, typer.Option("--dialect", help="Which wire format it speaks.")
    ] = DialectName.SEP,
    no_vendor: Annotated[
        bool, typer.Option("--no-vendor", help="Do not put the SDK beside it.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Begin a plugin in a folder of its own; exit code 2 if it cannot be called so."""
    from bot.cli.plugin_scaffolding import Beginning, print_new  # noqa: PLC0415 - as below

    wish = Beginning(
        name=name, template=template, dialect=dialect, folder=folder, has_sdk=not no_vendor
    )
    raise typer.Exit(print_new(wish, as_json=as_json))


def vendor(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The plugin's folder.")],
    *,
    as_json: JsonOption = False,
) -> None:
    """Put the SDK beside a plugin, or the newest in place of the one that is there."""
    from bot.cli.plugin_scaffolding import print_vendored  # noqa: PLC0415 - as below

    raise typer.Exit(print_vendored(path, as_json=as_json))


def put_to_test(
    path: Annotated[
        Path | None, typer.Argument(metavar="PATH", help="The plugin's folder, or its manifest.")
    ] = None,
    *,
    host: Annotated[
        bool, typer.Option("--host", help="Test Papercup itself, as a host of plugins.")
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="NAME", help="A check, by its name; may be repeated."),
    ] = None,
    timeout: Annotated[
        float,
        typer.Option("--timeout", metavar="SECONDS", min=0.1, help="How long an answer may take."),
    ] = 10.0,
    as_json: JsonOption = False,
) -> None:
    """Say whether a plugin keeps to the protocol; exit code 2 for its manifest, 9 if not.

    Its program is run, and its tools and commands are really used.
    """
    with telling_errors():
        require_linux(sys.platform)
        # Only here: it needs what only Linux has.
        from bot.cli.plugin_testing import TestWish, print_test  # noqa: PLC0415

        wish = TestWish(
            path=path, is_of_host=host, only=frozenset(only or ()), timeout_seconds=timeout
        )
        raise typer.Exit(print_test(wish, as_json=as_json))
