"""Hangs up where a channel is not there any more."""

import logging

from bot.conversation.conversations import Conversations

logger = logging.getLogger(__name__)


async def hang_up_gone(conversations: Conversations, channel_id: int) -> None:
    """End what is open in a channel that is gone, and in its threads; it can go on elsewhere.

    Raises:
        sqlite3.Error: If that cannot be stored.
    """
    for place in conversations.places:
        if channel_id in {place.channel_id, place.parent_id}:
            session = await conversations.close(place)
            if session is not None:
                logger.info("session %s: hung up, as its channel is gone", session.id)
