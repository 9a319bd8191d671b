"""Loads what is found at the start, and sees when it has changed since."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from pathlib import Path

from extensions.errors import PluginError
from extensions.plugins.manifest import Candidate, DiscoveryReport, Level

logger = logging.getLogger(__name__)

_NOTHING = DiscoveryReport(candidates=(), diagnostics=(), scanned_folders=0, disabled_count=0)


async def load_plugins(
    discover: Callable[[], DiscoveryReport],
    choose: Callable[[DiscoveryReport], Awaitable[DiscoveryReport]],
    load: Callable[[Sequence[Candidate]], Awaitable[None]],
) -> None:
    """Look for plugins, and load them; what is amiss is logged, and none keeps the bot from going.

    Args:
        discover: Looks for them; it may block.
        choose: Returns what counts of it, now that it is looked at what is trusted.
        load: Loads them. It is also called with none: hooks wait until it is known which there are.
    """
    report = _NOTHING
    try:
        report = await asyncio.to_thread(discover)
        report = await choose(report)
    except Exception:
        logger.exception("plugins could not be looked for")
    for diagnostic in report.diagnostics:
        level = logging.ERROR if diagnostic.level is Level.ERROR else logging.WARNING
        logger.log(level, "%s: %s", diagnostic.path, diagnostic.message)
    await load(report.candidates)


class ManifestNews:
    """Takes note of manifests that have changed."""

    def __init__(
        self,
        discover: Callable[[], DiscoveryReport],
        loaded: Callable[[], Mapping[Path, str]],
        reload: Callable[[str], Awaitable[object]] | None,
    ) -> None:
        """Make it.

        Args:
            discover: Looks for plugins; it may block.
            loaded: Returns the ids of those that are loaded, by their folders.
            reload: Starts the plugin of an id anew; `None` if changes are only logged.
        """
        self._discover = discover
        self._loaded = loaded
        self._reload = reload

    async def changed(self, paths: Collection[Path]) -> None:
        """Take manifests that are new, other than they were, or gone."""
        report = await asyncio.to_thread(self._discover)
        found = {each.folder: each.id for each in (*report.candidates, *report.shadowed)}
        by_folder = {**self._loaded(), **found}
        for path in sorted(paths):
            folder = await asyncio.to_thread(path.parent.resolve)
            plugin_id = by_folder.get(folder)
            logger.info("a manifest has changed: %s (plugin: %s)", path, plugin_id or "none")
            if plugin_id is not None and self._reload is not None:
                await self._start_anew(plugin_id, self._reload)

    async def _start_anew(self, plugin_id: str, reload: Callable[[str], Awaitable[object]]) -> None:
        try:
            await reload(plugin_id)
        except PluginError as error:
            logger.warning("%s", error)
