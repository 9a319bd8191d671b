"""What the commands that install plugins stand on, and the codes with which they end."""

import importlib.metadata
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import IntEnum
from pathlib import Path

import typer
from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn
from rich.progress import Progress as Bar

from bot.cli.interruption import ended_like_ctrl_c
from bot.cli.output import harmless, print_error
from bot.cli.plugin_overview import Ground, ground_of
from bot.config_reading import ConfigReading, Surroundings
from bot.plugin_services.finding import OWN_FOLDER, installed_packages
from extensions.database import Database
from extensions.errors import DatabaseError
from extensions.plugins.admission import look_at
from extensions.plugins.discovery import discover
from extensions.plugins.manifest import Candidate
from extensions.plugins.packages.errors import (
    BadIdError,
    BadPackageError,
    IdTakenError,
    LocalChangesError,
    PackageError,
    PackagesFileError,
    PlacingError,
    SourceError,
    TargetExistsError,
    UnknownPackageError,
)
from extensions.plugins.packages.fetching import Endpoints, FetchTerms
from extensions.plugins.packages.installing import package_of
from extensions.plugins.packages.packages_file import Package
from extensions.plugins.packages.preparing import InstallTerms
from extensions.plugins.packages.progress import Progress, Tell
from extensions.plugins.packages.sdk import Sdk
from extensions.plugins.packages.sdk_requirements import SDK_REQUIREMENT
from extensions.plugins.selection import SelectionOptions
from extensions.plugins.trust import Trusted, TrustFacts, verdict_on
from extensions.plugins.trust_store import TrustStore


class PackageExit(IntEnum):
    """How a command ended; the numbers are those of other hosts of plugins."""

    OK = 0
    NOT_FOUND = 1
    """There is no such plugin, it cannot be had, or something else went wrong."""
    INVALID = 2
    """What was named is no source, or what came from there cannot be taken."""
    STATE = 3
    """What is kept of installed plugins cannot be written, or the configuration says otherwise."""
    BAD_ID = 4
    EXISTS = 5
    """Something stands already where it would go."""
    TAKEN = 6
    """Another plugin has that id."""
    UNCONFIRMED = 7
    """It has to be confirmed: by --yes, where nobody can be asked."""
    NOT_PLACED = 8
    """It cannot be put where it should go."""
    NOT_STARTED = 9
    """It stands there and is trusted, but the running bot could not start it."""


