"""What is known of the plugins that are found: what they say of themselves, and how they stand."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.cli.plugin_ground import LocalTrust, local_trust
from bot.cli.plugin_settings import plugin_finder
from bot.config import Config
from bot.config_reading import ConfigReading, Surroundings
from bot.control.plugin_client import read_plugins
from bot.plugin_services.finding import PluginFinder
from extensions.database import Database
from extensions.errors import DatabaseError
from extensions.hooks import HookPoint
from extensions.plugins.admission import Looked, gone_packages, look_at
from extensions.plugins.choosing import Place, chosen, place_of, rivals_in
from extensions.plugins.discovery import discover
from extensions.plugins.gating import Missing, missing
from extensions.plugins.guarding import closed_words, guarded_by
from extensions.plugins.manifest import Candidate, Diagnostic, DiscoveryReport, Level, Manifest
from extensions.plugins.packages.folder_writers import open_folder_warning
from extensions.plugins.packages.sdk import sdk_warning
from extensions.plugins.search import SearchRoot
from extensions.plugins.tree_hash import BadTree, TreeHash
from extensions.plugins.trust import TrustFacts, Untrusted, Verdict, verdict_on
from extensions.plugins.trust_store import TrustStore


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPlugin:
    """A plugin that was found."""

    candidate: Candidate
    missing: Missing
    """What it requires and is not there."""
    looked: Looked
    """What stands in its folder, and beside it."""
    verdict: Verdict
    """Whether it is trusted."""
    running: Mapping[str, Any] | None
    """What a running bot says of it; `None`: none runs, or has loaded it."""
    left_out: str | None = None
    """Why it is not to be loaded, whether it is trusted or not; `None`: it is."""

    @property
    def manifest(self) -> Manifest:
        """What it says of itself."""
        return self.candidate.manifest

    @property
    def tree(self) -> TreeHash | BadTree:
        """What its whole folder hashes to."""
        return self.looked.tree

    @property
    def obstacle(self) -> str | None:
        """Why it cannot be started, the end of a sentence; `None`: it can."""
        if self.left_out is not None:
            return self.left_out
        if self.missing:
            return f"it lacks {self.missing}"
        if isinstance(self.verdict, Untrusted):
            return self.verdict.reason
        return gone_packages(self.candidate) if self.looked.are_packages_gone else None

    @property
    def state(self) -> str:
        """How it stands, in a few words."""
        if self.running is not None:
            reason = self.running.get("reason")
            state = f"{self.running.get('state')}" + (f": {reason}" if reason else "")
            state = _with_closed(state, self.running.get("closes") or ())
            if self.obstacle is None or self.obstacle == reason:
                return state
            return f"{state}, but cannot be started again: {self.obstacle}"
        if self.obstacle is None:
            return "trusted"
        return _with_closed(f"not loaded: {self.obstacle}", self._closes)

    @property
    def _closes(self) -> tuple[HookPoint, ...]:
        """What is forbidden once a bot runs, as it cannot be started."""
        if self.left_out is not None:
            return ()
        if isinstance(self.verdict, Untrusted):
            return guarded_by(self.manifest) if self.verdict.has_lapsed else ()
        says_its_hooks = self.manifest.capabilities.hooks is not None
        return guarded_by(self.manifest) if says_its_hooks else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """All that is found."""

    roots: Sequence[SearchRoot]
    """Where it was looked for."""
    report: DiscoveryReport
    plugins: tuple[FoundPlugin, ...]
    """Those that are left out come last."""
    is_enabled: bool
    """Whether the configuration has any loaded."""
    is_running: bool
    """Whether a bot runs."""
    not_found: tuple[str, ...] = ()
    """The ids of those that a bot has loaded, and that are not found any more."""
    note: str | None = None
    """Why it is not known what is trusted; `None`: it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What commands about plugins stand on."""

    config: Config
    local: LocalTrust
    finder: PluginFinder


def ground_of(reading: ConfigReading, where: Surroundings) -> Ground:
    """Return it for a configuration.

    Raises:
        SecretsFileError: If the file of the secrets may be read by others.
    """
    finder = plugin_finder(reading.config, where)
    return Ground(config=reading.config, local=local_trust(reading, where), finder=finder)


def look_over(ground: Ground) -> Overview:
    """Look for plugins, and at how they stand; nothing is started, nothing changed.

    Raises:
        ControlError: If a bot runs, but does not answer as it should.
    """
    local, settings = ground.local, ground.finder.settings()
    report = discover(settings)
    running = read_plugins(local.socket)
    facts, note = _facts(local, (*report.candidates, *report.shadowed, *report.left_out))
    report = chosen(
        report,
        {
            place_of(each): _verdict(each, look_at(each), facts[place_of(each)])
            for each in rivals_in(report)
        },
    )
    report = replace(report, diagnostics=(*report.diagnostics, *_warnings(settings.roots, report)))
    by_id = {str(each.get("id")): each for each in running or ()}
    counting = {each.id for each in report.candidates}
    left_out = {
        each.id: switched_off(ground, each) or f"it is disabled: `papercup plugin enable {each.id}`"
        for each in report.left_out
        if each.id not in counting
    }
    every = (*report.candidates, *(each for each in report.left_out if each.id in left_out))
    return Overview(
        roots=settings.roots,
        report=report,
        plugins=tuple(
            replace(
                _found(local, each, facts[place_of(each)], by_id.get(each.id)),
                left_out=left_out.get(each.id),
            )
            for each in every
        ),
        is_enabled=local.ground.config.enabled,
        is_running=running is not None,
        not_found=tuple(sorted(by_id.keys() - {each.id for each in every})),
        note=note,
    )


def switched_off(ground: Ground, candidate: Candidate) -> str | None:
    """Return what says that a plugin is not to be loaded; `None`: no file that people write."""
    plugins = ground.config.plugins
    if candidate.id in plugins.disabled:
        return "the configuration disables it: take it out of plugins.disabled"
    if plugins.allowlist and candidate.id not in plugins.allowlist:
        return "plugins.allowlist does not name it"
    return "its own manifest disables it" if candidate.manifest.disabled else None


def _warnings(roots: Sequence[SearchRoot], report: DiscoveryReport) -> Iterator[Diagnostic]:
    """Yield what is amiss besides: who else may change plugins, and which lack the SDK."""
    folders = (*(each.path for each in roots), *(each.folder for each in report.candidates))
    for folder in dict.fromkeys(folders):
        if (message := open_folder_warning(folder)) is not None:
            yield Diagnostic(path=str(folder), message=message, level=Level.WARN)
    for each in report.candidates:
        if (message := sdk_warning(each.folder, each.manifest)) is not None:
            yield Diagnostic(path=str(each.manifest_path), message=message, level=Level.WARN)


def _found(
    local: LocalTrust, candidate: Candidate, facts: TrustFacts, running: dict[str, Any] | None
) -> FoundPlugin:
    looked = look_at(candidate)
    return FoundPlugin(
        candidate=candidate,
        missing=missing(candidate.manifest.requires, local.ground.environment),
        looked=looked,
        verdict=_verdict(candidate, looked, facts),
        running=running,
    )


def _verdict(candidate: Candidate, looked: Looked, facts: TrustFacts) -> Verdict:
    return verdict_on(candidate, looked.tree, replace(facts, packages=looked.packages))


def _facts(
    local: LocalTrust, candidates: Sequence[Candidate]
) -> tuple[dict[Place, TrustFacts], str | None]:
    """Return what the operator said of plugins, and why that is not known if it is not."""
    hashes = local.ground.config.trusted
    unknown = {
        place_of(each): TrustFacts(configured_hash=hashes.get(each.id)) for each in candidates
    }

    async def kept(database: Database) -> dict[Place, TrustFacts]:
        store = TrustStore(database)
        return {
            place_of(each): await store.facts(each, configured_hash=hashes.get(each.id))
            for each in candidates
        }

    try:
        return local.read(kept, unknown), None
    except DatabaseError as error:
        return unknown, str(error)


def _with_closed(state: str, points: Collection[str]) -> str:
    closed = closed_words(points)
    return f"{state}; {closed}" if closed else state
