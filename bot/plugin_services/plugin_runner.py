"""Has the host run what the operator trusts, from the moment on that it is trusted."""

import logging
from contextlib import suppress

from extensions.errors import PluginError, PluginNotFoundError
from extensions.plugins.choosing import place_of
from extensions.plugins.host import PluginHost
from extensions.plugins.manifest import Candidate

logger = logging.getLogger(__name__)


class HostRunner:
    """Runs plugins in the host; implements `Runner`."""

    def __init__(self, host: PluginHost) -> None:
        self._host = host

    async def start(self, candidate: Candidate, /) -> str | None:
        """Start a plugin, anew if it runs, and return why it is down; `None`: it is up."""
        try:
            await self._host.reload(candidate)
        except PluginError as error:
            logger.warning("plugin %s does not run: %s", candidate.id, error.reason)
            return error.reason
        return None

    async def hold(self, candidate: Candidate, /) -> str | None:
        """Have a plugin down that was trusted until it changed, so that what it guards is closed.

        Returns why it is down; `None`: it may run after all.
        """
        with suppress(PluginNotFoundError):
            loaded = self._host.find(candidate.id).candidate
            if place_of(loaded) == place_of(candidate):
                # What was trusted says what it guards; what stands there now may say anything.
                candidate = loaded
        return await self.start(candidate)

    async def stop(self, plugin_id: str, /) -> bool:
        """Stop a plugin, and say whether it was loaded."""
        try:
            await self._host.unload(plugin_id)
        except PluginNotFoundError:
            return False
        return True
