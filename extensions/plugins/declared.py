"""What of a plugin's offers counts: that which its manifest declares. Pure."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

from extensions.plugins.manifest import Capabilities
from extensions.plugins.registrations import Registrations

T = TypeVar("T")


def declared_part(
    offered: Registrations, declares: Capabilities, warn: Callable[[str], None]
) -> Registrations:
    """Return what a plugin offers and declares.

    Events are left as they are: topics of the bus, which nobody declares, are among them.

    Args:
        offered: What it says that it offers.
        declares: What its manifest says.
        warn: Called with what is left out: a sentence's end each time.
    """
    commands = offered.commands
    if commands and not declares.commands:
        warn("its commands are left out: its manifest does not declare any")
        commands = ()
    return replace(
        offered,
        tools=_kept(offered.tools, declares.tools, "tool", lambda tool: tool.name, warn),
        commands=commands,
        providers=_kept(
            offered.providers, declares.providers, "provider", lambda each: each.name, warn
        ),
        hooks=_kept_hooks(offered.hooks, declares.hooks, warn),
    )


def _kept(
    entries: Iterable[T],
    declared: frozenset[str] | None,
    what: str,
    name: Callable[[T], str],
    warn: Callable[[str], None],
) -> tuple[T, ...]:
    kept: list[T] = []
    for each in entries:
        if declared is None or name(each) in declared:
            kept.append(each)
        else:
            warn(f"{what} `{name(each)}` is left out: its manifest does not declare it")
    return tuple(kept)


def _kept_hooks(
    offered: frozenset[str] | None,
    declared: frozenset[str] | None,
    warn: Callable[[str], None],
) -> frozenset[str] | None:
    if offered is None or declared is None:
        return declared if offered is None else offered
    return frozenset(_kept(sorted(offered), declared, "hook", str, warn))
