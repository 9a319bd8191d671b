"""Whether a plugin may run, and what it was granted: by record, or by the configuration. Pure."""

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias

from extensions.plugins.environment import environment_names
from extensions.plugins.manifest import Candidate, Manifest, Scope
from extensions.plugins.packages.environments import FoundEnvironment
from extensions.plugins.tree_hash import BadTree, TreeHash


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What a plugin was granted beyond being run."""

    env: frozenset[str] = frozenset()
    """The variables of the bot's environment that it gets, by name."""
    exec: bool = False
    """Whether it may have programs run in the jail."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustRecord:
    """What the operator said of a plugin."""

    scope: Scope
    folder: Path
    plugin_id: str
    source: str
    """Where it came from, as `path:/home/me/plugins/dice` or `npm:@me/dice@1.2.3`."""
    hash: str
    """Of its whole folder, as it was then."""
    packages: str | None = None
    """What the Python packages that were installed for it hashed to; `None`: there were none."""
    grant: Grant | None
    """`None`: it was refused, so nobody is asked again until it changes."""
    capabilities: tuple[str, ...] = ()
    """What it declared, in the words in which the operator read it."""
    at: float
    """Unix time, in seconds."""


class Cause(StrEnum):
    """Why a plugin is not trusted."""

    UNKNOWN = "unknown"
    """Nobody has said anything of it."""
    CHANGED = "changed"
    """Something in its folder has changed since."""
    REFUSED = "refused"
    """The operator said no."""
    PROJECT = "project"
    """The project that brings it is not trusted."""
    UNREADABLE = "unreadable"
    """Its folder cannot be vouched for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trusted:
    """It may run."""

    grant: Grant
    by_configuration: bool = False
    """Whether the configuration says so, rather than a record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Untrusted:
    """It may not run."""

    cause: Cause
    reason: str
    """A sentence's end, without a full stop."""
    has_lapsed: bool = False
    """Whether it was trusted until it changed: what it guards stays guarded."""


Verdict: TypeAlias = Trusted | Untrusted


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustFacts:
    """What is known of a plugin besides what stands in its folder."""

    record: TrustRecord | None = None
    """Of its scope and its folder."""
    configured_hash: str | None = None
    """That of `[plugins.trusted]`."""
    trusted_projects: frozenset[Path] = field(default_factory=frozenset[Path])
    packages: FoundEnvironment | None = None
    """The Python packages that were installed for it; `None`: there are none."""


def wanted_grant(manifest: Manifest) -> Grant:
    """Return all that a plugin asks for."""
    return Grant(env=frozenset(environment_names(manifest)), exec=manifest.capabilities.exec)


def update_order(candidate: Candidate) -> str:
    """Return the command that brings anew what a plugin depends on."""
    whose = " --project" if candidate.scope is Scope.PROJECT else ""
    return f"papercup plugin update {candidate.id}{whose}"


def verdict_on(candidate: Candidate, found: TreeHash | BadTree, facts: TrustFacts) -> Verdict:
    """Return whether a plugin may run.

    Args:
        candidate: The plugin.
        found: What its folder holds now.
        facts: What is known of it.
    """
    if candidate.scope is Scope.PROJECT and candidate.project not in facts.trusted_projects:
        where = candidate.project or candidate.folder
        reason = f"the project {where} is not trusted: `papercup project trust {where}`"
        return Untrusted(cause=Cause.PROJECT, reason=reason)
    if isinstance(found, BadTree):
        has_lapsed = _was_trusted(candidate, facts)
        return Untrusted(cause=Cause.UNREADABLE, reason=str(found), has_lapsed=has_lapsed)
    if (fault := _fault_of_packages(candidate, facts)) is not None:
        return fault
    by_record = _by_record(candidate, found, facts)
    if isinstance(by_record, Trusted) or facts.configured_hash != found.text:
        # A record comes first: it may grant less than all that the plugin asks for.
        return by_record
    return _by_configuration(candidate, facts, by_record)


def _by_configuration(candidate: Candidate, facts: TrustFacts, by_record: Untrusted) -> Verdict:
    if candidate.scope is not Scope.PROJECT or facts.packages is None:
        return Trusted(grant=wanted_grant(candidate.manifest), by_configuration=True)
    if facts.record is not None:
        return by_record
    # Whoever wrote the project may have brought them along.
    order = f"`papercup plugin trust {candidate.id}`"
    reason = f"its Python packages stand in the project, and the hash is not theirs: {order}"
    return Untrusted(cause=Cause.UNKNOWN, reason=reason, has_lapsed=True)


def _by_record(candidate: Candidate, found: TreeHash, facts: TrustFacts) -> Verdict:
    record, order = facts.record, f"`papercup plugin trust {candidate.id}`"
    has_lapsed = _was_trusted(candidate, facts)
    if record is None:
        if facts.configured_hash is not None:
            reason = f"it is {found.text}, which is not what the configuration trusts"
            return Untrusted(cause=Cause.CHANGED, reason=reason, has_lapsed=has_lapsed)
        return Untrusted(cause=Cause.UNKNOWN, reason=f"nobody has trusted it yet: {order}")
    if record.hash != found.text or record.plugin_id != candidate.id:
        reason = f"its files have changed since it was looked at: {order}"
        return Untrusted(cause=Cause.CHANGED, reason=reason, has_lapsed=has_lapsed)
    if facts.packages is not None and facts.packages.made != record.packages:
        reason = f"its Python packages are not those that were looked at: {order}"
        return Untrusted(cause=Cause.CHANGED, reason=reason, has_lapsed=has_lapsed)
    if record.grant is None:
        return Untrusted(cause=Cause.REFUSED, reason=f"it was refused; to trust it: {order}")
    return Trusted(grant=record.grant)


def _fault_of_packages(candidate: Candidate, facts: TrustFacts) -> Untrusted | None:
    packages, has_lapsed = facts.packages, _was_trusted(candidate, facts)
    if packages is None or packages.is_as_made:
        return None
    if isinstance(packages.hash, BadTree):
        reason = f"its Python packages cannot be vouched for: {packages.hash}"
        return Untrusted(cause=Cause.UNREADABLE, reason=reason, has_lapsed=has_lapsed)
    reason = f"its Python packages have changed: `{update_order(candidate)}`"
    return Untrusted(cause=Cause.CHANGED, reason=reason, has_lapsed=has_lapsed)


def _was_trusted(candidate: Candidate, facts: TrustFacts) -> bool:
    record = facts.record
    if record is None:
        return facts.configured_hash is not None
    return record.grant is not None and record.plugin_id == candidate.id
