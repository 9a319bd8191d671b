"""Lets plugins in: looks at each right before it is started, and says what it is started with."""

import asyncio
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from extensions.plugins.choosing import Place, chosen, place_of, rivals_in
from extensions.plugins.environment import (
    EnvironmentTerms,
    Home,
    plugin_environment,
    server_environment,
    server_values,
)
from extensions.plugins.gating import missing
from extensions.plugins.manifest import Candidate, DiscoveryReport, Manifest
from extensions.plugins.packages.environments import (
    REQUIREMENTS_NAME,
    FoundEnvironment,
    look_at_environment,
    python_place_of,
)
from extensions.plugins.packages.origin import Origin, origin_of
from extensions.plugins.program import bad_program
from extensions.plugins.services import AuditKind, AuditLog
from extensions.plugins.tree_hash import BadTree, TreeHash, hash_tree
from extensions.plugins.trust import Grant, Trusted, Untrusted, Verdict, update_order, verdict_on
from extensions.plugins.trust_store import TrustStore

ReadAgain = Callable[[Candidate], Manifest | None]
"""Reads a plugin's manifest once more; `None` if it cannot be read. It may block."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissionTerms:
    """On what terms plugins are let in."""

    environment: Mapping[str, str]
    """The bot's own."""
    own_names: frozenset[str]
    """The names of the bot's own secrets."""
    own_values: frozenset[str]
    """The bot's own secrets."""
    passes_all: bool = False
    """Whether plugins get all variables whose names do not look like those of secrets."""
    trusted_hashes: Mapping[str, str] = field(default_factory=dict[str, str])
    """What the configuration trusts, by the plugins' ids."""
    data_folder: Path
    """Where each plugin has a folder of its own, by its id."""
    version: str
    """Of Papercup."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What stands in a plugin's folder, and beside it, now."""

    tree: TreeHash | BadTree
    """Of its whole folder."""
    packages: FoundEnvironment | None
    """The Python packages that were installed for it; `None`: there are none."""
    are_packages_gone: bool
    """Whether it needs some, and they are not there."""
    origin: Origin | None
    """Where it was installed from; `None`: it was not, or nobody knows."""


def look_at(candidate: Candidate) -> Looked:
    """Look at a plugin's folder, and beside it; it blocks, and may take seconds."""
    tree = hash_tree(candidate.folder)
    try:
        place = python_place_of(candidate.folder)
    except OSError:
        # Then the folder cannot be vouched for, either.
        place = None
    packages = None if place is None else look_at_environment(place, candidate.project)
    return Looked(
        tree=tree,
        packages=packages,
        are_packages_gone=place is not None and packages is None,
        origin=origin_of(candidate, tree),
    )


