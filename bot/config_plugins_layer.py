"""Turns the tables of a file that are called as plugins are into values, and problems. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, cast, get_type_hints

from bot.config_keys import key_of, nearest, wrong_value
from bot.config_plugins import PluginEntry, PluginId, Sha256
from bot.errors import ConfigProblem
from bot.redaction import Redactor

TRUSTED = "plugins.trusted"
ENTRIES = "plugins.entries"

_ID_KEY = key_of("plugins.ID", PluginId)
_ENTRY_HINTS = get_type_hints(PluginEntry, include_extras=True)
_NO_PLACE_FOR_THIS = (
    "looks like a secret, and secrets are not read from here: take it out, and have the plugin "
    "read a variable of the environment that it is granted"
)


@dataclass(slots=True)
class PluginLayer:
    """What one file says of single plugins."""

    source: str
    """The file."""
    trusted: dict[str, str] = field(default_factory=dict[str, str])
    entries: dict[str, PluginEntry] = field(default_factory=dict[str, PluginEntry])
    paths: list[str] = field(default_factory=list[str])
    """Of the keys that are set: `plugins.entries.ID.jobs`."""
    problems: list[ConfigProblem] = field(default_factory=list[ConfigProblem])

    @property
    def values(self) -> dict[str, Any]:
        """What is set, by the paths of the tables."""
        tables = {TRUSTED: self.trusted, ENTRIES: self.entries}
        return {path: table for path, table in tables.items() if table}

    def add_problem(self, path: str, reason: str, suggestion: str | None = None) -> None:
        """Take note of something that has to be mended."""
        self.problems.append(
            ConfigProblem(source=self.source, key=path, reason=reason, suggestion=suggestion)
        )


def plugin_layer(table: Mapping[str, Any], *, source: str) -> PluginLayer:
    """Read what stands under `plugins` in a TOML document that came from `source`."""
    layer = PluginLayer(source)
    _each(layer, TRUSTED, table.get("trusted", {}), _add_trusted)
    _each(layer, ENTRIES, table.get("entries", {}), _add_entry)
    return layer


def shown_plugins(trusted: Mapping[str, str], entries: Mapping[str, PluginEntry]) -> dict[str, Any]:
    """Return each value that is set, by its path."""
    shown: dict[str, Any] = {f"{TRUSTED}.{name}": digest for name, digest in trusted.items()}
    defaults = PluginEntry()
    for name, entry in entries.items():
        for leaf in (one.name for one in fields(PluginEntry)):
            value = getattr(entry, leaf)
            if value != getattr(defaults, leaf):
                shown[f"{ENTRIES}.{name}.{leaf}"] = _plain(value)
    return shown


def _each(
    layer: PluginLayer, path: str, table: object, add: Callable[[PluginLayer, str, object], None]
) -> None:
    if not isinstance(table, dict):
        layer.add_problem(path, f"is a table: write [{path}], and below it its keys")
        return
    for name, value in cast("dict[str, object]", table).items():
        try:
            _ID_KEY.read_value(name)
        except ValueError:
            layer.add_problem(f"{path}.{name}", f"must be called by {_ID_KEY.allowed}")
        else:
            add(layer, name, value)


def _add_trusted(layer: PluginLayer, name: str, value: object) -> None:
    key = key_of(f"{TRUSTED}.{name}", Sha256)
    try:
        layer.trusted[name] = key.read_value(value)
    except ValueError:
        layer.add_problem(key.path, wrong_value(key, value))
    else:
        layer.paths.append(key.path)


def _add_entry(layer: PluginLayer, name: str, value: object) -> None:
    path = f"{ENTRIES}.{name}"
    if not isinstance(value, dict):
        layer.add_problem(path, f"is a table: write [{path}], and below it its keys")
        return
    values: dict[str, Any] = {}
    for leaf, one in cast("dict[str, object]", value).items():
        if Redactor().redact(str(one)) != str(one):
            layer.add_problem(f"{path}.{leaf}", _NO_PLACE_FOR_THIS)
        elif leaf not in _ENTRY_HINTS:
            known = [f"{path}.{hint}" for hint in _ENTRY_HINTS]
            reason = f"is not a key. [{path}] has {', '.join(_ENTRY_HINTS)}"
            layer.add_problem(f"{path}.{leaf}", reason, nearest(f"{path}.{leaf}", known))
        else:
            _add_value(layer, values, f"{path}.{leaf}", one)
    layer.entries[name] = PluginEntry(**values)
    layer.paths += [f"{path}.{leaf}" for leaf in values]


def _add_value(layer: PluginLayer, values: dict[str, Any], path: str, value: object) -> None:
    leaf = path.rpartition(".")[2]
    key = key_of(path, _ENTRY_HINTS[leaf])
    try:
        values[leaf] = key.read_value(value)
    except ValueError:
        layer.add_problem(path, wrong_value(key, value))


def _plain(value: Any) -> Any:
    return list(cast("tuple[str, ...]", value)) if isinstance(value, tuple) else value
