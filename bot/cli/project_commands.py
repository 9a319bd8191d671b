"""`papercup project trust`, `untrust` and `list`."""

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.options import ConfigOption, JsonOption
from bot.cli.plugin_trust_commands import local_on_linux

app = typer.Typer(
    help="Say of which projects plugins may be loaded: those in .papercup/plugins.",
    no_args_is_help=True,
)

FolderArgument = Annotated[Path, typer.Argument(metavar="PATH", help="The project's folder.")]


@app.command()
def trust(
    folder: Annotated[
        Path,
        typer.Argument(metavar="PATH", help="The project's folder.", exists=True, file_okay=False),
    ],
    config: ConfigOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Let a project's plugins be loaded, once each of them is trusted, too."""
    with local_on_linux(config) as local:
        # Only here: unix sockets are not there on every system on which this file is imported.
        from bot.cli.projects import print_project_trusted  # noqa: PLC0415

        print_project_trusted(local, folder, as_json=as_json)


@app.command()
def untrust(
    folder: FolderArgument, config: ConfigOption = None, *, as_json: JsonOption = False
) -> None:
    """Let them not be loaded any more; a running bot stops them at once."""
    with local_on_linux(config) as local:
        from bot.cli.projects import print_project_untrusted  # noqa: PLC0415

        print_project_untrusted(local, folder, as_json=as_json)


@app.command("list")
def list_trusted(config: ConfigOption = None, *, as_json: JsonOption = False) -> None:
    """List the projects that are trusted."""
    with local_on_linux(config) as local:
        from bot.cli.projects import print_projects  # noqa: PLC0415

        print_projects(local, as_json=as_json)
