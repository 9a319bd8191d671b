"""Turns what a file, or the environment, says into values for keys, and problems. Pure."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from bot.config_keys import (
    MCP,
    PLUGIN_TABLES,
    Key,
    known_keys,
    known_sections,
    nearest,
    wrong_value,
)
from bot.config_mcp_layer import McpLayer, mcp_layer
from bot.config_plugins_layer import PluginLayer, plugin_layer
from bot.errors import ConfigProblem

ENVIRONMENT = "environment"
"""The source that a problem with a variable names."""

_PREFIX = "PAPERCUP_"
_ALIASES: Mapping[str, str] = {"SMOOTH_UI_TIMEOUT_SECS": "plugins.ui_timeout_seconds"}
"""Variables of other hosts of plugins that set a key, unless our own variable does."""
_SECRET_KEY = re.compile(r"(token|secret|password|api_?key)$", re.IGNORECASE)
_SECRET_VALUE = re.compile(r"sk-ant-|[\w-]{20,30}\.[\w-]{5,8}\.[\w-]{25,}")
"""A key of Anthropic's, or a token of Discord's."""
_NO_PLACE_FOR_THIS = (
    "looks like a secret, and secrets are not read from here: take it out, and set DISCORD_TOKEN "
    "or ANTHROPIC_API_KEY in the environment or in secrets.toml (chmod 600)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """What one source sets."""

    values: Mapping[str, Any]
    """By the key's path."""
    sources: Mapping[str, str]
    """By the key's path: the file or the variable."""
    problems: tuple[ConfigProblem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Setting:
    path: str
    value: object


def layer_of_table(table: Mapping[str, Any], *, source: str) -> Layer:
    """Read a TOML document that came from `source`."""
    values: dict[str, Any] = {}
    problems: list[ConfigProblem] = []
    mcp = mcp_layer(table[MCP], source=source) if MCP in table else McpLayer(source)
    plugins = _plugins_of(table, source)
    for setting in _flattened({name: value for name, value in table.items() if name != MCP}):
        reason = _refusal(setting)
        if reason is not None:
            problems.append(_problem(setting, source, reason))
            continue
        try:
            values[setting.path] = known_keys()[setting.path].read_value(setting.value)
        except ValueError:
            reason = _wrong_value(known_keys()[setting.path], setting.value)
            problems.append(ConfigProblem(source=source, key=setting.path, reason=reason))
    return Layer(
        values=values | {MCP: mcp.servers} | plugins.values,
        sources=dict.fromkeys([*values, *mcp.paths, *plugins.paths], source),
        problems=(*problems, *mcp.problems, *plugins.problems),
    )


def layer_of_environment(environment: Mapping[str, str]) -> Layer:
    """Read the variables `PAPERCUP_SECTION__KEY`; an empty one is as good as none."""
    by_variable = {variable: known_keys()[path] for variable, path in _ALIASES.items()}
    by_variable |= {key.variable: key for key in known_keys().values()}
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    problems: list[ConfigProblem] = []
    for variable in sorted(environment, key=_aliases_first):
        text = environment[variable]
        key = by_variable.get(variable) if text else None
        if key is None:
            problems += _unknown_variable(variable, text)
            continue
        try:
            values[key.path] = key.read_text(text)
        except ValueError:
            reason = _wrong_value(key, text)
            problems.append(ConfigProblem(source=ENVIRONMENT, key=variable, reason=reason))
        else:
            sources[key.path] = variable
    return Layer(values=values, sources=sources, problems=tuple(problems))


def _aliases_first(variable: str) -> bool:
    return variable not in _ALIASES


def _plugins_of(table: Mapping[str, Any], source: str) -> PluginLayer:
    plugins: object = table.get("plugins")
    return plugin_layer(plugins, source=source) if _is_table(plugins) else PluginLayer(source)


def _flattened(table: Mapping[str, Any], prefix: str = "") -> Iterator[_Setting]:
    """List what the document sets; a table is looked into unless it stands where a value should."""
    for name, value in table.items():
        path = prefix + name
        if path in PLUGIN_TABLES:
            continue
        if _is_table(value) and path in known_sections():
            yield from _flattened(value, f"{path}.")
        elif _is_table(value) and value and path not in known_keys() and not prefix:
            yield from (_Setting(path=f"{path}.{leaf}", value=one) for leaf, one in value.items())
        else:
            yield _Setting(path=path, value=value)


def _is_table(value: object) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, dict)


def _refusal(setting: _Setting) -> str | None:
    """Say why a setting is refused whatever its type; `None` if it is not."""
    is_known = setting.path in known_keys()
    if _SECRET_VALUE.search(str(setting.value)) or (
        not is_known and _SECRET_KEY.search(setting.path)
    ):
        return _NO_PLACE_FOR_THIS
    if is_known:
        return None
    if setting.path in known_sections():
        return f"is a table: write [{setting.path}], and below it its keys"
    section = setting.path.rpartition(".")[0]
    return f"is not a key. {_keys_of(section)}"


def _keys_of(section: str) -> str:
    if section.partition(".")[0] == MCP:
        return "MCP servers stand in the file alone, as tables [mcp.NAME]"
    if any(f"{section}.".startswith(f"{table}.") for table in PLUGIN_TABLES):
        return "What is said of single plugins stands in the file alone"
    if section and section not in known_sections():
        tables = sorted([*known_sections(), f"{MCP}.NAME", *PLUGIN_TABLES])
        return "The tables are " + ", ".join(f"[{name}]" for name in tables)
    prefix = f"{section}." if section else ""
    leaves = [path.removeprefix(prefix) for path in known_keys() if path.startswith(prefix)]
    names = ", ".join(leaf for leaf in leaves if "." not in leaf)
    where = f"[{section}] has" if section else "Outside of tables there is only"
    return f"{where} {names}"


def _problem(setting: _Setting, source: str, reason: str) -> ConfigProblem:
    is_misspelt = setting.path not in known_sections() and reason != _NO_PLACE_FOR_THIS
    known = [*known_keys(), *known_sections()] if setting.value == {} else known_keys()
    suggestion = nearest(setting.path, known) if is_misspelt else None
    return ConfigProblem(source=source, key=setting.path, reason=reason, suggestion=suggestion)


def _unknown_variable(variable: str, text: str) -> Iterator[ConfigProblem]:
    """Name the problem with a variable that sets no key.

    One without a section may be somebody else's, unless it is nearly one of ours.
    """
    if not text or not variable.startswith(_PREFIX):
        return
    path = variable.removeprefix(_PREFIX).replace("__", ".").lower()
    meant = nearest(path, known_keys())
    if "." not in path and meant is None:
        return
    reason = _refusal(_Setting(path=path, value=text))
    assert reason is not None
    is_misspelt = meant is not None and reason != _NO_PLACE_FOR_THIS
    yield ConfigProblem(
        source=ENVIRONMENT,
        key=variable,
        reason=reason,
        suggestion=known_keys()[meant].variable if meant and is_misspelt else None,
    )


def _wrong_value(key: Key, value: object) -> str:
    return _NO_PLACE_FOR_THIS if _SECRET_VALUE.search(str(value)) else wrong_value(key, value)
