"""Reads what plugins say that they offer. Pure.

What cannot be used is left out and named; it never keeps the rest from being used.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from extensions.plugins.json_values import as_list, as_object
from extensions.plugins.registrations import (
    CommandRegistration,
    ModelRegistration,
    ProviderRegistration,
    RendererRegistration,
    ShortcutRegistration,
    ToolRegistration,
)

MOST_TOOLS = 200
MOST_OTHERS = 100
"""Of commands, flags, shortcuts, subscriptions, providers, hooks, renderers, each."""
MOST_MODELS = 500
LONGEST_NAME = 128
"""In characters."""
MOST_DESCRIPTION_BYTES = 1024 * 1024
"""Of all tools of a plugin together, their schemas included."""

Warn = Callable[[str], None]
T = TypeVar("T")


class _UnusableError(Exception):
    """An entry that is left out. Never leaves this module."""


def tools_of(raw: Any, schema_keys: Iterable[str], warn: Warn) -> tuple[ToolRegistration, ...]:
    """Return the tools of a list.

    Args:
        raw: What the plugin sent.
        schema_keys: The names under which the schema may stand, the usual one first.
        warn: Called with what was left out.
    """
    keys = tuple(schema_keys)
    tools = _entries(raw, "tool", MOST_TOOLS, lambda each: _tool(each, keys), warn)
    left = MOST_DESCRIPTION_BYTES
    kept: list[ToolRegistration] = []
    for tool in _unique(tools, "tool", lambda each: each.name, warn):
        size = len(tool.description.encode()) + len(json.dumps(tool.schema))
        if size > left:
            warn(f"tool `{tool.name}` is left out: its description is too long")
            continue
        left -= size
        kept.append(tool)
    return tuple(kept)


def commands_of(raw: Any, warn: Warn) -> tuple[CommandRegistration, ...]:
    """Return the commands of a list."""
    commands = _entries(raw, "command", MOST_OTHERS, _command, warn)
    return tuple(_unique(commands, "command", lambda each: each.name, warn))


def shortcuts_of(raw: Any, warn: Warn) -> tuple[ShortcutRegistration, ...]:
    """Return the shortcuts of a list."""
    return tuple(_entries(raw, "shortcut", MOST_OTHERS, _shortcut, warn))


def providers_of(raw: Any, warn: Warn) -> tuple[ProviderRegistration, ...]:
    """Return the providers of a list."""
    providers = _entries(raw, "provider", MOST_OTHERS, _provider, warn)
    return tuple(_unique(providers, "provider", lambda each: each.name, warn))


def renderers_of(raw: Any, warn: Warn) -> tuple[RendererRegistration, ...]:
    """Return the renderers of a list."""
    return tuple(_entries(raw, "message renderer", MOST_OTHERS, _renderer, warn))


def names_of(raw: Any, what: str, warn: Warn) -> tuple[str, ...]:
    """Return the names of a list, each once."""
    return tuple(dict.fromkeys(_entries(raw, what, MOST_OTHERS, _name, warn)))


def _entries(raw: Any, what: str, most: int, read: Callable[[Any], T], warn: Warn) -> list[T]:
    if raw is None:
        return []
    entries = as_list(raw)
    if entries is None:
        warn(f"what it says of {what}s is not a list")
        return []
    if len(entries) > most:
        warn(f"{len(entries) - most} {what}s are left out: {most} are the most")
    kept: list[T] = []
    for number, each in enumerate(entries[:most], start=1):
        try:
            kept.append(read(each))
        except _UnusableError as error:
            warn(f"{what} {number} is left out: {error}")
    return kept


def _unique(entries: list[T], what: str, name: Callable[[T], str], warn: Warn) -> list[T]:
    kept: dict[str, T] = {}
    for each in entries:
        if name(each) in kept:
            warn(f"{what} `{name(each)}` is there twice; the first counts")
        kept.setdefault(name(each), each)
    return list(kept.values())


def _tool(raw: Any, schema_keys: tuple[str, ...]) -> ToolRegistration:
    members = _members(raw)
    given = (members[key] for key in schema_keys if members.get(key) is not None)
    schema = as_object(next(given, dict[str, Any]()))
    if schema is None:
        raise _UnusableError("its schema is not an object")
    return ToolRegistration(
        name=_name(members.get("name")),
        description=_text(members.get("description"), "description") or "",
        # What says nothing of its type would be taken by no model.
        schema={"type": "object"} | schema,
        deferred=members.get("deferred") is True,
    )


def _command(raw: Any) -> CommandRegistration:
    members = _members(raw)
    name = _name(members.get("name")).removeprefix("/")
    if not name or any(character.isspace() for character in name):
        raise _UnusableError("its name is not one word")
    description = _text(members.get("description"), "description") or ""
    return CommandRegistration(name=name, description=description)


def _shortcut(raw: Any) -> ShortcutRegistration:
    members = _members(raw)
    return ShortcutRegistration(
        key=_name(members.get("key")),
        command=_name(members.get("command")),
        description=_text(members.get("description"), "description"),
    )


def _provider(raw: Any) -> ProviderRegistration:
    members = _members(raw)
    models = as_list(members.get("models") or [])
    if models is None:
        raise _UnusableError("its models are not a list")
    return ProviderRegistration(
        name=_name(members.get("name")),
        base_url=_text(members.get("base_url"), "base_url"),
        api_key_env=_text(members.get("api_key_env"), "api_key_env"),
        oauth=members.get("oauth") is True,
        models=tuple(_model(each) for each in models[:MOST_MODELS]),
    )


def _model(raw: Any) -> ModelRegistration:
    members = _members(raw)
    return ModelRegistration(
        id=_name(members.get("id")),
        display_name=_text(members.get("display_name"), "display_name"),
    )


def _renderer(raw: Any) -> RendererRegistration:
    members = _members(raw)
    template = as_object(members.get("template"))
    if template is None:
        raise _UnusableError("its template is not an object")
    return RendererRegistration(tag=_name(members.get("tag")), template=template)


def _members(raw: Any) -> Mapping[str, Any]:
    members = as_object(raw)
    if members is None:
        raise _UnusableError("it is not an object")
    return members


def _name(raw: Any) -> str:
    if not isinstance(raw, str) or not raw:
        raise _UnusableError("it has no name")
    if len(raw) > LONGEST_NAME:
        raise _UnusableError(f"its name is longer than {LONGEST_NAME} characters")
    if not raw.isprintable():
        raise _UnusableError("its name holds what cannot be seen")
    return raw


def _text(raw: Any, what: str) -> str | None:
    if raw is None or isinstance(raw, str):
        return raw
    raise _UnusableError(f"its {what} is not text")
