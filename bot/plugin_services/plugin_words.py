"""How plugins are described to people. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from bot.quoting import code, plain
from extensions.plugins.guarding import closed_words

NO_PLUGINS = "There are no plugins."
NO_COMMANDS = "No plugin brings commands along."

_MARKS = {
    "ready": "🟢",
    "spawning": "🟡",
    "restarting": "🟡",
    "failed": "🔴",
    "shutdown": "⚪",
}
_MOST_LINES = 40
_MOST_NAMES = 30
_LONGEST_ID = 64
_LONGEST_NAME = 60
_LONGEST_REASON = 300
_LONGEST_PATH = 200


def list_text(plugins: Sequence[Mapping[str, Any]]) -> str:
    """Return the plugins as a list, a line for each.

    Args:
        plugins: How each stands, as the host reports it.
    """
    if not plugins:
        return NO_PLUGINS
    lines = [_line(plugin) for plugin in plugins[:_MOST_LINES]]
    if (left := len(plugins) - _MOST_LINES) > 0:
        lines.append(f"-# {left} more are not shown.")
    return "\n".join(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Brings:
    """What a plugin brings along besides what its program offers."""

    called: Iterable[str] = ()
    """What is typed for each of its commands, without the slash."""
    skills: Iterable[str] = ()
    """The names of its skills."""
    themes: Iterable[str] = ()
    """Its themes, as its manifest names them."""


def info_text(plugin: Mapping[str, Any], brings: Brings) -> str:
    """Return all that people are told of one plugin.

    Args:
        plugin: How it stands, as the host reports it.
        brings: What it brings along besides.
    """
    name = str(plugin.get("name") or plugin.get("id"))
    lines = [f"**{plain(name, _LONGEST_NAME)}** {_version(plugin)}".rstrip()]
    if description := plugin.get("description"):
        lines.append(plain(str(description), _LONGEST_REASON))
    lines.append(f"{_mark(plugin)} {_state(plugin)}")
    lines += [
        f"{label}: {plain(str(plugin[key]), _LONGEST_PATH)}"
        for key, label in (("dialect", "Dialect"), ("scope", "Scope"), ("path", "Manifest"))
        if plugin.get(key)
    ]
    lines += [f"Breaker: {breaker}"] if (breaker := _breaker(plugin)) else []
    if restarts := plugin.get("restarts"):
        lines.append(f"Restarted: {restarts} times" if restarts != 1 else "Restarted: once")
    offers = {
        "Tools": _names(plugin.get("tools")),
        "Commands": [f"/{each}" for each in brings.called],
        "Hooks": _names(plugin.get("hooks")),
        "Events": _names(plugin.get("events")),
        "Providers": _names(plugin.get("providers")),
        "Skills": [f"/skill:{each}" for each in brings.skills],
        "Flags": _names(plugin.get("flags")),
        "Keys, which no place here has": _shortcuts(plugin),
        "Themes, which change nothing here": list(brings.themes),
    }
    lines += [f"{label}: {_listed(names)}" for label, names in offers.items() if names]
    return "\n".join(lines)


def _breaker(plugin: Mapping[str, Any]) -> str:
    """Return how the breaker of a plugin stands, unless it lets all calls through."""
    breaker = plugin.get("breaker")
    state = str(cast("Mapping[str, Any]", breaker).get("state") if breaker else "closed")
    return "" if state == "closed" else plain(state, _LONGEST_NAME)


def _shortcuts(plugin: Mapping[str, Any]) -> list[str]:
    found: Sequence[Mapping[str, Any]] = plugin.get("shortcuts") or ()
    return [f"{each.get('key')} for /{each.get('command')}" for each in found]


def _line(plugin: Mapping[str, Any]) -> str:
    offers = [
        _counted(len(_names(plugin.get(key))), thing)
        for key, thing in (("tools", "tool"), ("commands", "command"), ("hooks", "hook"))
        if _names(plugin.get(key))
    ]
    version = f" {_version(plugin)}".rstrip()
    words = [f"{_id(plugin)}{version}", _state(plugin), *([", ".join(offers)] if offers else [])]
    return f"{_mark(plugin)} {' · '.join(words)}"


def _id(plugin: Mapping[str, Any]) -> str:
    return f"**{plain(str(plugin.get('id')), _LONGEST_ID)}**"


def _version(plugin: Mapping[str, Any]) -> str:
    return plain(str(plugin.get("version") or ""), _LONGEST_NAME)


def _mark(plugin: Mapping[str, Any]) -> str:
    return _MARKS.get(str(plugin.get("state")), "⚪")


def _state(plugin: Mapping[str, Any]) -> str:
    state = plain(str(plugin.get("state") or "unknown"), _LONGEST_NAME)
    reason = plain(str(plugin.get("reason") or ""), _LONGEST_REASON)
    closed = closed_words(plugin.get("closes") or ())
    words = [
        *([f"{state}: {reason}"] if reason else [state]),
        *([f"**{closed}**"] if closed else []),
    ]
    return "; ".join(words)


def _names(value: Any) -> list[str]:
    """Return the names in a list of names, or of things with names."""
    if not isinstance(value, list | tuple):
        return []
    found: list[str] = []
    for each in cast("Sequence[Any]", value):
        if isinstance(each, Mapping):
            each = cast("Mapping[str, Any]", each).get("name")  # noqa: PLW2901 - its name
        found.append(str(each))
    return found


def _listed(names: Sequence[str]) -> str:
    shown = [code(name, _LONGEST_ID) for name in names[:_MOST_NAMES]]
    more = [f"{len(names) - _MOST_NAMES} more"] if len(names) > _MOST_NAMES else []
    return ", ".join([*shown, *more])


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
