"""What is asked of the plugins for the commands that they bring along."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from extensions.errors import PluginNotFoundError
from extensions.hooks import Occasion
from extensions.plugins.host import PluginCommand
from extensions.plugins.registrations import PluginCompletion

Reload = Callable[[str], Awaitable[str | None]]
"""Starts the plugin of that id anew, from what is in its folder by now.

Returns why it is down, the end of a sentence; `None`: it is up. Raises PluginError if there is
none.
"""


class PluginCommands(Protocol):
    """The plugins, as far as their commands are concerned."""

    def commands(self) -> Sequence[PluginCommand]:
        """Return the commands that are offered at present, in the order of the plugins."""
        ...

    async def run_command(self, plugin_id: str, name: str, raw: str, occasion: Occasion) -> str:
        """Run a command, and return what it says to people: data, not empty.

        Raises:
            PluginNotFoundError: If no plugin of that id is loaded.
            PluginCallError: If it failed; its `reason` is what people are shown.
        """
        ...

    async def complete_command(
        self, plugin_id: str, name: str, partial: str, occasion: Occasion
    ) -> Sequence[PluginCompletion]:
        """Return what the arguments may be completed to; nothing if that cannot be found out."""
        ...

    def watch(self, changed: Callable[[], None]) -> None:
        """Have `changed` called after each change of the plugins or of what they offer."""
        ...

    def report(self) -> Sequence[dict[str, Any]]:
        """Return how each plugin stands, as JSON."""
        ...


class NoPluginCommands:
    """There are no plugins, and there will be none."""

    def commands(self) -> Sequence[PluginCommand]:
        """Return none."""
        return ()

    async def run_command(self, plugin_id: str, name: str, raw: str, occasion: Occasion) -> str:
        """Raise that there is no such plugin."""
        del name, raw, occasion
        raise PluginNotFoundError(plugin_id, "it is not loaded")

    async def complete_command(
        self, plugin_id: str, name: str, partial: str, occasion: Occasion
    ) -> Sequence[PluginCompletion]:
        """Return none."""
        del plugin_id, name, partial, occasion
        return ()

    def watch(self, changed: Callable[[], None]) -> None:
        """Do nothing: nothing changes."""
        del changed

    def report(self) -> Sequence[dict[str, Any]]:
        """Return none."""
        return ()


async def no_reload(plugin_id: str) -> str | None:
    """Raise that there is no such plugin."""
    raise PluginNotFoundError(plugin_id, "plugins are switched off in the configuration")
