"""Goes on where an earlier bot stopped, and finds what was written while none was there."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from bot.access import Place
from bot.conversation.conversations import Conversations
from bot.conversation.gone_channels import hang_up_gone
from bot.conversation.hearing import Hearing
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
from bot.messenger import MessageRef, MessengerError

logger = logging.getLogger(__name__)

JobsStarted = Callable[[str, float], Awaitable[list[str]]]
"""Returns the names of the jobs that were started in that session since that time."""

_CHANNELS_AT_ONCE = 5
_LOOK_SECONDS = 10.0
"""How long one waits at the start to hear what became of messages that still wait."""
_DAY_SECONDS = 24 * 3600.0
_KEPT_SECONDS = 7 * _DAY_SECONDS
_DIRECT_SECONDS = 30 * _DAY_SECONDS
"""Whoever has not written for so long in direct messages is not looked after there."""
_MOST_CHANNELS = 50
"""How many channels in which no conversation is open are read, and as many of direct messages."""


def away(count: int) -> str:
    """Return what is said of messages that got too old to be answered."""
    before = f" and {count - 1} before it" if count > 1 else ""
    return f"I was away when you wrote this{before}; ask again if it still matters."


AWAY_WHEN_ASKED = "I was away when somebody asked me about this; ask again if it still matters."


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
        hearing: Hearing,
        jobs_started: JobsStarted,
        bound_channels: Callable[[], Iterable[int]],
        clock: Callable[[], float],
    ) -> None:
        """Make it.

        Args:
            intake: Takes what is found.
            messages: What was taken before.
            conversations: The open ones.
            history: What stands in the channels.
            hearing: Until when people were heard; it is kept up to date.
            jobs_started: Tells what an answer that was broken off had led to.
            bound_channels: Gives the ids of the channels in which every message is for the bot.
            clock: Gives Unix time, in seconds.
        """
        self._intake = intake
        self._messages = messages
        self._conversations = conversations
        self._history = history
        self._hearing = hearing
        self._jobs_started = jobs_started
        self._bound_channels = bound_channels
        self._clock = clock
        self._has_run = False
        self._is_behind = True
        """Whether something may still be unread."""
        self._unread_since: dict[int, int] = {}
        """By channel that could not be read, after which message it begins."""

    async def run(self) -> None:
        """Do so; called once people can be heard, and before anything that they write is taken."""
        self._is_behind = True
        began_at = self._clock()
        if not self._has_run:
            self._has_run = True
            await self._messages.forget(before=began_at - _KEPT_SECONDS)
            await self._finish_turns()
        if await self._read_missed():
            self._is_behind = False
            await self._hearing.heard(began_at)

    async def heard_until(self, at: float) -> None:
        """Remember that all was taken that was heard before then, if nothing is unread.

        Args:
            at: Unix time, in seconds.

        Raises:
            sqlite3.Error: If it was not stored.
        """
        if not self._is_behind:
            await self._hearing.heard(at)

    async def _finish_turns(self) -> None:
        every = unfinished_turns(await self._messages.unanswered())
        as_now = await self._as_they_read_now(every)
        stale: list[UnfinishedTurn] = []
        for earlier in every:
            unfinished = await self._brought_up_to_date(earlier, as_now)
            if unfinished is None:
                continue
            if (turn := await self._still_wanted(unfinished)) is not None:
                await self._intake.take_again(turn, unfinished.place)
            else:
                stale.append(unfinished)
        await self._tell_stale([(each.place, each.turn) for each in stale])
        await self._take_marks_back([ref for each in stale for ref in each.turn.messages])

    async def _as_they_read_now(
        self, turns: Iterable[UnfinishedTurn]
    ) -> Mapping[MessageRef, IncomingMessage | None]:
        """Return the messages that may have been changed; `None` for one that is gone."""
        now = self._clock()
        refs = [t.turn.asked_in for t in turns if t.turn.is_untouched and t.is_fresh(now=now)]
        found: dict[MessageRef, IncomingMessage | None] = {}
        free = asyncio.Semaphore(_CHANNELS_AT_ONCE)

        async def look(ref: MessageRef) -> None:
            try:
                async with free:
                    found[ref] = await self._history.message(ref)
            except MessengerError as error:  # it is then answered as it was
                logger.warning("message %d cannot be read again: %s", ref.message_id, error)

        with suppress(TimeoutError):
            async with asyncio.timeout(_LOOK_SECONDS), asyncio.TaskGroup() as tasks:
                for ref in refs:
                    tasks.create_task(look(ref))
        return found

    async def _brought_up_to_date(
        self, unfinished: UnfinishedTurn, as_now: Mapping[MessageRef, IncomingMessage | None]
    ) -> UnfinishedTurn | None:
        """Return a turn as its message reads now; `None` if that was taken back."""
        ref = unfinished.turn.asked_in
        if ref not in as_now:
            return unfinished
        message = as_now[ref]
        if message is None or not self._intake.is_for_the_bot(message):
            if message is not None:
                await self._take_marks_back([ref])
            await self._messages.withdraw(ref)
            return None
        await self._messages.replace(message)
        return replace(unfinished, turn=turn_of(message))

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

    async def _take_marks_back(self, refs: Sequence[MessageRef]) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_LOOK_SECONDS):
                await self._intake.take_marks_back(refs)

    async def _read_missed(self) -> bool:
        """Read what was missed; returns whether there is nothing that could be read later."""
        unheard = first_id_at(self._hearing.until)
        places = {place.channel_id for place in self._conversations.places}
        first_ids = {
            channel_id: await self._first_id(channel_id, unheard)
            for channel_id in sorted(places.union(self._bound_channels()))
        }
        with_news = await self._channels_with_news(unheard, besides=first_ids.keys())
        first_ids |= dict.fromkeys(with_news or (), unheard)
        free = asyncio.Semaphore(_CHANNELS_AT_ONCE)
        async with asyncio.TaskGroup() as tasks:
            readings = [
                tasks.create_task(
                    self._read_channel(channel_id, self._unread_since.get(channel_id, since), free)
                )
                for channel_id, since in first_ids.items()
            ]
        return with_news is not None and all(reading.result() for reading in readings)

    async def _first_id(self, channel_id: int, unheard: int) -> int:
        newest = await self._messages.newest_in(channel_id)
        return unheard if newest is None else min(newest, unheard)

    async def _channels_with_news(
        self, unheard: int, *, besides: Collection[int]
    ) -> list[int] | None:
        """Return the channels in which nobody talks with the bot at present; `None`: unknown."""
        direct = await self._messages.direct_channels(
            most=_MOST_CHANNELS, since=self._clock() - _DIRECT_SECONDS
        )
        try:
            places = await self._history.channels_since(unheard)
        except MessengerError as error:
            logger.warning("where something was missed is not known: %s", error)
            return None
        found = [place.channel_id for place in places if place.channel_id not in besides]
        if (unread := len(found) - _MOST_CHANNELS) > 0:
            logger.warning("%d more channels have news than are read", unread)
        return [each for each in direct if each not in besides] + found[:_MOST_CHANNELS]

    async def _read_channel(self, channel_id: int, since: int, free: asyncio.Semaphore) -> bool:
        try:
            async with free:
                messages = await self._history.since(
                    channel_id, since, is_wanted=self._intake.is_for_the_bot
                )
        except MessengerError as error:
            logger.warning("channel %d: what was missed cannot be read: %s", channel_id, error)
            self._unread_since[channel_id] = since
            if error.is_gone:
                await hang_up_gone(self._conversations, channel_id)
            return error.is_final
        self._unread_since.pop(channel_id, None)
        await self._take_missed([m for m in messages if self._intake.wants(m)])
        return True

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
            text = AWAY_WHEN_ASKED if turn.is_from_menu else away(len(turn.messages))
            if await self._intake.reply(place, turn.asked_in, text):
                await self._messages.finished(turn, MessageState.STALE)
