"""What `papercup plugin install` and `update` do and print."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from bot.cli.output import harmless, print_error, print_json
from bot.cli.package_ground import PackageExit, PackageGround, exit_code_of, showing_progress
from bot.cli.plugin_trusting import TrustOutcome, TrustWish, ask_and_trust, print_settled
from bot.control.plugin_client import reload_plugin
from bot.errors import ControlRefusedError
from bot.plugin_services.trust_desk import Settled
from extensions.plugins.packages.errors import PackageError, SourceError
from extensions.plugins.packages.installing import (
    Installed,
    install,
    link,
    update,
)
from extensions.plugins.packages.packages_store import read_packages
from extensions.plugins.packages.preparing import InstallTerms
from extensions.plugins.packages.sdk import SDK_PACKAGE
from extensions.plugins.packages.sources import SCHEMES, FolderSource, Source, read_source


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageWish:
    """How the operator wants a plugin installed, or updated."""

    is_link: bool = False
    """Whether it stays where it is."""
    in_project: bool = False
    """Whether it is for the project that is worked in, not for this user."""
    trusts: bool = False
    """Whether it is trusted, too."""
    is_sure: bool = False
    """Whether nothing is asked."""
    is_trial: bool = False
    """Whether nothing is changed."""
    as_json: bool = False

    @property
    def cannot_ask(self) -> bool:
        """Whether something would have to be asked, and nobody can be."""
        is_asked = self.trusts and not self.is_sure and not self.is_trial
        return is_asked and (self.as_json or not sys.stdin.isatty())


def print_installed(ground: PackageGround, text: str, wish: PackageWish) -> PackageExit:
    """Install a plugin, have it trusted if that is wanted, and print how it is.

    Raises:
        PackageError: If it cannot be installed.
        ControlError, PluginError: If it is installed, but cannot be trusted.
    """
    if wish.cannot_ask:
        return _unconfirmed()
    if wish.is_link and wish.in_project:
        raise SourceError("a link leads to a folder of this machine, and is for this user alone")
    source = source_of(text, ground.where.working_folder)
    with showing_progress(is_quiet=wish.as_json) as tell:
        terms = ground.terms(tell, in_project=wish.in_project, is_trial=wish.is_trial)
        done = link(_linked(source), terms) if wish.is_link else install(source, terms)
    verb = "link" if wish.is_link else "install"
    report = _Report(done, action=f"{verb}ed")
    if not wish.as_json:
        _print_done(done, f"{verb}ed" if not wish.is_trial else f"would {verb}")
    code = _end(ground, report, wish)
    if wish.as_json:
        print_json(report.plain(wish))
    return code


def print_updated(ground: PackageGround, name: str | None, wish: PackageWish) -> PackageExit:
    """Update a plugin, or all that were installed, and print how each is.

    Raises:
        PackageError: If the one that was named cannot be updated.
        ControlError, PluginError: If one is updated, but a running bot cannot be told.
    """
    if wish.cannot_ask:
        return _unconfirmed()
    with showing_progress(is_quiet=wish.as_json) as tell:
        terms = ground.terms(tell, in_project=wish.in_project, is_trial=wish.is_trial)
        if name is not None:
            ground.installed(name, terms.root)
            names = [name]
        else:
            kept = read_packages(terms.root).by_id.values()
            names = sorted(each.id for each in kept if each.linked_folder is None)
        done = [_updated(each, terms, wish, is_alone=name is not None) for each in names]
    if not names and not wish.as_json:
        typer.echo("Nothing was installed that could be updated.")
    reports = [_Report(each, action="updated") for each in done if isinstance(each, Installed)]
    codes = [exit_code_of(each) for each in done if isinstance(each, PackageError)]
    codes += [_after_update(ground, each, wish) for each in reports]
    if wish.as_json:
        errors = {
            name: str(each)
            for name, each in zip(names, done, strict=True)
            if isinstance(each, PackageError)
        }
        plain = [each.plain(wish) for each in reports]
        print_json({"plugins": plain, "failed": len(errors), "errors": errors})
    return max(codes, default=PackageExit.OK)


def source_of(text: str, working_folder: Path) -> Source:
    """Return what the operator means: a folder that is there, or a source with its scheme.

    Raises:
        SourceError: If it is neither.
    """
    folder = working_folder / text
    is_source = text.partition(":")[0] in SCHEMES and ":" in text
    # Not Path.is_dir(): it raises where a name is too long.
    if text and not is_source and os.path.isdir(folder):  # noqa: PTH112 - as above
        return read_source(f"path:{folder.resolve()}")
    return read_source(text)


def _linked(source: Source) -> Path:
    if not isinstance(source, FolderSource):
        raise SourceError("only a folder can be linked")
    return source.path


def plain_installed(done: Installed, *, action: str, is_trial: bool) -> dict[str, Any]:
    """Return what was done as plain text, lists and objects."""
    package = done.package
    return {
        "action": action,
        "dry_run": is_trial,
        "id": package.id,
        "version": package.version,
        "before": None if done.before is None else done.before.version,
        "source": package.source,
        "resolved": package.resolved,
        "integrity": package.integrity,
        "hash": package.hash,
        "path": str(done.path),
        "warnings": list(done.warnings),
        "depends_on": list(done.depends_on),
        "sdk": package.sdk,
    }


def _updated(
    name: str, terms: InstallTerms, wish: PackageWish, *, is_alone: bool
) -> Installed | PackageError:
    try:
        return update(name, terms, loses_changes=wish.is_sure)
    except PackageError as error:
        if is_alone:
            raise
        # The others can be updated all the same.
        print_error(f"{name}: {harmless(str(error))}")
        return error


class _Report:
    """What was done with a plugin, and how it is by now."""

    def __init__(self, done: Installed, *, action: str) -> None:
        self.done = done
        self.action = action
        self.settled: Settled | None = None
        self.is_trusted = False

    def settle(self, settled: Settled | None) -> None:
        """Take note of how it is; `None`: nobody says."""
        self.settled = settled
        if settled is not None:
            self.is_trusted = settled.standing.is_trusted

    def plain(self, wish: PackageWish) -> dict[str, Any]:
        down = None if self.settled is None else self.settled.down
        plain = plain_installed(self.done, action=self.action, is_trial=wish.is_trial)
        return {**plain, "trusted": self.is_trusted, "down": down}


def _after_update(ground: PackageGround, report: _Report, wish: PackageWish) -> PackageExit:
    package = report.done.package
    if not report.done.has_changed and not report.done.has_new_packages:
        report.action = "unchanged"
        report.is_trusted = wish.as_json and ground.is_trusted(package.id)
        if not wish.as_json:
            typer.echo(f"up to date: {package.id} {package.version}")
        return PackageExit.OK
    if not report.done.has_changed:
        report.action = "repaired"
    if not wish.as_json:
        _print_done(report.done, "would update" if wish.is_trial else report.action)
    return _end(ground, report, wish)


def _end(ground: PackageGround, report: _Report, wish: PackageWish) -> PackageExit:
    """Have a plugin trusted, or a running bot know of it, and say how it is."""
    if wish.is_trial:
        return PackageExit.OK
    plugin_id = report.done.package.id
    report.is_trusted = ground.is_trusted(plugin_id)
    if report.is_trusted or report.done.before is not None:
        # What runs of it is what it was before.
        report.settle(reloaded(ground, plugin_id))
    outcome: TrustOutcome | None = None
    if wish.trusts:
        trust = TrustWish(name=plugin_id, is_sure=wish.is_sure)
        outcome = ask_and_trust(ground.ground.local, trust, as_json=wish.as_json)
    if outcome is not None:
        report.settle(outcome.settled)
    if not wish.as_json:
        _print_standing(report, is_new_trust=outcome is not None)
    is_down = outcome is not None and outcome.has_bot and outcome.settled.down is not None
    return PackageExit.NOT_STARTED if is_down else PackageExit.OK


def _print_standing(report: _Report, *, is_new_trust: bool) -> None:
    plugin_id = report.done.package.id
    if not report.is_trusted:
        typer.echo(f"It runs once it is trusted: papercup plugin trust {plugin_id}")
    elif report.settled is None:
        typer.echo(f"{plugin_id} is trusted as it is.")
    else:
        done = "is trusted" if is_new_trust else "was started anew"
        print_settled(report.settled, done, as_json=False)


def reloaded(ground: PackageGround, plugin_id: str) -> Settled | None:
    """Have a running bot look at a plugin anew; `None` if none runs, or it finds it no more."""
    try:
        return reload_plugin(ground.ground.local.socket, plugin_id)
    except ControlRefusedError:
        # It is disabled there, or gone: then it was stopped.
        return None


def _print_done(done: Installed, what: str) -> None:
    package = done.package
    before = done.before
    versions = package.version
    if before is not None and before.version != package.version:
        versions = f"{before.version} → {package.version}"
    typer.echo(f"{what}: {package.id} {harmless(versions)} → {harmless(str(done.path))}")
    if package.resolved != package.source:
        typer.echo(f"from: {harmless(package.resolved)}")
    along = (*done.depends_on, *([] if package.sdk is None else [f"{SDK_PACKAGE} {package.sdk}"]))
    if along:
        typer.echo(f"with: {harmless(', '.join(along))}")
    for warning in done.warnings:
        print_error(harmless(warning))


def _unconfirmed() -> PackageExit:
    print_error("nobody can be asked here: to trust it all the same, say --yes")
    return PackageExit.UNCONFIRMED
