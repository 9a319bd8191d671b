"""Which variables of the bot's environment a plugin gets, by name and by value. Pure.

Nothing passes but a few harmless names, and what the manifest asks for and the operator granted.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from extensions.plugins.manifest import Manifest
from extensions.plugins.wrapper_manifest import WrapperTemplate

ALLOWED_NAMES = frozenset(
    {"PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TERM", "SystemRoot"}
)
"""What every plugin gets, as far as the bot has it."""

_FIXED = "PATH"
"""What no manifest sets: a program on it counts as the operator's own, whoever wrote it."""
_BLOCKED_ENDINGS = (
    "_TOKEN",
    "_KEY",
    "_SECRET",
    "_PASSWORD",
    "_PASSWD",
    "_PWD",
    "_CREDENTIAL",
    "_CREDENTIALS",
    "_PAT",
    "_AUTH",
    "_APIKEY",
    "_BEARER",
    "_SESSION",
)
_BLOCKED_WORDS = ("PASSWORD", "SECRET", "CREDENTIAL", "PRIVATE_KEY")

_RUN_REFERENCE = re.compile(r"\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}")
_SERVER_REFERENCE = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentTerms:
    """On what terms a plugin gets its environment."""

    granted: frozenset[str] = frozenset()
    """The names that the operator granted when the plugin was trusted."""
    passes_all: bool = False
    """Whether all of the bot's variables pass whose names do not look like those of secrets."""
    own_names: frozenset[str] = frozenset()
    """The names of the bot's own secrets, which never pass."""
    own_values: frozenset[str] = frozenset()
    """The bot's own secrets: no variable passes that holds one, whatever its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """What a plugin is told of where it is."""

    version: str
    """Of Papercup."""
    state_folder: Path
    """Where it may keep files."""
    cache_folder: Path
    """Where Python puts what it compiles, as it would change the plugin's own folder."""


def looks_secret(name: str) -> bool:
    """Say whether a variable's name is one that secrets have."""
    upper = name.upper()
    return upper.endswith(_BLOCKED_ENDINGS) or any(word in upper for word in _BLOCKED_WORDS)


def environment_names(manifest: Manifest) -> tuple[str, ...]:
    """Return the names of the bot's variables that a plugin asks for, in order.

    They are those that it requires, and those that the values of its own variables, and of its
    MCP servers, refer to.
    """
    names = set(manifest.requires.env)
    names |= _referred(_RUN_REFERENCE, _own_variables(manifest).values())
    for server in manifest.mcp_servers.values():
        names |= _referred(_SERVER_REFERENCE, (*server.env.values(), *server.headers.values()))
    return tuple(sorted(names))


def unserved_variables(manifest: Manifest) -> tuple[str, ...]:
    """Return a sentence for each variable that a manifest sets to no effect."""
    servers = manifest.mcp_servers.values()
    given = (_own_variables(manifest), *(server.env for server in servers))
    if not any(_FIXED in variables for variables in given):
        return ()
    return (f"the variable `{_FIXED}` that it sets has no effect: it is always Papercup's own",)


def plugin_environment(
    manifest: Manifest, parent: Mapping[str, str], terms: EnvironmentTerms, home: Home
) -> dict[str, str]:
    """Return the whole environment of a plugin.

    Args:
        manifest: What the plugin asks for; later ones of these go before earlier ones.
        parent: The bot's own environment.
        terms: What of it passes.
        home: Where the plugin is; no manifest says otherwise.
    """
    environment = _passing(parent, terms)
    environment["PYTHONPYCACHEPREFIX"] = str(home.cache_folder)
    environment |= _expanded(_RUN_REFERENCE, _own_variables(manifest), parent, terms)
    return environment | {
        "AGENT_VERSION": home.version,
        "AGENT_EXTENSION_ID": manifest.id,
        "NEXO_EXTENSION_STATE_ROOT": str(home.state_folder),
    }


def server_values(
    values: Mapping[str, str], parent: Mapping[str, str], terms: EnvironmentTerms
) -> dict[str, str]:
    """Return variables or headers of an MCP server, with what they refer to put in.

    There `${NAME}` is understood as well as `${env:NAME}`. What was not granted, or is not set,
    is empty.
    """
    return _expanded(_SERVER_REFERENCE, values, parent, terms)


def server_environment(
    values: Mapping[str, str], parent: Mapping[str, str], terms: EnvironmentTerms
) -> dict[str, str]:
    """Return the whole environment of an MCP server's program, whose own variables are `values`."""
    return _passing(parent, terms) | server_values(values, parent, terms)


def _own_variables(manifest: Manifest) -> Mapping[str, str]:
    """Return the variables that a manifest gives the plugin's own program."""
    if manifest.run is not None:
        return manifest.run.env
    return manifest.wrapper.env if isinstance(manifest.wrapper, WrapperTemplate) else {}


def _passing(parent: Mapping[str, str], terms: EnvironmentTerms) -> dict[str, str]:
    return {
        name: value
        for name, value in parent.items()
        if _passes(name, terms) and not _is_own(name, value, terms)
    }


def _passes(name: str, terms: EnvironmentTerms) -> bool:
    if name in ALLOWED_NAMES or name in terms.granted:
        return True
    return terms.passes_all and not looks_secret(name)


def _is_own(name: str, value: str, terms: EnvironmentTerms) -> bool:
    return name in terms.own_names or any(own in value for own in terms.own_values if own)


def _expanded(
    reference: re.Pattern[str],
    values: Mapping[str, str],
    parent: Mapping[str, str],
    terms: EnvironmentTerms,
) -> dict[str, str]:
    given = _passing(parent, terms)
    return {
        name: reference.sub(lambda found: given.get(found[1], ""), value)
        for name, value in values.items()
        if name != _FIXED
    }


def _referred(reference: re.Pattern[str], values: Iterable[str]) -> set[str]:
    return {name for value in values for name in reference.findall(value)}
