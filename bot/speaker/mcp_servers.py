"""The configured MCP servers that a speaker is given, as its `claude` configures them. Pure."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.config_mcp import McpServerConfig
from bot.quoting import code

_GIVEN = "MCP_GIVEN_"
"""Before the name of each variable that is handed on, so that it can take the place of none that
`claude` itself heeds."""
_NAME_CHARACTERS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenServers:
    """The servers that one `claude` is given."""

    entries: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    """By name, as `claude` configures them; no value of a variable stands in it."""
    tools: tuple[str, ...] = ()
    """What of them it may use: `mcp__NAME`, or `mcp__NAME__TOOL`."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """The variables that `entries` name."""
    remarks: tuple[str, ...] = ()
    """Why others are left out, as sentences."""


def given_servers(
    wanted: Collection[str],
    configured: Mapping[str, McpServerConfig],
    environment: Mapping[str, str],
    *,
    is_jailed: bool,
) -> GivenServers:
    """Return what a `claude` is given of the servers that its session has enabled.

    Args:
        wanted: Their names.
        configured: All that there are.
        environment: The bot's, from which variables are taken.
        is_jailed: Whether it runs in a jail: there is neither a network nor a secret.
    """
    reasons = {
        name: _refusal(configured.get(name), environment, is_jailed=is_jailed)
        for name in sorted(wanted)
    }
    given = {name: configured[name] for name, reason in reasons.items() if reason is None}
    variables = frozenset(name for server in given.values() for name in server.variables)
    return GivenServers(
        entries={name: _entry(server) for name, server in given.items()},
        tools=tuple(tool for name, server in given.items() for tool in _tools(name, server)),
        environment={_GIVEN + name: environment[name] for name in variables},
        remarks=tuple(
            f"I go on without the MCP server {code(name, _NAME_CHARACTERS)}: {reason}."
            for name, reason in reasons.items()
            if reason is not None
        ),
    )


def _refusal(
    server: McpServerConfig | None, environment: Mapping[str, str], *, is_jailed: bool
) -> str | None:
    if server is None:
        return "it is not configured any more"
    if is_jailed and server.url is not None:
        return "this permission mode works in a jail, which has no network"
    if is_jailed and server.variables:
        return "it needs a secret, and this permission mode works in a jail, which has none"
    missing = sorted(name for name in server.variables if not environment.get(name))
    return f"{missing[0]} is not set in Papercup's environment" if missing else None


def _entry(server: McpServerConfig) -> dict[str, Any]:
    if server.url is not None:
        return {"type": "http", "url": server.url, "headers": _renamed(server.headers)}
    return {
        "type": "stdio",
        "command": server.command,
        "args": list(server.args),
        "env": _renamed(server.env),
    }


def _renamed(values: Mapping[str, str]) -> dict[str, str]:
    return {name: value.replace("${", "${" + _GIVEN) for name, value in values.items()}


def _tools(name: str, server: McpServerConfig) -> Iterator[str]:
    yield from (f"mcp__{name}__{tool}" for tool in server.tools)
    if not server.tools:
        yield f"mcp__{name}"
