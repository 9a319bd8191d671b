"""The card that shows, while an answer is made, what is done for it."""

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from typing import Protocol

from bot.access import Place
from bot.cards.card import Card
from bot.conversation.session import Streaming
from bot.conversation.turn import Turn
from bot.conversation.work_card import Work, WorkEnd
from bot.messenger import MessageContent, MessageRef
from bot.speaker.sentences import CANCELLED
from bot.speaker.speaker import Delayed, Failed, SpeakerEvent, ToolUsed

logger = logging.getLogger(__name__)

KIND = "work"


class ShowsCards(Protocol):
    """What shows cards."""

    def show(self, card: Card) -> None:
        """Have a card look so, soon."""
        ...

    async def ref_of(self, kind: str, subject: str, *, timeout_seconds: float) -> MessageRef | None:
        """Return where a card stands, if it does."""
        ...


class LiveCard:
    """The card of one turn: posted at the first tool, or when the work takes long."""

    def __init__(
        self,
        cards: ShowsCards,
        place: Place,
        turn: Turn,
        streaming: Streaming,
        clock: Callable[[], float],
    ) -> None:
        self._cards = cards
        self._place = place
        self._turn = turn
        self._streaming = streaming
        self._clock = clock
        self._work = Work(began_at=clock())
        self._end = WorkEnd.DONE
        self._is_shown = False
        self._is_delayed = False

    def add(self, event: SpeakerEvent) -> None:
        """Take what the speaker said or did next, and show it if a card is shown."""
        if isinstance(event, Failed):
            self._end = WorkEnd.CANCELLED if event.sentence == CANCELLED else WorkEnd.FAILED
        self._is_delayed = isinstance(event, Delayed)
        looks_different = self._work.add(event, self._streaming)
        if isinstance(event, ToolUsed) or (self._is_shown and looks_different):
            self._show()

    async def show_after(self, seconds: float) -> None:
        """Show the card after a while, unless all there is to tell stands in the answer."""
        await asyncio.sleep(seconds)
        if not (self._is_shown or self._is_delayed or self._work.is_only_said):
            self._show()

    async def end(self) -> None:
        """Have the card tell how the turn ended, if it was ever shown."""
        if self._is_shown or await self._was_left_over():
            self._put(self._work.last_card(self._end, now=self._clock()), is_final=True)

    async def _was_left_over(self) -> bool:
        """Return whether an earlier try at this turn has left its card."""
        if not self._turn.is_begun:
            return False
        try:
            return await self._cards.ref_of(KIND, self._subject, timeout_seconds=0) is not None
        except (sqlite3.Error, OSError):
            logger.exception("message %s: its card could not be looked up", self._subject)
            return False

    def _show(self) -> None:
        if self._streaming is not Streaming.OFF:
            self._is_shown = True
            self._put(self._work.card(self._streaming, now=self._clock()), is_final=False)

    def _put(self, content: MessageContent, *, is_final: bool) -> None:
        self._cards.show(
            Card(
                kind=KIND,
                subject=self._subject,
                place=self._place,
                content=content,
                is_final=is_final,
                reply_to=None if self._turn.is_spoken else self._turn.asked_in,
            )
        )

    @property
    def _subject(self) -> str:
        return str(self._turn.asked_in.message_id)
