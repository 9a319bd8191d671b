"""Turns a `config/extensions.yaml`, as other hosts of plugins have it, into values for keys. Pure.

Its keys are those of `[plugins]`, under `extensions`. What of it has no effect here is named.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from bot.config_keys import known_keys, nearest
from bot.config_layers import Layer, layer_of_table
from bot.errors import ConfigProblem

_WRAPPER = "extensions"
_OURS = "plugins"
_KEYS = frozenset(
    {"enabled", "search_paths", "disabled", "allowlist", "ignore_dirs", "max_depth", "follow_links"}
    | {"watch"}
)
_WATCH_KEYS = frozenset({"enabled", "debounce_ms"})
_WITHOUT_EFFECT: Mapping[str, str] = {
    "doctor": "has no effect: `papercup plugin doctor` has time limits of its own",
    "transport_defaults": "has no effect: plugins are reached over their standard input and output",
    "entries": "has no effect: what is said of single plugins stands in [plugins.entries.ID]",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlReading:
    """What the file says."""

    layer: Layer
    notes: tuple[ConfigProblem, ...] = ()
    """What of it has no effect, though other hosts know it."""


def read_extensions_yaml(text: str, *, source: str) -> YamlReading:
    """Read the text of a `config/extensions.yaml` that came from `source`."""
    # Only here: few have that file, and every command would wait.
    import yaml  # noqa: PLC0415

    try:
        document = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return _only(_problem(source, None, f"is not valid YAML: {_one_line(error)}"))
    if document is None:
        return YamlReading(layer=Layer(values={}, sources={}, problems=()))
    table = _table(document)
    if table is None or set(table) - {_WRAPPER}:
        return _only(_problem(source, None, f"must hold `{_WRAPPER}:`, and below it its keys"))
    settings = _table(table.get(_WRAPPER) or {})
    if settings is None:
        return _only(_problem(source, _WRAPPER, "must hold keys and their values"))
    return _read(settings, source)


def _read(settings: Mapping[str, Any], source: str) -> YamlReading:
    unknown = [name for name in settings if name not in _KEYS and name not in _WITHOUT_EFFECT]
    problems = [_unknown(source, name, _KEYS) for name in unknown]
    watch = _table(settings.get("watch"))
    if watch is not None:
        odd = [name for name in watch if name not in _WATCH_KEYS]
        problems += [_unknown(source, f"watch.{name}", _WATCH_KEYS) for name in odd]
        settings = {**settings, "watch": {key: watch[key] for key in watch if key not in odd}}
    known = {name: value for name, value in settings.items() if name in _KEYS}
    layer = layer_of_table({_OURS: known}, source=source)
    renamed = tuple(_renamed(problem) for problem in layer.problems)
    return YamlReading(
        layer=replace(layer, problems=(*problems, *renamed)),
        notes=tuple(
            _problem(source, f"{_WRAPPER}.{name}", reason)
            for name, reason in _WITHOUT_EFFECT.items()
            if name in settings
        ),
    )


def _table(value: object) -> dict[str, Any] | None:
    if not isinstance(value, dict):
        return None
    return {str(name): one for name, one in cast("dict[object, Any]", value).items()}


def _unknown(source: str, name: str, among: frozenset[str]) -> ConfigProblem:
    section, _, _leaf = name.rpartition(".")
    where = f"{_WRAPPER}.{section}" if section else _WRAPPER
    known = [f"{where}.{key}" for key in sorted(among)]
    return _problem(
        source,
        f"{_WRAPPER}.{name}",
        f"is not a key. {where} has {', '.join(sorted(among))}",
        nearest(f"{_WRAPPER}.{name}", known),
    )


def _renamed(problem: ConfigProblem) -> ConfigProblem:
    assert problem.key is not None
    key = _WRAPPER + problem.key.removeprefix(_OURS)
    suggestion = problem.suggestion if problem.suggestion in known_keys() else None
    return replace(problem, key=key, suggestion=suggestion)


def _problem(
    source: str, key: str | None, reason: str, suggestion: str | None = None
) -> ConfigProblem:
    return ConfigProblem(source=source, key=key, reason=reason, suggestion=suggestion)


def _only(problem: ConfigProblem) -> YamlReading:
    return YamlReading(layer=Layer(values={}, sources={}, problems=(problem,)))


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
