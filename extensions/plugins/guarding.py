"""What stays forbidden as long as a plugin that guards it is down. Pure."""

from collections.abc import Collection

from extensions.hooks import HookPoint
from extensions.plugins.dialects.wires import wire_of
from extensions.plugins.manifest import Manifest, Tier

GUARDED = tuple(point for point in HookPoint if point.fails_closed)
"""Where a plugin that does not answer counts as one that forbids it."""

_WORDS = {
    HookPoint.TOOL_CALL: "no tool is used",
    HookPoint.USER_BASH: "no program is run for a plugin",
}
_LONGEST_REASON = 300


def guarded_by(manifest: Manifest) -> tuple[HookPoint, ...]:
    """Return what a plugin may guard, as far as its manifest tells."""
    if manifest.tier is not Tier.PROCESS:
        return ()
    wire, declared = wire_of(manifest.dialect), manifest.capabilities.hooks
    names = {point: wire.hook_name(point) for point in GUARDED}
    return tuple(
        point
        for point, name in names.items()
        if name is not None and (declared is None or name in declared)
    )


def closed_words(points: Collection[str]) -> str:
    """Return what a plugin that is down keeps from being done; empty if that is nothing."""
    words = [_WORDS[point] for point in GUARDED if point in points]
    return f"as long as it is down, {' and '.join(words)}" if words else ""


def guard_words(plugin_id: str, reason: str) -> str:
    """Return why something is forbidden, and what can be done about it.

    Args:
        plugin_id: Who guards it.
        reason: Why that one may not be started, the end of a sentence.
    """
    return (
        f"it guards this and may not run: {reason[:_LONGEST_REASON]};"
        f" to do without it: `papercup plugin untrust {plugin_id}`"
    )
