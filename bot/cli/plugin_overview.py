"""What is known of the plugins that are found: what they say of themselves, and how they stand."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
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
from extensions.plugins.choosing import Place, chosen, place_of, rivals_in
from extensions.plugins.discovery import discover
from extensions.plugins.gating import Missing, missing
from extensions.plugins.guarding import closed_words, guarded_by
from extensions.plugins.manifest import Candidate, Diagnostic, DiscoveryReport, Manifest
from extensions.plugins.search import SearchRoot
from extensions.plugins.tree_hash import BadTree, TreeHash, hash_tree
from extensions.plugins.trust import TrustFacts, Untrusted, Verdict, verdict_on
from extensions.plugins.trust_store import TrustStore


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPlugin:
    """A plugin that was found."""

    candidate: Candidate
    missing: Missing
    """What it requires and is not there."""
    tree: TreeHash | BadTree
    """Of its whole folder."""
    verdict: Verdict
    """Whether it is trusted."""
    running: Mapping[str, Any] | None
    """What a running bot says of it; `None`: none runs, or has loaded it."""

    @property
    def manifest(self) -> Manifest:
        """What it says of itself."""
        return self.candidate.manifest

    @property
    def obstacle(self) -> str | None:
        """Why it cannot be started, the end of a sentence; `None`: it can."""
        if self.missing:
            return f"it lacks {self.missing}"
        return self.verdict.reason if isinstance(self.verdict, Untrusted) else None

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
    facts, note = _facts(local, (*report.candidates, *report.shadowed))
    report = chosen(
        report,
        {
            place_of(each): verdict_on(each, hash_tree(each.folder), facts[place_of(each)])
            for each in rivals_in(report)
        },
    )
    by_id = {str(each.get("id")): each for each in running or ()}
    return Overview(
        roots=settings.roots,
        report=report,
        plugins=tuple(
            _found(local, candidate, facts[place_of(candidate)], by_id.get(candidate.id))
            for candidate in report.candidates
        ),
        is_enabled=local.ground.config.enabled,
        is_running=running is not None,
        not_found=tuple(sorted(by_id.keys() - {each.id for each in report.candidates})),
        note=note,
    )


def plain_overview(overview: Overview) -> dict[str, Any]:
    """Return it as plain text, numbers, lists and objects."""
    return {
        "enabled": overview.is_enabled,
        "running": overview.is_running,
        "roots": [
            {"path": str(each.path), "scope": each.scope.value, "found": each.path.is_dir()}
            for each in overview.roots
        ],
        "scanned": overview.report.scanned_folders,
        "disabled": overview.report.disabled_count,
        "plugins": [plain_plugin(each) for each in overview.plugins],
        "not_found": list(overview.not_found),
        "diagnostics": [plain_diagnostic(each) for each in overview.report.diagnostics],
        "note": overview.note,
    }


def plain_plugin(found: FoundPlugin) -> dict[str, Any]:
    """Return what is known of one plugin as plain text, numbers, lists and objects."""
    is_untrusted = isinstance(found.verdict, Untrusted)
    return {
        **plain_manifest(found.manifest),
        "scope": found.candidate.scope.value,
        "project": _path(found.candidate.project),
        "folder": str(found.candidate.folder),
        "manifest": str(found.candidate.manifest_path),
        "hash": found.tree.text if isinstance(found.tree, TreeHash) else None,
        "trusted": not is_untrusted,
        "missing": {"bins": list(found.missing.bins), "env": list(found.missing.env)},
        "obstacle": found.obstacle,
        "state": found.state,
        "running": None if found.running is None else dict(found.running),
    }


def plain_manifest(manifest: Manifest) -> dict[str, Any]:
    """Return a manifest as plain text, numbers, lists and objects."""
    declared, run = manifest.capabilities, manifest.run
    return {
        "id": manifest.id,
        "name": manifest.name,
        "version": manifest.version,
        "description": manifest.description,
        "dialect": manifest.dialect.value,
        "tier": manifest.tier.value,
        "priority": manifest.priority,
        "command": None if run is None else [run.command, *run.args],
        "capabilities": {
            "tools": _names(declared.tools),
            "hooks": _names(declared.hooks),
            "providers": _names(declared.providers),
            "events": sorted(declared.events),
            "commands": declared.commands,
            "ui": declared.ui,
            "exec": declared.exec,
            "kv": declared.kv,
            "bus": declared.bus,
            "session": declared.session,
        },
        "requires": {"bins": list(manifest.requires.bins), "env": list(manifest.requires.env)},
        "resources": {
            "skills": list(manifest.resources.skills),
            "prompts": list(manifest.resources.prompts),
            "themes": list(manifest.resources.themes),
        },
        "mcp_servers": sorted(manifest.mcp_servers),
        "unserved": list(manifest.unserved),
    }


def plain_diagnostic(diagnostic: Diagnostic) -> dict[str, str]:
    """Return a diagnostic as plain text."""
    return {
        "level": diagnostic.level.value,
        "path": diagnostic.path,
        "message": diagnostic.message,
    }


def _found(
    local: LocalTrust, candidate: Candidate, facts: TrustFacts, running: dict[str, Any] | None
) -> FoundPlugin:
    tree = hash_tree(candidate.folder)
    return FoundPlugin(
        candidate=candidate,
        missing=missing(candidate.manifest.requires, local.ground.environment),
        tree=tree,
        verdict=verdict_on(candidate, tree, facts),
        running=running,
    )


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


def _names(names: frozenset[str] | None) -> list[str] | bool:
    return True if names is None else sorted(names)


def _path(path: Path | None) -> str | None:
    return None if path is None else str(path)
