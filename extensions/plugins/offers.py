"""What one plugin offers at present, and the checks that belong to it."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from extensions.plugins.declared import declared_part
from extensions.plugins.dialects.sep import registrations_of
from extensions.plugins.manifest import Manifest
from extensions.plugins.plain_lines import plain_line
from extensions.plugins.registrations import Registrations
from extensions.plugins.schemas import ArgumentCheck, BadSchemaError, argument_check

logger = logging.getLogger(__name__)


class Offers:
    """What a plugin offers; that of its last program while it is down."""

    def __init__(self, plugin_id: str, changed: Callable[[], None]) -> None:
        self._plugin_id = plugin_id
        self._changed = changed
        self.registrations = Registrations()
        self.checks: Mapping[str, ArgumentCheck] = {}
        """What checks the arguments of each tool."""
        self.active: frozenset[str] | None = None
        """Which of its tools it wants to be offered, by its own names; `None`: all."""
        self.is_known = False
        """Whether it has ever said what it offers."""

    def take(self, registrations: Registrations) -> None:
        """Offer this from now on; tools that were not there before are active."""
        known = {tool.name for tool in self.registrations.tools}
        if self.active is not None:
            self.active |= {tool.name for tool in registrations.tools} - known
        self.checks = self._checks(registrations)
        tools = tuple(tool for tool in registrations.tools if tool.name in self.checks)
        self.registrations = replace(registrations, tools=tools)
        self.is_known = True
        self._changed()

    def set_active(self, tools: frozenset[str] | None) -> None:
        """Offer of the tools these alone; `None`: all."""
        if tools != self.active:
            self.active = tools
            self._changed()

    def declared(self, registrations: Registrations, manifest: Manifest) -> Registrations:
        """Return what of this the manifest declares; the rest is named in the log."""
        return declared_part(registrations, manifest.capabilities, self.warn)

    def read(self, params: Mapping[str, Any], manifest: Manifest) -> Registrations:
        """Return what a plugin says later that it offers; what does not count is named."""
        return self.declared(registrations_of(params, self.warn), manifest)

    def warn(self, text: str) -> None:
        """Say in the log what is left out."""
        logger.warning("plugin %s: %s", self._plugin_id, plain_line(text))

    def has_command(self, name: str) -> bool:
        """Say whether it offers a command of that name."""
        return any(each.name == name for each in self.registrations.commands)

    def _checks(self, registrations: Registrations) -> dict[str, ArgumentCheck]:
        checks: dict[str, ArgumentCheck] = {}
        for tool in registrations.tools:
            try:
                checks[tool.name] = argument_check(tool.schema)
            except BadSchemaError as error:
                self.warn(f"tool `{tool.name}` is left out: {error}")
        return checks
