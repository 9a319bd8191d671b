"""Takes messages: each is stored before anything else is done about it, and none is dropped."""

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Iterable
from enum import Enum, auto

from bot.access import Action, Allowed, Authorize, Place, Refused, Verdict
from bot.conversation.conversation import Conversation
from bot.conversation.conversations import Conversations
from bot.conversation.incoming import IncomingMessage
from bot.conversation.marks import QUEUED
from bot.conversation.message_record import is_fresh
from bot.conversation.message_store import MessageStore
from bot.conversation.more_commands import NoMoreCommands, TypedCommands
from bot.conversation.refusals import RefusalLimit
from bot.conversation.session_rights import may_take
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
NOTHING_SAID = "Yes? Write to me in the message that mentions me, and I answer that."
DISK_FULL = "My disk is full, so I cannot take messages: tell whoever runs me."


class Taken(Enum):
    """What has become of something that somebody wanted to be answered."""

    NOW = auto()
    """It is answered after those that came before."""
    BEFORE = auto()
    """It was taken before, and nothing is done."""
    TOO_MANY = auto()
    """Too many wait already."""
    NOT_STORED = auto()
    DISK_FULL = auto()


_REFUSALS = {
    Taken.TOO_MANY: TOO_MANY_WAIT,
    Taken.NOT_STORED: NOT_TAKEN,
    Taken.DISK_FULL: DISK_FULL,
}


