"""Writes what plugins want logged into the bot's own log, as much as there is room for."""

import json
import logging
from collections.abc import Callable
from itertools import islice
from typing import Any

from extensions.plugins.fields import Fields
from extensions.plugins.served import ServedPlugin

logger = logging.getLogger(__name__)

LINES_PER_MINUTE = 120
"""How many lines are kept of one plugin; the rest are counted."""
LONGEST_LINE = 2000

_MINUTE = 60.0
_LEVELS = logging.getLevelNamesMapping()
_WORDS = {
    "trace": "DEBUG",
    "debug": "DEBUG",
    "info": "INFO",
    "warn": "WARNING",
    "warning": "WARNING",
    "error": "ERROR",
}


class PluginLog:
    """Takes `log`."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Make it.

        Args:
            clock: Gives the seconds since any fixed time.
        """
        self._clock = clock
        self._minutes: dict[str, tuple[float, int]] = {}

    def take(self, plugin: ServedPlugin, fields: Fields) -> dict[str, Any]:
        """Write one line.

        Raises:
            BadFieldError: If it is none.
        """
        level = fields.one_of("level", _WORDS, usual="info")
        message = fields.text("message")
        if not self._has_room(plugin.id):
            return {}
        extra = fields.all.get("fields")
        text = message[:LONGEST_LINE] if not extra else f"{message[:LONGEST_LINE]} {_start(extra)}"
        # One line, so that it cannot pass for a line of the bot's own.
        line = "".join(
            character if character.isprintable() else " " for character in text[:LONGEST_LINE]
        )
        logger.log(_LEVELS[level], "plugin %s: %s", plugin.id, line)
        return {}

    def _has_room(self, plugin_id: str) -> bool:
        began_at, count = self._minutes.get(plugin_id, (self._clock(), 0))
        if self._clock() - began_at >= _MINUTE:
            if count > LINES_PER_MINUTE:
                left_out = count - LINES_PER_MINUTE
                logger.warning("plugin %s: %d lines of its log are left out", plugin_id, left_out)
            began_at, count = self._clock(), 0
        self._minutes[plugin_id] = (began_at, count + 1)
        return count < LINES_PER_MINUTE


def _start(value: Any) -> str:
    """Return how a value begins as JSON; it may be far longer than a line."""
    # Not `dumps`: each piece has a character at least, so that many hold as much as is wanted.
    pieces = json.JSONEncoder(ensure_ascii=False).iterencode(value)
    return "".join(islice(pieces, LONGEST_LINE))
