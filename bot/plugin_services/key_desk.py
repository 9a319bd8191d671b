"""What people press under the widgets of plugins."""

from collections.abc import Callable
from typing import Protocol

from bot.access import Action, Authorize, Refused
from bot.conversation.command_desk import UNKNOWN_BUTTON
from bot.conversation.conversations import Conversations
from bot.conversation.desk import DeskOffer
from bot.conversation.incoming import ButtonPress
from bot.messenger import MessageContent
from bot.plugin_services.plugin_cards import PluginCards
from bot.plugin_services.ui_view import KEY_VERB, pressed_key
from extensions.hooks import Occasion

NOT_A_KEY = MessageContent(text="The widget does not have this key any more.")
NOT_RUNNING = MessageContent(text="This plugin does not run at present.")


class TakesKeys(Protocol):
    """The plugins, as far as keys are pressed."""

    def key_pressed(self, plugin_id: str, widget_id: str | None, key: str, at: Occasion) -> None:
        """Tell a plugin that people pressed a key of its widget; nothing if it is gone."""
        ...


class KeyDesk:
    """Tells plugins which keys people press: whoever may talk to the bot there."""

    def __init__(
        self,
        authorize: Authorize,
        conversations: Conversations,
        cards: PluginCards,
        plugins: TakesKeys,
        runs: Callable[[str], bool],
    ) -> None:
        """Make it.

        Args:
            authorize: Who may do what.
            conversations: The open ones.
            cards: What plugins show.
            plugins: Told of keys.
            runs: Says whether the plugin of an id runs at present.
        """
        self._authorize = authorize
        self._conversations = conversations
        self._cards = cards
        self._plugins = plugins
        self._runs = runs

    def offer(self) -> DeskOffer:
        """Return what it takes care of."""
        return DeskOffer(buttons={KEY_VERB: self.press})

    async def press(self, press: ButtonPress) -> MessageContent | None:
        """Tell the plugin; it answers by another widget, or whatever it does."""
        verdict = self._authorize([press.person], Action.TALK, press.place)
        if isinstance(verdict, Refused):
            return MessageContent(text=verdict.reason)
        pressed = pressed_key(press.action.subject)
        if pressed is None:
            return UNKNOWN_BUTTON
        binding = self._cards.key(pressed, press.place)
        if binding is None:
            return NOT_A_KEY
        if not self._runs(pressed.plugin_id):
            return NOT_RUNNING
        widget_id = binding.widget_id or None
        self._plugins.key_pressed(pressed.plugin_id, widget_id, binding.key, self._occasion(press))
        return None

    def _occasion(self, press: ButtonPress) -> Occasion:
        conversation = self._conversations.in_place(press.place)
        return Occasion(
            session_id=None if conversation is None else conversation.session.id,
            person_id=press.person.id,
            guild_id=press.place.guild_id,
            channel_id=press.place.channel_id,
        )