_CODES: dict[type[PackageError], PackageExit] = {
    SourceError: PackageExit.INVALID,
    BadPackageError: PackageExit.INVALID,
    PackagesFileError: PackageExit.STATE,
    BadIdError: PackageExit.BAD_ID,
    TargetExistsError: PackageExit.EXISTS,
    IdTakenError: PackageExit.TAKEN,
    LocalChangesError: PackageExit.UNCONFIRMED,
    PlacingError: PackageExit.NOT_PLACED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageGround:
    """What those commands stand on."""

    ground: Ground
    where: Surroundings

    @property
    def user_root(self) -> Path:
        """Where this user's plugins go."""
        return self.where.home / OWN_FOLDER

    @property
    def project_root(self) -> Path:
        """Where those of the project go that is worked in."""
        return self.where.working_folder / OWN_FOLDER

    @property
    def endpoints(self) -> Endpoints:
        """Where the registries are."""
        configured = self.ground.config.endpoints
        return Endpoints(npm=configured.npm, pypi=configured.pypi)

    def found(self, plugin_id: str) -> Candidate | None:
        """Return the plugin of an id that is found, also if it is disabled."""
        settings = replace(self.ground.finder.settings(), selection=SelectionOptions())
        every = discover(settings).candidates
        return next((each for each in every if each.id == plugin_id), None)

    def installed(self, plugin_id: str, root: Path) -> Package:
        """Return what is kept of a plugin that was installed in `root`.

        Raises:
            PackageError: If there is none, or nobody knows; it says where one of that id is.
        """
        try:
            return package_of(plugin_id, root)
        except UnknownPackageError as error:
            found = self.found(plugin_id)
            if found is None:
                raise
            raise UnknownPackageError(f"{error}; {self._way_to(found)}") from error

    def _way_to(self, found: Candidate) -> str:
        """Return how a plugin is updated or removed that stands elsewhere than was thought."""
        shown = f"there is one in {found.folder}"
        for root, how in ((self.user_root, "without"), (self.project_root, "with")):
            kept = installed_packages(root).by_id.get(found.id)
            if kept and (kept.linked_folder or root / kept.id).resolve() == found.folder:
                return f"{shown}: say it {how} --project"
        return f"{shown}, which was put there by hand, and has to be taken away by hand"

    def is_trusted(self, plugin_id: str) -> bool:
        """Say whether a plugin may run as it is now, as far as that is known."""
        local, candidate = self.ground.local, self.found(plugin_id)
        if candidate is None:
            return False
        configured = local.ground.config.trusted.get(plugin_id)

        async def kept(database: Database) -> TrustFacts:
            return await TrustStore(database).facts(candidate, configured_hash=configured)

        try:
            facts = local.read(kept, TrustFacts(configured_hash=configured))
        except DatabaseError:
            # Whoever trusts or lists plugins is told so.
            return False
        looked = look_at(candidate)
        verdict = verdict_on(candidate, looked.tree, replace(facts, packages=looked.packages))
        return isinstance(verdict, Trusted)

    def terms(self, tell: Tell, *, in_project: bool, is_trial: bool) -> InstallTerms:
        """Return what is needed to install plugins.

        Raises:
            PlacingError: If those of the project would go elsewhere, as it holds a link.
        """
        project = self.where.working_folder.resolve()
        if in_project and not self.project_root.resolve().is_relative_to(project):
            raise PlacingError(f"{self.project_root} leads out of the project")

        def elsewhere(plugin_id: str) -> Path | None:
            found = self.found(plugin_id)
            return None if found is None else found.folder

        return InstallTerms(
            root=self.project_root if in_project else self.user_root,
            host=self.ground.finder.settings().host,
            elsewhere=elsewhere,
            fetching=FetchTerms(
                endpoints=self.endpoints, environment=self.where.environment, tell=tell
            ),
            sdk=Sdk(version=importlib.metadata.version(SDK_REQUIREMENT), put_into=_put_sdk),
            clock=lambda: datetime.now(UTC),
            in_project=in_project,
            is_trial=is_trial,
        )


def package_ground(reading: ConfigReading, where: Surroundings) -> PackageGround:
    """Return it for a configuration.

    Raises:
        SecretsFileError: If the file of the secrets may be read by others.
    """
    return PackageGround(ground=ground_of(reading, where), where=where)


def _put_sdk(folder: Path) -> None:
    # Only here: the conformance kit comes along, and few plugins need a copy.
    from papercup_plugin.templates.copies import copy_into  # noqa: PLC0415

    copy_into(folder)


@contextmanager
def telling_package_errors() -> Generator[None]:
    """Turn what keeps a plugin from being installed into its sentence on stderr and a code."""
    try:
        yield
    except PackageError as error:
        print_error(harmless(str(error)))
        raise typer.Exit(exit_code_of(error)) from error


def exit_code_of(error: PackageError) -> PackageExit:
    """Return the code with which a command ends because of `error`."""
    return _CODES.get(type(error), PackageExit.NOT_FOUND)


@contextmanager
def showing_progress(*, is_quiet: bool) -> Generator[Tell]:
    """Yield what shows on stderr how far something is; SIGTERM ends it as Ctrl-C does."""
    bar = Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=is_quiet or not sys.stderr.isatty(),
    )
    with ended_like_ctrl_c(), bar:
        task = bar.add_task("", total=None)

        def show(progress: Progress) -> None:
            said = f"{progress.stage} {progress.what}".rstrip()
            bar.update(task, description=said, completed=progress.done, total=progress.total)

        yield show
