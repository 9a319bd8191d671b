"""Stands for the plugins from the start of the program on, while they are only being started."""

import asyncio
import logging
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Protocol

from extensions.hooks import (
    Blocked,
    HookChain,
    HookPoint,
    Observers,
    Occasion,
    Pass,
    Payload,
    Ruling,
)

WAIT_SECONDS = 30.0
"""How long is waited for the plugins at most."""

_NOT_THERE = "the plugins are not there, and one of them may forbid it; try again in a minute"
_PAPERCUP = "papercup"

logger = logging.getLogger(__name__)


class Plugins(HookChain, Observers, Protocol):
    """All plugins."""


class AwaitedPlugins:
    """Implements `HookChain` and `Observers`: hands on what it is asked, once they are there."""

    def __init__(self, *, expected: bool, wait_seconds: float = WAIT_SECONDS) -> None:
        """Make it.

        Args:
            expected: Whether there will be plugins at all.
            wait_seconds: How long is waited for them.
        """
        self._expected = expected
        self._wait_seconds = wait_seconds
        self._plugins: Plugins | None = None
        self._came = asyncio.Event()

    @contextmanager
    def through(self, plugins: Plugins) -> Generator[None, None, None]:
        """Hand on to these while the block lasts; afterwards the program is about to end."""
        self._plugins = plugins
        self._came.set()
        try:
            yield
        finally:
            self._plugins = None
            self._came.clear()

    def is_hooked(self, point: HookPoint) -> bool:
        """Say whether any plugin has a say there at present, or may soon."""
        return self._expected if self._plugins is None else self._plugins.is_hooked(point)

    async def fire(self, point: HookPoint, value: Payload, occasion: Occasion) -> Ruling:
        """Ask the plugins, once they are there; see `HookChain`."""
        if not self._expected:
            return Pass()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._wait_seconds):
                await self._came.wait()
        if self._plugins is not None:
            return await self._plugins.fire(point, value, occasion)
        if point.fails_closed:
            logger.warning("%s: no plugin could be asked, so it is not done", point)
            return Blocked(_NOT_THERE, by=_PAPERCUP)
        return Pass()

    def is_observed(self, event: str) -> bool:
        """Say whether any plugin is told of that event at present."""
        return self._plugins is not None and self._plugins.is_observed(event)

    def tell(self, event: str, payload: Payload, occasion: Occasion) -> None:
        """Tell those that asked for it, if they are there."""
        if self._plugins is not None:
            self._plugins.tell(event, payload, occasion)
