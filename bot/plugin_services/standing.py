"""How a plugin stands: what it asks for, and whether it is trusted, as data. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.plugin_services.trust_words import (
    WantedVariable,
    capability_words,
    description_words,
    origin_words,
    refusal_words,
    title_words,
    wanted_variables,
)
from extensions.plugins.admission import Examined
from extensions.plugins.tree_hash import TreeHash
from extensions.plugins.trust import Cause, Trusted


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a plugin stands."""

    id: str
    version: str
    title: str
    """Which it is and where it was found, on one line."""
    description: str
    """What it says that it is for; empty if it does not."""
    origin: str = ""
    """Where it came from; empty: it was not installed, or nobody knows."""
    may: tuple[str, ...]
    """What it asks for, each the end of a sentence that begins with "It may"."""
    variables: tuple[WantedVariable, ...]
    """Of the bot's environment, that it asks for."""
    wants_exec: bool
    """Whether it asks to have programs run."""
    unserved: tuple[str, ...]
    """What it asks for that it does not get: a sentence each."""
    hash: str | None
    """Of its whole folder, as `sha256:…`; `None`: that cannot be vouched for."""
    cause: Cause | None
    """Why it is not trusted; `None`: it is."""
    reason: str | None
    """The same as a sentence's end."""
    by_configuration: bool
    """Whether it is trusted because the configuration says so."""
    granted_env: tuple[str, ...]
    """The variables that it was granted."""
    granted_exec: bool

    @property
    def is_trusted(self) -> bool:
        """Whether it may run."""
        return self.cause is None


def standing_of(
    examined: Examined, environment: Mapping[str, str], own_names: frozenset[str]
) -> Standing:
    """Return how a plugin stands that was looked at.

    Args:
        examined: The plugin.
        environment: The bot's own.
        own_names: The names of the bot's own secrets.
    """
    candidate, found, verdict = examined.candidate, examined.found, examined.verdict
    manifest = candidate.manifest
    grant = verdict.grant if isinstance(verdict, Trusted) else None
    return Standing(
        id=candidate.id,
        version=manifest.version,
        title=title_words(candidate),
        description=description_words(manifest),
        origin=origin_words(examined.looked.origin),
        may=capability_words(manifest),
        variables=wanted_variables(manifest, environment, own_names),
        wants_exec=manifest.capabilities.exec,
        unserved=refusal_words(manifest),
        hash=found.text if isinstance(found, TreeHash) else None,
        cause=None if isinstance(verdict, Trusted) else verdict.cause,
        reason=None if isinstance(verdict, Trusted) else verdict.reason,
        by_configuration=isinstance(verdict, Trusted) and verdict.by_configuration,
        granted_env=() if grant is None else tuple(sorted(grant.env)),
        granted_exec=grant is not None and grant.exec,
    )
