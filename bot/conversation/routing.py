"""Which messages are meant for the bot. Pure."""

from collections.abc import Set as AbstractSet

from bot.conversation.incoming import IncomingMessage


def is_for_the_bot(message: IncomingMessage, bound_channel_ids: AbstractSet[int]) -> bool:
    """Say whether `message` wants an answer.

    Everything in a bound channel and in a direct message does; elsewhere only what mentions the
    bot. What bots and webhooks write never does.
    """
    if message.author.is_automatic or not message.text:
        return False
    in_private = message.place.guild_id is None
    return message.mentions_bot or in_private or message.place.channel_id in bound_channel_ids
