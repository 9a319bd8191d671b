"""Takes messages: each is stored before anything else is done about it, and none is dropped."""

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from contextlib import suppress

from bot.access import Action, Allowed, Authorize, Place, Refused
from bot.conversation.conversations import Conversations
from bot.conversation.incoming import IncomingMessage
from bot.conversation.message_record import MessageState
from bot.conversation.message_store import MessageStore
from bot.conversation.refusals import RefusalLimit
from bot.conversation.routing import is_for_the_bot
from bot.conversation.turn import Turn
from bot.messenger import MessageContent, MessageRef, Messenger, MessengerError
from extensions.disk import is_disk_full

logger = logging.getLogger(__name__)

_TAKE_SECONDS = 20.0

TOO_MANY_WAIT = "I have too many messages waiting already. Let me answer those first."
NOT_TAKEN = (
    "I could not take that down, so I do not answer it. Say it again in a while; the operator"
    " finds the reason in the log."
)
DISK_FULL = "My disk is full, so I cannot take messages: tell whoever runs me."


class Intake:
    """Has messages answered that are for the bot, and whose authors may talk to it."""

    def __init__(
        self,
        *,
        authorize: Authorize,
        conversations: Conversations,
        messages: MessageStore,
        messenger: Messenger,
        bound_channel_ids: AbstractSet[int],
        clock: Callable[[], float],
    ) -> None:
        self._authorize = authorize
        self._conversations = conversations
        self._messages = messages
        self._messenger = messenger
        self._bound_channel_ids = bound_channel_ids
        self._clock = clock
        self._refusals = RefusalLimit()

    async def arrived(self, message: IncomingMessage) -> None:
        """Take a message that was just written; if that fails, its author is told."""
        if not is_for_the_bot(message, self._bound_channel_ids):
            return
        verdict = self._authorize([message.author], Action.TALK, message.place)
        if isinstance(verdict, Refused):
            await self._refuse(message, verdict)
            return
        await self._take_or_tell(message, at=self._clock())

    def wants(self, message: IncomingMessage) -> bool:
        """Say whether a message is to be answered that was written unheard.

        Whoever may not talk to the bot is not told so later on.
        """
        if not is_for_the_bot(message, self._bound_channel_ids):
            return False
        return self.may_talk(turn_of(message), message.place)

    def may_talk(self, turn: Turn, place: Place) -> bool:
        """Say whether the people of a turn may talk to the bot there, by now."""
        return isinstance(self._authorize(turn.people, Action.TALK, place), Allowed)

    async def missed(self, message: IncomingMessage) -> None:
        """Take a message that was written a while ago."""
        await self._take_or_tell(message, at=message.written_at)

    async def take_again(self, turn: Turn, place: Place) -> None:
        """Go on with a turn that was taken by an earlier bot."""
        conversation, _ = await self._conversations.open(place, turn.people[0])
        conversation.take_again(turn)

    async def reply(self, place: Place, ref: MessageRef, text: str) -> bool:
        """Say something in reply to a message, once; `False` if it should be tried again."""
        try:
            await self._messenger.post(
                place, MessageContent(text=text), nonce=f"r{ref.message_id}", reply_to=ref
            )
        except MessengerError as error:
            logger.warning("channel %d: %s", place.channel_id, error)
            return error.is_final
        return True

    async def _refuse(self, message: IncomingMessage, refused: Refused) -> None:
        # In a bound channel people may talk among themselves.
        is_addressed = message.mentions_bot or message.place.guild_id is None
        # Messages are taken one after another: whoever is refused must not hold up the others.
        if is_addressed and self._refusals.may_say(
            message.author.id, message.place.channel_id, at=self._clock()
        ):
            await self._reply(message, refused.reason)

    async def _take_or_tell(self, message: IncomingMessage, *, at: float) -> None:
        try:
            async with asyncio.timeout(_TAKE_SECONDS):
                await self._take(message, at=at)
        except Exception as error:
            logger.exception("message %d could not be taken", message.ref.message_id)
            await self._reply(message, DISK_FULL if is_disk_full(error) else NOT_TAKEN)
            with suppress(sqlite3.Error, OSError):
                await self._withdraw(message)

    async def _take(self, message: IncomingMessage, *, at: float) -> None:
        if not await self._messages.accept(message, at=at):
            return  # Discord tells some messages twice
        conversation, _ = await self._conversations.open(message.place, message.author)
        if not conversation.take(turn_of(message)):
            await self._reply(message, TOO_MANY_WAIT)
            await self._withdraw(message)

    async def _withdraw(self, message: IncomingMessage) -> None:
        await self._messages.finished(turn_of(message), MessageState.WITHDRAWN)

    async def _reply(self, message: IncomingMessage, text: str) -> None:
        await self.reply(message.place, message.ref, text)


def turn_of(message: IncomingMessage) -> Turn:
    """Return the turn that a message alone makes."""
    return Turn(people=(message.author,), text=message.text, asked_in=message.ref)
