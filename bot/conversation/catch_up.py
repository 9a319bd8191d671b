"""Goes on where an earlier bot stopped, and finds what was written while none was there."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from bot.access import Place
from bot.conversation.conversations import Conversations
from bot.conversation.history import History
from bot.conversation.incoming import IncomingMessage, first_id_at
from bot.conversation.intake import Intake, turn_of
from bot.conversation.message_record import (
    MessageState,
    UnfinishedTurn,
    as_one,
    is_fresh,
    unfinished_turns,
)
from bot.conversation.message_store import MessageStore
from bot.conversation.turn import Turn
from bot.messenger import MessengerError

logger = logging.getLogger(__name__)

JobsStarted = Callable[[str, float], Awaitable[list[str]]]
"""Returns the names of the jobs that were started in that session since that time."""

_CHANNELS_AT_ONCE = 5
_KEPT_SECONDS = 7 * 24 * 3600.0


def away(count: int) -> str:
    """Return what is said of messages that got too old to be answered."""
    before = f" and {count - 1} before it" if count > 1 else ""
    return f"I was away when you wrote this{before}; ask again if it still matters."


def already_started(names: Sequence[str]) -> str:
    """Return the answer to what was being answered, and had led to jobs, when the bot stopped."""
    jobs = " and ".join(f"**{name}**" for name in names)
    return (
        f"I was stopped while I answered this. I had already started {jobs}, and do not do so"
        " again. Ask me for whatever is missing."
    )


class CatchUp:
    """Sees to it that nothing that was written to the bot stays unanswered."""

    def __init__(
        self,
        *,
        intake: Intake,
        messages: MessageStore,
        conversations: Conversations,
        history: History,
        jobs_started: JobsStarted,
        bound_channel_ids: AbstractSet[int],
        clock: Callable[[], float],
    ) -> None:
        self._intake = intake
        self._messages = messages
        self._conversations = conversations
        self._history = history
        self._jobs_started = jobs_started
        self._bound_channel_ids = bound_channel_ids
        self._clock = clock
        self._listening_since: float | None = None
        self._unread_since: dict[int, int] = {}
        """By channel that could not be read, after which message it begins."""

    async def run(self) -> None:
        """Do so; called once people can be heard, and before anything that they write is taken."""
        if self._listening_since is None:
            self._listening_since = self._clock()
            await self._messages.forget(before=self._clock() - _KEPT_SECONDS)
            await self._finish_turns()
            await self._read_missed(None)
        else:
            await self._read_missed(first_id_at(self._listening_since))

    async def _finish_turns(self) -> None:
        stale: list[UnfinishedTurn] = []
        for unfinished in unfinished_turns(await self._messages.unanswered()):
            if (turn := await self._still_wanted(unfinished)) is not None:
                await self._intake.take_again(turn, unfinished.place)
            else:
                stale.append(unfinished)
        await self._tell_stale([(each.place, each.turn) for each in stale])

    async def _still_wanted(self, unfinished: UnfinishedTurn) -> Turn | None:
        """Return what is left to do of a turn; `None` if it is too late for it."""
        turn = unfinished.turn
        if turn.answer is not None:
            return turn
        if unfinished.session_id is not None and unfinished.begun_at is not None:
            names = await self._jobs_started(unfinished.session_id, unfinished.begun_at)
            if names:
                return replace(turn, answer=already_started(names))
        is_wanted = unfinished.is_fresh(now=self._clock())
        return turn if is_wanted and self._intake.may_talk(turn, unfinished.place) else None

    async def _read_missed(self, first_id: int | None) -> None:
        """Read what was missed.

        Args:
            first_id: Where to begin in a channel in which nobody ever wrote to the bot; `None`:
                such channels are left out.
        """
        channels = {place.channel_id for place in self._conversations.places}
        free = asyncio.Semaphore(_CHANNELS_AT_ONCE)
        async with asyncio.TaskGroup() as tasks:
            for channel_id in sorted(channels | self._bound_channel_ids):
                newest = await self._messages.newest_in(channel_id)
                since = self._unread_since.get(channel_id, first_id if newest is None else newest)
                if since is not None:
                    tasks.create_task(self._read_channel(channel_id, since, free))

    async def _read_channel(self, channel_id: int, since: int, free: asyncio.Semaphore) -> None:
        try:
            async with free:
                messages = await self._history.since(channel_id, since)
        except MessengerError as error:
            logger.warning("channel %d: what was missed cannot be read: %s", channel_id, error)
            self._unread_since[channel_id] = since
            return
        self._unread_since.pop(channel_id, None)
        await self._take_missed([m for m in messages if self._intake.wants(m)])

    async def _take_missed(self, messages: Sequence[IncomingMessage]) -> None:
        stale: list[tuple[Place, Turn]] = []
        for message in messages:
            if is_fresh(message.written_at, now=self._clock()):
                await self._intake.missed(message)
            elif await self._messages.accept(message, at=message.written_at):
                stale.append((message.place, turn_of(message)))
        await self._tell_stale(stale)

    async def _tell_stale(self, turns: Sequence[tuple[Place, Turn]]) -> None:
        for place, turn in as_one(turns):
            if await self._intake.reply(place, turn.asked_in, away(1 + len(turn.joined))):
                await self._messages.finished(turn, MessageState.STALE)