class Intake:
    """Has messages answered that are for the bot, and whose authors may talk to it."""

    def __init__(
        self,
        *,
        authorize: Authorize,
        conversations: Conversations,
        messages: MessageStore,
        messenger: Messenger,
        is_for_the_bot: Callable[[IncomingMessage], bool],
        clock: Callable[[], float],
        typed: TypedCommands | None = None,
    ) -> None:
        """Make it.

        Args:
            authorize: Who may do what.
            conversations: The open ones.
            messages: Those that were taken.
            messenger: Carries what is said of a message that is not answered.
            is_for_the_bot: Says whether a message wants an answer.
            clock: Gives Unix time, in seconds.
            typed: Takes care of commands that stand in messages.
        """
        self._typed = typed or NoMoreCommands()
        self._authorize = authorize
        self._conversations = conversations
        self._messages = messages
        self._messenger = messenger
        self.is_for_the_bot = is_for_the_bot
        """Says whether a message wants an answer."""
        self._clock = clock
        self._refusals = RefusalLimit()
        # A new version of a message must find it either not taken, or in its conversation.
        self._changing = asyncio.Lock()

    async def arrived(self, message: IncomingMessage) -> None:
        """Take a message that was just written; if that fails, its author is told."""
        is_call = message.is_mention_alone and not message.author.is_automatic
        if not is_call and not self.is_for_the_bot(message):
            return
        verdict = self._may_ask(message)
        if isinstance(verdict, Refused):
            await self._tell(message, verdict.reason)
        elif is_call:
            await self._tell(message, NOTHING_SAID)
        else:
            await self._take_or_tell(message, at=self._clock())

    async def edited(self, message: IncomingMessage) -> None:
        """Take the new version of a message.

        One that waits is answered as it reads now; not at all, if it is not for the bot any more
        or its author may not talk to it by now. What is being answered, or was, stays as it is.
        One that was never taken, and is for the bot by now, is taken like a new one.
        """
        async with self._changing:
            conversation = self._conversations.in_place(message.place)
            if conversation is not None and conversation.waiting_turn(message.ref) is not None:
                await self._change(conversation, message)
                return
        # Who was refused before is not told again.
        if self.wants(message) and is_fresh(message.written_at, now=self._clock()):
            await self._take_or_tell(message, at=self._clock())

    async def deleted(self, ref: MessageRef) -> None:
        """Hear that a message is gone: if it still waits, it is not answered."""
        async with self._changing:
            for place in self._conversations.places:
                conversation = self._conversations.in_place(place)
                if place.channel_id != ref.channel_id or conversation is None:
                    continue
                if conversation.waiting_turn(ref) is not None:
                    await self._take_out(conversation, ref)

    async def asked(self, question: IncomingMessage) -> Taken:
        """Take what somebody asks about a message; it is answered under that message.

        Args:
            question: What is asked, by whom; its `ref` is the message that it is about. Whether
                that person may talk to the bot was asked before.
        """
        taken = await self._taken(question, at=self._clock(), is_from_menu=True)
        if taken in _REFUSALS:
            await self._withdraw(question.ref)
        return taken

    def wants(self, message: IncomingMessage) -> bool:
        """Say whether a message is to be answered that was written unheard.

        Whoever may not talk to the bot is not told so later on.
        """
        return self.is_for_the_bot(message) and self.may_talk(turn_of(message), message.place)

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

    async def take_marks_back(self, refs: Iterable[MessageRef]) -> None:
        """Take away the marks that messages got because they had to wait."""
        for ref in refs:
            try:
                await self._messenger.take_reaction_back(ref, QUEUED)
            except MessengerError as error:
                logger.warning("channel %d: %s", ref.channel_id, error)

    def _may_ask(self, message: IncomingMessage) -> Verdict:
        verdict = self._authorize([message.author], Action.TALK, message.place)
        conversation = self._conversations.in_place(message.place)
        if isinstance(verdict, Refused) or conversation is None:
            return verdict
        return may_take(conversation.session, [message.author], self._authorize)

    async def _tell(self, message: IncomingMessage, why: str) -> None:
        """Say to whoever addressed the bot why they get no answer; once a minute at most."""
        # In a bound channel people may talk among themselves.
        is_addressed = message.mentions_bot or message.place.guild_id is None
        # Messages are taken one after another: whoever is refused must not hold up the others.
        if is_addressed and self._refusals.may_say(
            message.author.id, message.place.channel_id, at=self._clock()
        ):
            await self.reply(message.place, message.ref, why)

    async def _change(self, conversation: Conversation, message: IncomingMessage) -> None:
        if not self.wants(message):
            await self._take_out(conversation, message.ref)
            return
        # First in the queue: its turn may come while it is stored.
        conversation.replace(turn_of(message))
        try:
            async with asyncio.timeout(_TAKE_SECONDS):
                await self._messages.replace(message)
        except (sqlite3.Error, OSError):
            logger.exception("message %d: its new text is not stored", message.ref.message_id)

    async def _take_out(self, conversation: Conversation, ref: MessageRef) -> None:
        conversation.withdraw(ref)
        await self._withdraw(ref)

    async def _withdraw(self, ref: MessageRef) -> None:
        try:
            async with asyncio.timeout(_TAKE_SECONDS):
                await self._messages.withdraw(ref)
        except (sqlite3.Error, OSError):
            logger.exception("message %d: not stored as withdrawn", ref.message_id)

    async def _take_or_tell(self, message: IncomingMessage, *, at: float) -> None:
        to_answer = await self._typed.take(message, at=at)
        if to_answer is not None:
            await self._take_to_answer(to_answer, at=at)

    async def _take_to_answer(self, message: IncomingMessage, *, at: float) -> None:
        taken = await self._taken(message, at=at)
        if (refusal := _REFUSALS.get(taken)) is not None:
            await self.reply(message.place, message.ref, refusal)
            await self._withdraw(message.ref)

    async def _taken(
        self, message: IncomingMessage, *, at: float, is_from_menu: bool = False
    ) -> Taken:
        turn = turn_of(message, is_from_menu=is_from_menu)
        try:
            async with asyncio.timeout(_TAKE_SECONDS), self._changing:
                return await self._take(message, turn, at=at)
        except Exception as error:
            logger.exception("message %d could not be taken", message.ref.message_id)
            return Taken.DISK_FULL if is_disk_full(error) else Taken.NOT_STORED

    async def _take(self, message: IncomingMessage, turn: Turn, *, at: float) -> Taken:
        accept = self._messages.accept_question if turn.is_from_menu else self._messages.accept
        if not await accept(message, at=at):
            return Taken.BEFORE  # Discord tells some messages twice
        conversation, _ = await self._conversations.open(message.place, message.author)
        return Taken.NOW if conversation.take(turn) else Taken.TOO_MANY


def turn_of(message: IncomingMessage, *, is_from_menu: bool = False) -> Turn:
    """Return the turn that a message alone makes.

    Args:
        message: What was written.
        is_from_menu: Whether it is a question about a message. Something may have been said in
            reply to that one before, so its answer may stand there.
    """
    return Turn(
        people=(message.author,),
        text=message.text,
        attachments=message.attachments,
        asked_in=message.ref,
        is_from_menu=is_from_menu,
        is_begun=is_from_menu,
    )
