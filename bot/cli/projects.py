"""What `papercup project trust`, `untrust` and `list` do and print."""

import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import typer

from bot.cli.output import harmless, print_json, print_table
from bot.cli.plugin_ground import LocalTrust
from bot.control.plugin_client import read_projects, trust_project, untrust_project
from bot.control.plugin_reports import ALL_SETTLED
from bot.plugin_services.trust_desk import Settled
from extensions.database import Database
from extensions.plugins.trust_store import TrustStore


def print_project_trusted(local: LocalTrust, folder: Path, *, as_json: bool) -> None:
    """Let the plugins of a project be loaded, and print how they are.

    Raises:
        ControlError: If a bot runs, but does not answer as it should.
        DataFolderBusyError: If a bot is just about to start, or to end.
    """
    real = real_folder(folder)
    settled = trust_project(local.socket, real)
    if settled is None:
        settled = local.run(lambda desk: desk.trust_project(real))
    if as_json:
        print_json({"folder": str(real), "plugins": ALL_SETTLED.plain(settled)})
        return
    typer.echo(f"Plugins of {harmless(str(real))} may be loaded now, once each is trusted, too.")
    if settled:
        print_table(None, ("Plugin", "How it is"), _rows(settled))


def print_project_untrusted(local: LocalTrust, folder: Path, *, as_json: bool) -> None:
    """Let them not be loaded any more, and say so.

    Raises:
        ControlError: If a bot runs, but does not answer as it should.
        DataFolderBusyError: If a bot is just about to start, or to end.
    """
    real = real_folder(folder)
    changed = untrust_project(local.socket, real)
    if changed is None:
        changed = local.run(lambda desk: desk.untrust_project(real))
    if as_json:
        print_json({"folder": str(real), "changed": changed})
        return
    shown = harmless(str(real))
    typer.echo(f"{shown} is trusted no more." if changed else f"{shown} was not trusted.")


def print_projects(local: LocalTrust, *, as_json: bool) -> None:
    """Print the projects whose plugins may be loaded.

    Raises:
        ControlError: If a bot runs, but does not answer as it should.
        DatabaseError: If none runs, and the database cannot be read.
    """
    projects = read_projects(local.socket)
    if projects is None:
        nothing: dict[Path, float] = {}
        projects = local.read(_kept_projects, nothing)
    if as_json:
        plain = [{"folder": str(folder), "trusted_at": at} for folder, at in projects.items()]
        print_json({"projects": plain})
    elif projects:
        rows = [(str(folder), _moment(at)) for folder, at in projects.items()]
        print_table(None, ("Folder", "Trusted since"), rows)
    else:
        typer.echo("No project is trusted.")


def real_folder(folder: Path) -> Path:
    """Return a folder as it is known everywhere: absolute, with links resolved."""
    return Path(os.path.realpath(folder.expanduser()))


async def _kept_projects(database: Database) -> dict[Path, float]:
    return await TrustStore(database).projects()


def _rows(settled: Sequence[Settled]) -> list[tuple[str, str]]:
    return [(one.standing.id, one.down or "it runs") for one in settled]


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().isoformat(" ", "seconds")
