"""What plugins say to each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from papercup_plugin.handlers import Handler
from papercup_plugin.names import checked_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from papercup_plugin.declared import Declared
    from papercup_plugin.shapes import EventT


class PluginBus:
    """The other plugins, as a plugin hears them; `ctx.bus.publish` talks to them."""

    def __init__(self, declared: Declared) -> None:
        self._declared = declared

    def on(self, topic: str, /) -> Callable[[EventT], EventT]:
        """Have a function told what other plugins publish on a topic."""
        checked_name(topic, "topic")

        def take(function: EventT) -> EventT:
            self._declared.topics.setdefault(topic, []).append(Handler(function, most_values=1))
            subscriptions = self._declared.subscriptions
            self._declared.changed(lambda: {"subscriptions": subscriptions()})
            return function

        return take
