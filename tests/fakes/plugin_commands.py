"""Plugins, as far as their commands are concerned, that answer as a test wants."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from extensions.errors import PluginNotFoundError
from extensions.hooks import Occasion
from extensions.plugins.host import PluginCommand
from extensions.plugins.registrations import PluginCompletion


def brings(plugin_id: str, name: str, description: str = "") -> PluginCommand:
    """Return a command that a plugin brings along."""
    return PluginCommand(plugin_id=plugin_id, name=name, description=description)


@dataclass
class FakePlugins:
    """Implements `PluginCommands`."""

    brought: list[PluginCommand] = field(default_factory=list)
    ran: list[tuple[str, str, str, Occasion]] = field(default_factory=list)
    """The plugin, the command, what was written behind it, and for whom."""
    answer: str = "3"
    failure: Exception | None = None
    """Raised instead."""
    held: asyncio.Event | None = None
    """What a command waits for before it answers."""
    completions: list[PluginCompletion] = field(default_factory=list)
    completed: list[tuple[str, str, str]] = field(default_factory=list)
    reports: list[dict[str, Any]] = field(default_factory=list)
    reloaded: list[str] = field(default_factory=list)
    down: str | None = None
    """Why a plugin that is reloaded does not come up."""
    watchers: list[Callable[[], None]] = field(default_factory=list)

    def bring(self, *commands: PluginCommand) -> None:
        """Bring these commands along from now on, and none else."""
        self.brought = list(commands)
        for changed in self.watchers:
            changed()

    def commands(self) -> Sequence[PluginCommand]:
        return self.brought

    async def run_command(self, plugin_id: str, name: str, raw: str, occasion: Occasion) -> str:
        self.ran.append((plugin_id, name, raw, occasion))
        if self.held is not None:
            await self.held.wait()
        if self.failure is not None:
            raise self.failure
        return self.answer

    async def complete_command(
        self, plugin_id: str, name: str, partial: str, occasion: Occasion
    ) -> Sequence[PluginCompletion]:
        del occasion
        self.completed.append((plugin_id, name, partial))
        return self.completions

    def watch(self, changed: Callable[[], None]) -> None:
        self.watchers.append(changed)

    def report(self) -> Sequence[dict[str, Any]]:
        return self.reports

    async def reload(self, plugin_id: str) -> str | None:
        if plugin_id not in {str(each["id"]) for each in self.reports}:
            raise PluginNotFoundError(plugin_id, "it is not found")
        self.reloaded.append(plugin_id)
        return self.down
