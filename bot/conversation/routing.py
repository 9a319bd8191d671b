"""Which messages are meant for the bot. Pure."""

from collections.abc import Callable
from dataclasses import dataclass

from bot.access import Place
from bot.conversation.incoming import IncomingMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class Routing:
    """Tells what is said to the bot from what people say among themselves."""

    is_bound: Callable[[Place], bool]
    """Whether every message there is meant for the bot."""
    owns_thread: Callable[[int], bool]
    """Whether the channel with that id is a thread that was opened for a session."""
    has_line: Callable[[Place], bool] = lambda _: False
    """Whether a voice line is open in that very channel."""

    def is_for_the_bot(self, message: IncomingMessage) -> bool:
        """Say whether `message` wants an answer.

        Everything does in direct messages, in a bound channel and its threads, in a thread that a
        session owns, and in a voice channel with a line; elsewhere only what mentions the bot.
        What bots and webhooks write never does, nor what holds neither text nor a file.
        """
        if message.author.is_automatic or not (message.text or message.attachments):
            return False
        return message.mentions_bot or self.hears_all(message.place)

    def hears_all(self, place: Place) -> bool:
        """Say whether all that people write in `place` is meant for the bot."""
        if place.guild_id is None or self.has_line(place):
            return True
        return self.is_bound(place) or self.owns_thread(place.channel_id)
