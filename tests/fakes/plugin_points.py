"""Plugins that say what the test tells them to, and note what they were asked and told."""

from collections.abc import Callable
from typing import Any

from bot.conversation.turn_hooks import PluginPoints
from extensions.hooks import HookPoint, Occasion, Pass, Payload, Ruling


class FakePlugins:
    """Implements `HookChain` and `Observers`."""

    def __init__(
        self, rulings: dict[HookPoint, Ruling | Callable[[Payload], Ruling]] | None = None
    ) -> None:
        self.rulings = rulings or {}
        self.asked: list[tuple[HookPoint, dict[str, Any]]] = []
        self.told: list[tuple[str, dict[str, Any]]] = []
        self.occasions: list[Occasion] = []

    @property
    def points(self) -> PluginPoints:
        return PluginPoints(hooks=self, observers=self)

    def is_hooked(self, point: HookPoint) -> bool:
        return point in self.rulings

    async def fire(self, point: HookPoint, value: Payload, occasion: Occasion) -> Ruling:
        self.asked.append((point, dict(value)))
        self.occasions.append(occasion)
        ruling = self.rulings.get(point, Pass())
        return ruling(value) if callable(ruling) else ruling

    def is_observed(self, _event: str) -> bool:
        return True

    def tell(self, event: str, payload: Payload, occasion: Occasion) -> None:
        self.told.append((event, dict(payload)))
        self.occasions.append(occasion)
