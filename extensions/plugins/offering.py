"""How what a plugin offers changes while it runs. Pure."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from extensions.plugins.dialects.reading import MOST_DESCRIPTION_BYTES, MOST_OTHERS, MOST_TOOLS
from extensions.plugins.naming import public_tool_name
from extensions.plugins.registrations import Registrations, ToolRegistration

T = TypeVar("T")


def merged(current: Registrations, update: Registrations) -> Registrations:
    """Return what a plugin offers once it has added to it: what is called the same is replaced.

    Nothing is taken away: what a plugin does not want to offer for a while it sets inactive. Of
    more than a plugin may offer in all, the first stay.
    """
    return replace(
        current,
        tools=_fitting(_merged(current.tools, update.tools, lambda tool: tool.name, MOST_TOOLS)),
        commands=_merged(current.commands, update.commands, lambda command: command.name),
        flags=_merged(current.flags, update.flags, str),
        shortcuts=_merged(current.shortcuts, update.shortcuts, lambda shortcut: shortcut.key),
        subscriptions=current.subscriptions | update.subscriptions,
        providers=_merged(current.providers, update.providers, lambda provider: provider.name),
        hooks=_merged_hooks(current.hooks, update.hooks),
        renderers=_merged(current.renderers, update.renderers, lambda renderer: renderer.tag),
    )


def own_active_tools(
    plugin_id: str, registrations: Registrations, wanted: Sequence[str]
) -> tuple[str, ...]:
    """Return which of a plugin's own tools are active if it wants those; never any others.

    Each may be called by its own name, by that with the plugin's before it, or as models know it.
    """
    own = [tool.name for tool in registrations.tools]
    names = {public_tool_name(plugin_id, name): name for name in own}
    names |= {f"{plugin_id}.{name}": name for name in own}
    # Last: a tool's own name counts for more than what another one could be called by.
    names |= {name: name for name in own}
    return tuple(dict.fromkeys(names[each] for each in wanted if each in names))


def _merged(
    current: Iterable[T],
    update: Iterable[T],
    name_of: Callable[[T], str],
    most: int = MOST_OTHERS,
) -> tuple[T, ...]:
    by_name: dict[str, Any] = {name_of(each): each for each in current}
    by_name |= {name_of(each): each for each in update}
    return tuple(by_name.values())[:most]


def _fitting(tools: Iterable[ToolRegistration]) -> tuple[ToolRegistration, ...]:
    left = MOST_DESCRIPTION_BYTES
    kept: list[ToolRegistration] = []
    for tool in tools:
        left -= len(tool.description.encode()) + len(json.dumps(tool.schema))
        if left >= 0:
            kept.append(tool)
    return tuple(kept)


def _merged_hooks(
    current: frozenset[str] | None, update: frozenset[str] | None
) -> frozenset[str] | None:
    # Without a word on hooks a plugin is asked at every point; an update without one adds none.
    return current if current is None or update is None else current | update
