"""What `papercup plugin remove`, `enable` and `disable` do and print."""

import asyncio
import sys
import time
from dataclasses import dataclass

import typer

from bot.cli.output import harmless, print_error, print_json
from bot.cli.package_ground import PackageExit, PackageGround, showing_progress
from bot.cli.plugin_ground import LocalTrust
from bot.cli.plugin_overview import switched_off
from bot.cli.plugin_packages import plain_installed, reloaded
from bot.control.plugin_client import forget_plugin, untrust_plugin
from bot.data_folder import held_data_folder
from bot.database import open_bot_database
from bot.plugin_services.leftovers import Leftovers
from extensions.plugins.naming import is_valid_id
from extensions.plugins.packages.enabling import set_enabled
from extensions.plugins.packages.errors import BadIdError, UnknownPackageError
from extensions.plugins.packages.installing import remove


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveWish:
    """How the operator wants a plugin removed."""

    name: str
    in_project: bool = False
    is_sure: bool = False
    is_trial: bool = False
    purges: bool = False
    """Whether what it has kept is thrown away, too."""
    as_json: bool = False


def print_removed(ground: PackageGround, wish: RemoveWish) -> PackageExit:
    """Take a plugin out, have it stopped and trusted no more, and say so.

    Raises:
        PackageError: If it was not installed, or cannot be taken out.
        ControlError, DataFolderBusyError, DatabaseError: If it is out, but still trusted.
    """
    with showing_progress(is_quiet=True) as tell:
        terms = ground.terms(tell, in_project=wish.in_project, is_trial=wish.is_trial)
        ground.installed(wish.name, terms.root)
        if not _is_agreed(wish):
            return PackageExit.UNCONFIRMED
        done = remove(wish.name, terms)
    local = ground.ground.local
    forgotten = False
    if not wish.is_trial:
        _untrust(local, wish.name)
        forgotten = wish.purges and _forget(local, wish.name)
    if wish.as_json:
        plain = plain_installed(done, action="removed", is_trial=wish.is_trial)
        print_json({**plain, "purged": forgotten})
        return PackageExit.OK
    verb = "unlink" if done.package.linked_folder else "remove"
    what = f"would {verb}" if wish.is_trial else f"{verb.removesuffix('e')}ed"
    typer.echo(f"{what}: {wish.name} ({harmless(str(done.path))})")
    if wish.purges and not wish.is_trial:
        typer.echo("What it had kept is gone." if forgotten else "It had kept nothing.")
    return PackageExit.OK


def print_enabled(
    ground: PackageGround, name: str, *, is_enabled: bool, as_json: bool
) -> PackageExit:
    """Have a plugin loaded, or not, wherever it is found, and say so.

    Raises:
        PackageError: If there is none, or that cannot be written down.
        ControlError: If a bot runs, but does not answer as it should.
    """
    if not is_valid_id(name):
        raise BadIdError(f"{name!a} is no plugin's id")
    found = ground.found(name)
    if found is None:
        raise UnknownPackageError(f"no plugin is called {name}")
    changed = set_enabled(name, ground.user_root, is_enabled=is_enabled)
    settled = reloaded(ground, name)
    why = None
    if is_enabled:
        why = switched_off(ground.ground, found)
    elif settled is not None and settled.down is None:
        why = "the running Papercup looks for plugins elsewhere, and goes on with it"
    if as_json:
        down = None if settled is None else settled.down
        plain = {"id": name, "enabled": is_enabled, "changed": changed}
        print_json({**plain, "down": down, "obstacle": why})
    else:
        state = "enabled" if is_enabled else "disabled"
        typer.echo(f"{state if changed else f'already {state}'}: {name}")
        if is_enabled and settled is not None and settled.down is not None and why is None:
            typer.echo(f"{name} does not run: {harmless(settled.down)}.")
    if why is None:
        return PackageExit.OK
    print_error(f"{name}: {why}")
    return PackageExit.STATE


def _is_agreed(wish: RemoveWish) -> bool:
    if wish.is_sure or wish.is_trial:
        return True
    if wish.as_json or not sys.stdin.isatty():
        print_error(f"nobody can be asked here: to remove {wish.name} all the same, say --yes")
        return False
    return typer.confirm(f"Remove {wish.name}?", default=False)


def _untrust(local: LocalTrust, name: str) -> None:
    done = untrust_plugin(local.socket, name)
    if done is None and local.folder.database.exists():
        local.run(lambda desk: desk.untrust(name))


def _forget(local: LocalTrust, name: str) -> bool:
    done = forget_plugin(local.socket, name)
    if done is not None:
        return done
    with held_data_folder(local.folder.root):
        return asyncio.run(_forgotten(local, name))


async def _forgotten(local: LocalTrust, name: str) -> bool:
    async with open_bot_database(local.folder, clock=time.time) as database:
        return await Leftovers(database, local.folder.plugins).forget(name)
