"""`papercup plugin`: look at plugins, hold them against what they should be, and try them."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.options import ConfigOption, JsonOption
from bot.cli.output import telling_errors
from bot.cli.platforms import require_linux
from bot.cli.plugin_package_commands import add_package_commands
from bot.cli.plugin_test_commands import add_test_commands
from bot.cli.plugin_trust_commands import NameArgument, add_trust_commands
from bot.config_reading import read_config, these_surroundings

if TYPE_CHECKING:
    from bot.cli.plugin_overview import Ground

app = typer.Typer(
    help="Install plugins, trust them, and find out why one does not run.", no_args_is_help=True
)
# In the order in which the help shows them.
add_package_commands(app)


@app.command("list")
def list_found(config: ConfigOption = None, *, as_json: JsonOption = False) -> None:
    """List the plugins that are found, and how they stand."""
    with _ground(config) as ground:
        # Only here, as below: it needs what only Linux has.
        from bot.cli.plugin_listing import print_list  # noqa: PLC0415
        from bot.cli.plugin_overview import look_over  # noqa: PLC0415

        raise typer.Exit(print_list(look_over(ground), as_json=as_json))


@app.command()
def info(name: NameArgument, config: ConfigOption = None, *, as_json: JsonOption = False) -> None:
    """Show all that is known of a plugin; exit code 1 if there is none of that name."""
    with _ground(config) as ground:
        from bot.cli.plugin_listing import print_info  # noqa: PLC0415
        from bot.cli.plugin_overview import look_over  # noqa: PLC0415

        raise typer.Exit(print_info(look_over(ground), name, as_json=as_json))


@app.command()
def validate(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="The plugin's folder, or its manifest.")
    ],
    *,
    as_json: JsonOption = False,
) -> None:
    """Say whether a manifest is right; exit code 2 if it is not."""
    with telling_errors():
        require_linux(sys.platform)
        from bot.cli.plugin_listing import print_validation  # noqa: PLC0415
        from bot.cli.plugin_settings import validation_settings  # noqa: PLC0415

        settings = validation_settings(these_surroundings())
        raise typer.Exit(print_validation(path, settings, as_json=as_json))


@app.command()
def doctor(
    config: ConfigOption = None,
    *,
    runtime: Annotated[
        bool, typer.Option("--runtime", help="Start each that is trusted, and shake hands with it.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Look for what keeps plugins from running; exit code 2 for a wrong manifest, 9 for a start."""
    with _ground(config) as ground:
        from bot.cli.plugin_listing import print_diagnosis  # noqa: PLC0415
        from bot.cli.plugin_overview import look_over  # noqa: PLC0415

        overview = look_over(ground)
        if runtime:
            # It imports the `mcp` package, which takes longer than all else of this command.
            from bot.cli.plugin_runtime import print_trial  # noqa: PLC0415

            raise typer.Exit(print_trial(ground, overview, as_json=as_json))
        raise typer.Exit(print_diagnosis(overview, as_json=as_json))


add_trust_commands(app)
add_test_commands(app)


@contextmanager
def _ground(named: Path | None) -> Generator["Ground", None, None]:
    with telling_errors():
        require_linux(sys.platform)
        from bot.cli.plugin_overview import ground_of  # noqa: PLC0415

        where = these_surroundings()
        yield ground_of(read_config(named, where), where)
