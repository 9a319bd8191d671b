"""Asks the plugins at a hook point, one after the other."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

from extensions.hooks import Blocked, Changed, HookPoint, Occasion, Pass, Payload, Ruling
from extensions.plugins.dialects.dialect import Blocks, Continues, HookAnswer, Modifies, Unusable
from extensions.plugins.hook_patches import BadPatch, effective_patch
from extensions.plugins.naming import OWN_ID
from extensions.plugins.plain_lines import plain_line
from extensions.plugins.services import AuditKind, AuditLog

_UNKNOWN = "it is not known yet which plugins there are"
_LONGEST_REASON = 2000

logger = logging.getLogger(__name__)


class AskedPlugin(Protocol):
    """A plugin that may have a say."""

    @property
    def id(self) -> str:
        """Its id."""
        ...

    def may_be_asked(self, point: HookPoint) -> bool:
        """Say whether it has a say there at present, or may soon."""
        ...

    async def ask_hook(self, point: HookPoint, value: Payload, occasion: Occasion) -> HookAnswer:
        """Ask it; never raises, and ends within its time limit."""
        ...


class PluginHookChain:
    """Satisfies `HookChain`."""

    def __init__(
        self,
        plugins: Callable[[], Sequence[AskedPlugin]],
        *,
        owner_of: Callable[[str], str | None],
        audit: AuditLog,
        is_loading: Callable[[], bool],
        loaded: Callable[[], Awaitable[None]],
        are_known: Callable[[], bool] = lambda: True,
    ) -> None:
        """Make it.

        Args:
            plugins: Returns those that are there, in the order in which they are asked.
            owner_of: Returns the id of the plugin whose tool has that name.
            audit: Is told what was stopped.
            is_loading: Whether plugins are still to come.
            loaded: Waits until they have come, or too long.
            are_known: Whether it is known at all which there are.
        """
        self._plugins = plugins
        self._owner_of = owner_of
        self._audit = audit
        self._is_loading = is_loading
        self._loaded = loaded
        self._are_known = are_known

    def is_hooked(self, point: HookPoint) -> bool:
        """Say whether any plugin has a say there at present, or may soon; at once."""
        return self._is_loading() or any(each.may_be_asked(point) for each in self._plugins())

    async def fire(self, point: HookPoint, value: Payload, occasion: Occasion) -> Ruling:
        """Ask them. It never raises, and ends within the plugins' time limits."""
        await self._loaded()
        if point.fails_closed and not self._are_known():
            # Among those that were not found yet may be one that forbids it.
            return self._blocked(OWN_ID, point, _UNKNOWN)
        ids = {"agent_id": occasion.agent_id, "session_id": occasion.session_id}
        current: dict[str, Any] = ids | dict(value)
        changed_by: list[str] = []
        for plugin in self._asked(point, current):
            patch = await self._patch_of(plugin, point, current, occasion)
            if isinstance(patch, Blocked):
                return patch
            if patch:
                current |= patch
                changed_by.append(plugin.id)
        return Changed(current, tuple(changed_by)) if changed_by else Pass()

    def _asked(self, point: HookPoint, value: Payload) -> list[AskedPlugin]:
        plugins = [each for each in self._plugins() if each.may_be_asked(point)]
        if point is HookPoint.USER_BASH:
            # Whoever waits for a program to be run cannot be asked whether it may.
            return [each for each in plugins if each.id != value.get("plugin")]
        return plugins

    async def _patch_of(
        self, plugin: AskedPlugin, point: HookPoint, value: Payload, occasion: Occasion
    ) -> Mapping[str, Any] | Blocked:
        answer = await self._answer_of(plugin, point, value, occasion)
        if isinstance(answer, Modifies):
            is_own = self._owner_of(str(value.get("tool"))) == plugin.id
            patch = effective_patch(point, answer.patch, value, is_own_tool=is_own)
            if not isinstance(patch, BadPatch):
                self._name_dropped(plugin.id, point, answer.patch.keys() - patch.keys())
                return patch
            answer = Unusable(patch.reason)
        match answer:
            case Continues():
                return {}
            case Blocks(reason):
                return self._blocked(plugin.id, point, reason or f"blocked by {point} hook")
            case Unusable(reason):
                logger.warning("plugin %s: hook %s: %s", plugin.id, point, plain_line(reason))
                if not point.fails_closed:
                    return {}
                return self._blocked(plugin.id, point, f"{point} hook failed (fail-closed)")

    async def _answer_of(
        self, plugin: AskedPlugin, point: HookPoint, value: Payload, occasion: Occasion
    ) -> HookAnswer:
        answer = await _answer_of(plugin, point, value, occasion)
        # It may have been waited for in vain, as it was exchanged for another meanwhile.
        while isinstance(answer, Continues) and (heir := self._heir_of(plugin)) is not None:
            plugin = heir
            answer = await _answer_of(plugin, point, value, occasion)
        return answer

    def _heir_of(self, plugin: AskedPlugin) -> AskedPlugin | None:
        """Return what stands in the place of a plugin by now; `None` if it does itself."""
        found = next((each for each in self._plugins() if each.id == plugin.id), plugin)
        return None if found is plugin else found

    def _blocked(self, plugin_id: str, point: HookPoint, reason: str) -> Blocked:
        reason = reason[:_LONGEST_REASON]
        self._audit.note(AuditKind.BLOCKED, plugin_id, f"{point}: {reason}")
        return Blocked(reason, plugin_id)

    def _name_dropped(self, plugin_id: str, point: HookPoint, names: set[str]) -> None:
        if names:
            shown = plain_line(", ".join(sorted(names)))
            logger.debug("plugin %s: hook %s: no effect: %s", plugin_id, point, shown)


async def _answer_of(
    plugin: AskedPlugin, point: HookPoint, value: Payload, occasion: Occasion
) -> HookAnswer:
    try:
        return await plugin.ask_hook(point, value, occasion)
    except Exception:
        logger.exception("plugin %s could not be asked at %s", plugin.id, point)
        return Unusable("an error inside Papercup, which is in its log")
