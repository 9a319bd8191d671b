"""Turns the tables `[mcp.NAME]` of a file into MCP servers, and problems. Pure."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, cast, get_type_hints

from bot.config_keys import Key, key_of, nearest, wrong_value
from bot.config_mcp import McpServerConfig, is_server_name, variables_in
from bot.errors import ConfigProblem
from bot.redaction import Redactor

HIDDEN = "…"
"""Stands for a value that may be a secret."""

_LEAVES = tuple(get_type_hints(McpServerConfig))
_SECRET_NAME = re.compile(
    r"(authorization|cookie|token|secret|password|credentials?|key)$", re.IGNORECASE
)
_SECRET_INSIDE = re.compile(r"(token|secret|password|key)=[^$\s]", re.IGNORECASE)
_OURS = frozenset({"DISCORD_TOKEN", "ANTHROPIC_API_KEY"})
_NAMES = "a name of at most 32 small letters, digits, - and single _, and not papercup"
_NO_PLACE_FOR_THIS = (
    "looks like a secret, and secrets are not read from here: take it out, and name a variable of "
    "the environment in its place, as ${NAME}"
)


@dataclass(slots=True)
class McpLayer:
    """What one file says of MCP servers."""

    source: str
    """The file."""
    servers: dict[str, McpServerConfig] = field(default_factory=dict[str, McpServerConfig])
    paths: list[str] = field(default_factory=list[str])
    """Of the keys that are set: `mcp.NAME.url`."""
    problems: list[ConfigProblem] = field(default_factory=list[ConfigProblem])

    def add_problem(self, path: str, reason: str, suggestion: str | None = None) -> None:
        """Take note of something that has to be mended."""
        self.problems.append(
            ConfigProblem(source=self.source, key=path, reason=reason, suggestion=suggestion)
        )


def mcp_layer(table: object, *, source: str) -> McpLayer:
    """Read what stands under `mcp` in a TOML document that came from `source`."""
    layer = McpLayer(source)
    if not isinstance(table, dict):
        layer.add_problem("mcp", "holds tables: write [mcp.NAME], and below it its keys")
        return layer
    for name, server in cast("dict[str, object]", table).items():
        path = f"mcp.{name}"
        if not is_server_name(name):
            layer.add_problem(path, f"must be called by {_NAMES}")
        elif not isinstance(server, dict):
            layer.add_problem(path, f"is a table: write [{path}], and below it its keys")
        else:
            _add_server(layer, name, cast("dict[str, Any]", server))
    return layer


def shown_mcp(servers: Mapping[str, McpServerConfig]) -> dict[str, Any]:
    """Return each value that is set, by its path; in place of what may be a secret stands `…`."""
    return {
        f"mcp.{name}.{leaf}": _shown(getattr(server, leaf))
        for name, server in servers.items()
        for leaf in _LEAVES
        if getattr(server, leaf) != _default_of(leaf)
    }


def _add_server(layer: McpLayer, name: str, table: Mapping[str, Any]) -> None:
    before = len(layer.problems)
    values = dict(_values(layer, name, table))
    server = McpServerConfig(**values)
    if len(layer.problems) > before:
        return
    if server.wrong is not None:
        layer.add_problem(f"mcp.{name}", server.wrong)
        return
    layer.servers[name] = server
    layer.paths += [f"mcp.{name}.{leaf}" for leaf in values]


def _values(layer: McpLayer, name: str, table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    hints = get_type_hints(McpServerConfig, include_extras=True)
    known = {f"mcp.{name}.{leaf}" for leaf in _LEAVES}
    for leaf, value in table.items():
        path = f"mcp.{name}.{leaf}"
        if _is_secret(leaf, value):
            layer.add_problem(path, _NO_PLACE_FOR_THIS)
        elif path not in known:
            reason = f"is not a key. [mcp.{name}] has {', '.join(_LEAVES)}"
            layer.add_problem(path, reason, nearest(path, known))
        elif ours := _OURS & variables_in(str(value)):
            layer.add_problem(path, f"must not name {', '.join(sorted(ours))}: that is the bot's")
        else:
            yield from _read(layer, key_of(path, hints[leaf]), value)


def _read(layer: McpLayer, key: Key, value: object) -> Iterator[tuple[str, Any]]:
    try:
        yield key.path.rpartition(".")[2], key.read_value(value)
    except ValueError:
        layer.add_problem(key.path, wrong_value(key, value))


def _is_secret(leaf: str, value: object) -> bool:
    if isinstance(value, dict):
        inner = cast("dict[str, object]", value)
        return any(_is_secret(name, one) for name, one in inner.items())
    text = str(value)
    is_named_so = _SECRET_NAME.search(leaf) is not None and not variables_in(text)
    is_inside = _SECRET_INSIDE.search(text) is not None
    return (is_named_so and bool(text)) or is_inside or Redactor().redact(text) != text


def _shown(value: Any) -> Any:
    if isinstance(value, Mapping):
        texts = cast("Mapping[str, str]", value)
        return {name: text if variables_in(text) else HIDDEN for name, text in texts.items()}
    return list(cast("tuple[str, ...]", value)) if isinstance(value, tuple) else value


def _default_of(leaf: str) -> Any:
    (found,) = [one for one in fields(McpServerConfig) if one.name == leaf]
    return {} if found.default is MISSING else found.default
