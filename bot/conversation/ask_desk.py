"""The commands about the answers themselves: have a message answered, and stop an answer."""

from typing import assert_never

from bot.commands.table import ASK
from bot.conversation.conversations import Conversations
from bot.conversation.desk import DeskOffer
from bot.conversation.incoming import CommandCall, IncomingMessage
from bot.conversation.intake import DISK_FULL, NOT_TAKEN, TOO_MANY_WAIT, Intake, Taken
from bot.conversation.message_record import MessageState
from bot.conversation.message_store import MessageStore
from bot.conversation.session_words import NOT_OPEN
from bot.messenger import MessageContent, MessageRef
from bot.quoting import cleaned

NOTHING_RUNS = "Nothing is in flight here."
CANCELLED = "Cancelled what I was answering."

ASKED = "I answer it in a reply to that message."
ANSWERED_ALREADY = "I have answered that one already."
ANSWERING_NOW = "I am answering that one right now."
WAITS_ALREADY = "That one is in my queue."
NOTHING_IN_IT = "There is nothing in that message that I could read."

_LONGEST_NAME = 40


class AskDesk:
    """Has a message answered that somebody chose, and ends what is being answered."""

    def __init__(
        self, conversations: Conversations, intake: Intake, messages: MessageStore
    ) -> None:
        self._conversations = conversations
        self._intake = intake
        self._messages = messages

    def offer(self) -> DeskOffer:
        """Return what it takes care of."""
        return DeskOffer(commands={ASK: self._ask, "cancel": self._cancel})

    async def _ask(self, call: CommandCall) -> MessageContent:
        question = None if call.target is None else question_about(call.target, call)
        if question is None:
            return MessageContent(text=NOTHING_IN_IT)
        return MessageContent(text=await self._asked(question))

    async def _asked(self, question: IncomingMessage) -> str:
        taken = await self._intake.asked(question)
        match taken:
            case Taken.NOW:
                return ASKED
            case Taken.BEFORE:
                return await self._taken_before(question.ref)
            case Taken.TOO_MANY:
                return TOO_MANY_WAIT
            case Taken.NOT_STORED:
                return NOT_TAKEN
            case Taken.DISK_FULL:
                return DISK_FULL
            case _:
                assert_never(taken)

    async def _taken_before(self, ref: MessageRef) -> str:
        match await self._messages.state_of(ref):
            case MessageState.ACCEPTED:
                return WAITS_ALREADY
            case MessageState.ANSWERING:
                return ANSWERING_NOW
            case _:
                return ANSWERED_ALREADY

    async def _cancel(self, call: CommandCall) -> MessageContent:
        conversation = self._conversations.in_place(call.place)
        if conversation is None:
            return MessageContent(text=NOT_OPEN)
        was_running = await conversation.cancel()
        return MessageContent(text=CANCELLED if was_running else NOTHING_RUNS)


def question_about(target: IncomingMessage, call: CommandCall) -> IncomingMessage | None:
    """Return what somebody asks who calls the command on `target`; `None` if that is empty.

    It is theirs: it is answered with the rights of whoever asked, not of whoever wrote it.
    """
    if not target.text and not target.attachments:
        return None
    author = " ".join(cleaned(target.author.name).split())[:_LONGEST_NAME]
    # Each line is marked, so that none can pass for one that the person who asks wrote.
    quoted = "\n".join(f"> {line}" for line in cleaned(target.text).splitlines())
    return IncomingMessage(
        ref=target.ref,
        author=call.person,
        place=call.place,
        text=f"Please answer this message, which {author} wrote:\n{quoted or '> (only files)'}",
        mentions_bot=True,
        attachments=target.attachments,
    )
