"""What plugins show for good: of each one message in a place, which is edited in place."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol

from bot.access import Place
from bot.cards.card import Card
from bot.plugin_services.blocks import Block, KeyBinding
from bot.plugin_services.ui_view import CARD, PluginView, PressedKey

_MOST_VIEWS = 500
"""Those that changed longest ago are shown on, but what a plugin sets then begins afresh."""


class KeepsCards(Protocol):
    """What shows cards, and takes them away."""

    def show(self, card: Card) -> None:
        """Have a card look so, soon."""
        ...

    async def withdraw(self, kind: str, subject: str) -> None:
        """Have a card deleted; harmless if there is none."""
        ...


class PluginCards:
    """Shows the status and the widgets of plugins."""

    def __init__(self, cards: KeepsCards) -> None:
        self._cards = cards
        self._views: OrderedDict[tuple[str, int], PluginView] = OrderedDict()

    async def set_status(self, plugin_id: str, place: Place, status: str) -> None:
        """Have a plugin's line of status read so; an empty one is taken away."""
        await self._change(plugin_id, place, lambda view: view.with_status(status))

    async def set_widget(self, plugin_id: str, place: Place, block: Block) -> None:
        """Have a plugin's widget look so; an empty one is taken away."""
        await self._change(plugin_id, place, lambda view: view.with_widget(block))

    def key(self, pressed: PressedKey, place: Place) -> KeyBinding | None:
        """Return the key that a button there stands for; `None` if the plugin has it no more.

        Of a plugin that has shown nothing there yet, as after a restart, the button alone tells.
        """
        view = self._views.get((pressed.plugin_id, place.channel_id))
        return pressed.binding if view is None else pressed.among(view.bindings)

    async def _change(
        self, plugin_id: str, place: Place, change: Callable[[PluginView], PluginView]
    ) -> None:
        key = (plugin_id, place.channel_id)
        view = self._views[key] = change(self._views.get(key, PluginView()))
        self._views.move_to_end(key)
        if len(self._views) > _MOST_VIEWS:
            self._views.popitem(last=False)
        subject = f"{plugin_id}-{place.channel_id}"
        if view.is_empty:
            await self._cards.withdraw(CARD, subject)
        else:
            content = view.content(plugin_id)
            self._cards.show(Card(kind=CARD, subject=subject, place=place, content=content))
