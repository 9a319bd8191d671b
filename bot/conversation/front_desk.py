"""The front desk: takes what people do, asks whether they may, and has it done."""

import logging
from collections.abc import Callable
from collections.abc import Set as AbstractSet

from bot.access import Action, Authorize, Refused
from bot.conversation.command_desk import CommandDesk
from bot.conversation.conversations import Conversations
from bot.conversation.incoming import ButtonPress, CommandCall, IncomingMessage
from bot.conversation.job_desk import JobDesk
from bot.conversation.routing import is_for_the_bot
from bot.conversation.turn import Turn
from bot.messenger import MessageContent, Messenger, MessengerError
from extensions.jobs.manager import JobManager

logger = logging.getLogger(__name__)

TOO_MANY_WAIT = "I have too many messages waiting already. Let me answer those first."


class FrontDesk:
    """Implements `Listener`: every message, command and button comes here first."""

    def __init__(
        self,
        *,
        authorize: Authorize,
        conversations: Conversations,
        commands: CommandDesk,
        jobs: JobDesk,
        messenger: Messenger,
        bound_channel_ids: AbstractSet[int],
    ) -> None:
        self._authorize = authorize
        self._conversations = conversations
        self._commands = commands
        self._jobs = jobs
        self._messenger = messenger
        self._bound_channel_ids = bound_channel_ids

    async def message_arrived(self, message: IncomingMessage) -> None:
        """Have a message that is meant for the bot answered."""
        if not is_for_the_bot(message, self._bound_channel_ids):
            return
        verdict = self._authorize([message.author], Action.TALK, message.place)
        if isinstance(verdict, Refused):
            # In a bound channel people may talk among themselves.
            if message.mentions_bot or message.place.guild_id is None:
                await self._reply(message, verdict.reason)
            return
        conversation, _ = await self._conversations.open(message.place, message.author)
        turn = Turn(people=(message.author,), text=message.text, asked_in=message.ref)
        if not conversation.take(turn):
            await self._reply(message, TOO_MANY_WAIT)

    async def command_called(self, call: CommandCall) -> MessageContent:
        """Carry out a command, and return what only the person who called it sees."""
        return MessageContent(text=await self._commands.carry_out(call))

    async def button_pressed(self, press: ButtonPress) -> MessageContent | None:
        """Do what a button says, and return what only that person sees, if anything."""
        return await self._jobs.press(press)

    async def _reply(self, message: IncomingMessage, text: str) -> None:
        try:
            await self._messenger.post(
                message.place,
                MessageContent(text=text),
                nonce=f"r{message.ref.message_id}",
                reply_to=message.ref,
            )
        except MessengerError as error:
            logger.warning("channel %d: %s", message.place.channel_id, error)


def open_front_desk(
    *,
    authorize: Authorize,
    conversations: Conversations,
    jobs: JobManager,
    messenger: Messenger,
    bound_channel_ids: AbstractSet[int],
    describe_bot: Callable[[], str],
    clock: Callable[[], float],
) -> FrontDesk:
    """Return the front desk, with the desks behind it.

    Args:
        authorize: Who may do what.
        conversations: The open ones.
        jobs: All jobs.
        messenger: What carries messages.
        bound_channel_ids: Channels in which every message is meant for the bot.
        describe_bot: Says how the bot itself is, in a few words.
        clock: Gives Unix time, in seconds.
    """
    job_desk = JobDesk(authorize, jobs, clock)
    commands = CommandDesk(
        authorize=authorize,
        conversations=conversations,
        jobs=job_desk,
        describe_bot=describe_bot,
    )
    return FrontDesk(
        authorize=authorize,
        conversations=conversations,
        commands=commands,
        jobs=job_desk,
        messenger=messenger,
        bound_channel_ids=bound_channel_ids,
    )