def gone_packages(candidate: Candidate) -> str:
    """Return that the Python packages are gone that a plugin needs, and the mend."""
    return f"its Python packages are gone: `{update_order(candidate)}`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """A plugin that was looked at."""

    candidate: Candidate
    looked: Looked
    verdict: Verdict

    @property
    def found(self) -> TreeHash | BadTree:
        """What its whole folder holds."""
        return self.looked.tree

    @property
    def is_trusted(self) -> bool:
        """Whether it may run."""
        return isinstance(self.verdict, Trusted)

    @property
    def has_lapsed(self) -> bool:
        """Whether it was trusted until it changed."""
        return isinstance(self.verdict, Untrusted) and self.verdict.has_lapsed


class Admission:
    """Says which plugins may run, and with what."""

    def __init__(
        self, store: TrustStore, audit: AuditLog, terms: AdmissionTerms, read_again: ReadAgain
    ) -> None:
        self._store = store
        self._audit = audit
        self._terms = terms
        self._read_again = read_again
        self._grants: dict[Place, Grant] = {}
        self._missed: set[Place] = set()
        """Those that may not run, though the operator trusts them, or did before they changed."""
        self._bins: dict[Place, Path] = {}
        """Where the programs are that were installed for a plugin."""

    async def choose(self, report: DiscoveryReport) -> DiscoveryReport:
        """Return what counts of what was found, now that it is looked at what is trusted of it."""
        examined = [await self.examine(each) for each in rivals_in(report)]
        return chosen(report, {place_of(each.candidate): each.verdict for each in examined})

    async def examine(self, candidate: Candidate) -> Examined:
        """Look at all that a plugin's folder holds now, and at what the operator said of it."""
        looked = await asyncio.to_thread(look_at, candidate)
        configured = self._terms.trusted_hashes.get(candidate.id)
        facts = await self._store.facts(candidate, configured_hash=configured)
        verdict = verdict_on(candidate, looked.tree, replace(facts, packages=looked.packages))
        return Examined(candidate=candidate, looked=looked, verdict=verdict)

    async def refusal_of(self, candidate: Candidate) -> str | None:
        """Return why a plugin may not be started now; `None`: it may, with what it was granted.

        To be asked right before each start of its program, as its files may have changed since it
        was found.
        """
        # What was granted before counts until then: other programs of it may just be starting.
        verdict = (await self.examine(candidate)).verdict
        if not isinstance(verdict, Trusted):
            return self._refused(candidate, verdict.reason, is_missed=verdict.has_lapsed)
        reason = await asyncio.to_thread(self._prepare, candidate, verdict.grant)
        if reason is not None:
            # One that never ran, and does not say which hooks it has, is taken to have none.
            says_its_hooks = candidate.manifest.capabilities.hooks is not None
            return self._refused(candidate, reason, is_missed=says_its_hooks)
        self._grants[place_of(candidate)] = verdict.grant
        self._missed.discard(place_of(candidate))
        return None

    def is_missed(self, candidate: Candidate) -> bool:
        """Say whether a plugin is missed that was refused last: what it guards stays guarded.

        That is one that the operator trusts, or did before it changed.
        """
        return place_of(candidate) in self._missed

    def may_execute(self, candidate: Candidate) -> bool:
        """Say whether the operator granted a plugin that programs are run for it."""
        return self._grant(candidate).exec

    def environment_of(self, candidate: Candidate) -> dict[str, str]:
        """Return the whole environment of a plugin, as it was granted when it was let in."""
        return self._environment(candidate, self._grant(candidate))

    def server_environment_of(
        self, candidate: Candidate, values: Mapping[str, str]
    ) -> dict[str, str]:
        """Return the whole environment of one of its MCP servers, whose variables are `values`."""
        terms = self._environment_terms(self._grant(candidate))
        # What Python compiles would change the plugin's own folder.
        cache = {"PYTHONPYCACHEPREFIX": str(self._home(candidate).cache_folder)}
        return cache | server_environment(values, self._parent(candidate), terms)

    def server_headers_of(self, candidate: Candidate, headers: Mapping[str, str]) -> dict[str, str]:
        """Return the headers for one of its MCP servers, with what they refer to put in."""
        terms = self._environment_terms(self._grant(candidate))
        return server_values(headers, self._terms.environment, terms)

    def _prepare(self, candidate: Candidate, grant: Grant) -> str | None:
        """Make a plugin's folders; return what keeps it from being started."""
        # What was hashed may hold another manifest than the one that was found some time ago.
        if self._read_again(candidate) != candidate.manifest:
            return "its manifest has changed since it was found"
        lack = missing(candidate.manifest.requires, self._terms.environment)
        if lack:
            return f"it lacks {lack}"
        if (why := self._find_packages(candidate)) is not None:
            return why
        search_path = self._environment(candidate, grant).get("PATH", "")
        program = bad_program(candidate.manifest, candidate.folder, search_path)
        if program is not None:
            return str(program)
        home = self._home(candidate)
        try:
            for folder in (home.state_folder, home.cache_folder):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            return f"its folder {home.state_folder} cannot be made ({error.strerror or error})"
        return None

    def _find_packages(self, candidate: Candidate) -> str | None:
        """Find the Python packages that were installed for a plugin; return why they are gone."""
        self._bins.pop(place_of(candidate), None)
        try:
            python = python_place_of(candidate.folder)
        except OSError as error:
            return f"its {REQUIREMENTS_NAME} cannot be read ({error.strerror or error})"
        if python is None:
            return None
        self._bins[place_of(candidate)] = python.bin
        if python.is_ready:
            return None
        return gone_packages(candidate)

    def _parent(self, candidate: Candidate) -> Mapping[str, str]:
        """Return the bot's environment; the plugin's own programs come first in its PATH."""
        environment, programs = self._terms.environment, self._bins.get(place_of(candidate))
        if programs is None:
            return environment
        return {**environment, "PATH": f"{programs}{os.pathsep}{environment.get('PATH', '')}"}

    def _refused(self, candidate: Candidate, reason: str, *, is_missed: bool) -> str:
        place = place_of(candidate)
        self._grants.pop(place, None)
        (self._missed.add if is_missed else self._missed.discard)(place)
        self._audit.note(AuditKind.REFUSED, candidate.id, f"not started: {reason}")
        return reason

    def _grant(self, candidate: Candidate) -> Grant:
        return self._grants.get(place_of(candidate), Grant())

    def _environment(self, candidate: Candidate, grant: Grant) -> dict[str, str]:
        return plugin_environment(
            candidate.manifest,
            self._parent(candidate),
            self._environment_terms(grant),
            self._home(candidate),
        )

    def _environment_terms(self, grant: Grant) -> EnvironmentTerms:
        return EnvironmentTerms(
            granted=grant.env,
            passes_all=self._terms.passes_all,
            own_names=self._terms.own_names,
            own_values=self._terms.own_values,
        )

    def _home(self, candidate: Candidate) -> Home:
        folder = self._terms.data_folder / candidate.id
        return Home(
            version=self._terms.version,
            state_folder=folder / "state",
            cache_folder=folder / "pycache",
        )
