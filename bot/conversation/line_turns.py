"""Brings what people say on a line into its conversation, one after the other."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from itertools import count

from bot.access import Person
from bot.conversation.conversation import Conversation
from bot.conversation.intake import NOT_TAKEN, TOO_MANY_WAIT
from bot.conversation.line_news import LineNews
from bot.conversation.line_parts import LineParts
from bot.conversation.line_people import LinePeople
from bot.conversation.message_record import MessageState
from bot.conversation.turn import Turn, spoken_ref
from bot.messenger import MessageRef
from voice.events import SpokenTurn

logger = logging.getLogger(__name__)

_MOST_WAITING = 20
_MOST_SUPERSEDED = 50
_numbers = count(1)
"""So that no two things that are said in this process stand under the same id."""


class Superseded:
    """The turns in whose place others were taken while they were being answered."""

    def __init__(self) -> None:
        self._refs = deque[MessageRef](maxlen=_MOST_SUPERSEDED)

    def add(self, turn: Turn) -> None:
        """Take one more; of many, the oldest are forgotten."""
        self._refs.append(turn.asked_in)

    def has(self, turn: Turn) -> bool:
        """Say whether a turn is one of them."""
        return turn.asked_in in self._refs


class LineTurns:
    """Takes spoken turns. Run it in a task."""

    def __init__(
        self,
        parts: LineParts,
        people: LinePeople,
        news: LineNews,
        say: Callable[[str], None],
        break_off: Callable[[int], None],
        superseded: Superseded,
    ) -> None:
        """Make it.

        Args:
            parts: What lines are made of.
            people: Who is on the line.
            news: What the speaker is told besides.
            say: Says a sentence on the line.
            break_off: Ends what is spoken, or will be, of the answer to somebody.
            superseded: Told of turns in whose place others are taken.
        """
        self._parts = parts
        self._people = people
        self._news = news
        self._say = say
        self._came: asyncio.Queue[SpokenTurn] = asyncio.Queue(_MOST_WAITING)
        self._newest: dict[int, MessageRef] = {}
        """Of each person, what stands for the last thing that they said."""
        self._superseded = superseded
        self._break_off = break_off
        self._taking = asyncio.Lock()
        self._is_over = False

    async def end(self) -> None:
        """Bring none any more: what is said by now would open the conversation again."""
        self._is_over = True
        # Until the one that is being brought is there.
        async with self._taking:
            pass

    def put(self, turn: SpokenTurn) -> None:
        """Take a turn; one that is too many is not answered, which is said."""
        try:
            self._came.put_nowait(turn)
        except asyncio.QueueFull:
            logger.warning("channel %d: too much is said at once", self._people.place.channel_id)
            self._say(TOO_MANY_WAIT)

    async def take_back(self, person_id: int, conversation: Conversation) -> None:
        """Have not answered what somebody said last, if it waits; else what is being answered."""
        running, newest = conversation.running_turn, self._newest.get(person_id)
        is_anothers = running is not None and person_id not in {one.id for one in running.people}
        if newest is not None and is_anothers and conversation.waiting_turn(newest) is not None:
            conversation.withdraw(newest)
            await self._parts.messages.withdraw(newest)
        else:
            await conversation.cancel()

    async def run(self) -> None:
        """Bring them into the conversation, until cancelled."""
        while True:
            turn = await self._came.get()
            async with self._taking:
                if self._is_over:
                    return
                await self._bring(turn)

    async def _bring(self, turn: SpokenTurn) -> None:
        person = self._people.find(turn.utterance.person_id)
        # Asked again: much may have happened since it was begun to be said.
        if person is None or not self._people.may_talk(person):
            return
        try:
            is_taken = await self._take(turn, person)
        except Exception:  # one turn that breaks must not make the line deaf
            logger.exception(
                "channel %d: what was said could not be taken", self._people.place.channel_id
            )
            self._say(NOT_TAKEN)
        else:
            if not is_taken:
                self._say(TOO_MANY_WAIT)

    async def _take(self, spoken: SpokenTurn, person: Person) -> bool:
        parts, place, now = self._parts, self._people.place, self._parts.clock()
        turn = Turn(
            people=(person,),
            text=spoken.utterance.text,
            asked_in=spoken_ref(place.channel_id, at=now, number=next(_numbers)),
            is_spoken=True,
        )
        conversation, _ = await parts.conversations.open(place, person)
        await parts.messages.accept_spoken(turn, place, at=now)
        earlier = self._newest.get(person.id) if spoken.is_merged else None
        self._newest[person.id] = turn.asked_in
        if earlier is None:
            is_taken = conversation.take(turn)
        else:
            is_taken = await self._take_in_place_of(earlier, turn, conversation)
        if not is_taken:
            await parts.messages.finished(turn, MessageState.WITHDRAWN)
        return is_taken

    async def _take_in_place_of(
        self, earlier: MessageRef, turn: Turn, conversation: Conversation
    ) -> bool:
        running = conversation.running_turn
        if running is not None and earlier in running.messages:
            self._superseded.add(running)
            self._break_off(turn.people[0].id)
            self._news.went_on(turn.people[0].name)
        is_taken = await conversation.take_in_place_of(earlier, turn)
        # If it was still waiting, nothing else finishes it.
        await self._parts.messages.withdraw(earlier)
        return is_taken
