"""Keeps the cards of the sessions: in bound channels, and in the sessions' own threads."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Protocol

from bot.access import Place
from bot.cards.card import Card
from bot.conversation.session import Session
from bot.conversation.session_card import SESSION_CARD, session_card
from bot.messenger import MessageRef
from bot.speaker.speaker import Knobs

logger = logging.getLogger(__name__)

_POSTING_SECONDS = 10.0


class CardBoard(Protocol):
    """Where the cards are; `bot.cards.cards.Cards` is one."""

    def show(self, card: Card) -> None:
        """Have a card look so, soon."""
        ...

    async def ref_of(self, kind: str, subject: str, *, timeout_seconds: float) -> MessageRef | None:
        """Return where a card stands; waits for one that is on its way."""
        ...

    async def withdraw(self, kind: str, subject: str) -> None:
        """Have a card deleted and forgotten; harmless if there is none."""
        ...


class SessionCards:
    """Brings cards up to date, one after the other. Get it from `keeping_session_cards`."""

    def __init__(
        self, cards: CardBoard, *, is_bound: Callable[[Place], bool], usual: Knobs
    ) -> None:
        """Make it.

        Args:
            cards: Where the cards are.
            is_bound: Whether that channel itself is bound.
            usual: What the configuration says of what is not set.
        """
        self._cards = cards
        self._is_bound = is_bound
        self._usual = usual
        self._owed: dict[str, Session] = {}
        """What changed and is not shown yet; only the newest of each session counts."""
        self._came = asyncio.Event()

    def session_changed(self, session: Session) -> None:
        """Bring the session's card up to date, soon."""
        self._owed[session.id] = session
        self._came.set()

    async def run(self) -> None:
        """Do so until cancelled."""
        while True:
            while not self._owed:
                self._came.clear()
                await self._came.wait()
            session = self._owed.pop(next(iter(self._owed)))
            try:
                await self._bring_up_to_date(session)
            except Exception:
                # It is brought up to date with the next change; the others must go on.
                logger.exception("session %s: its card could not be changed", session.id)

    async def _bring_up_to_date(self, session: Session) -> None:
        is_bound = self._is_bound(session.place)
        is_wanted = session.is_open and (is_bound or session.has_own_thread)
        ref = await self._cards.ref_of(SESSION_CARD, session.id, timeout_seconds=_POSTING_SECONDS)
        is_elsewhere = ref is not None and ref.channel_id != session.place.channel_id
        if not is_wanted or is_elsewhere:
            await self._cards.withdraw(SESSION_CARD, session.id)
        if is_wanted:
            card = Card(
                kind=SESSION_CARD,
                subject=session.id,
                place=session.place,
                content=session_card(session, self._usual),
                is_pinned=is_bound,
            )
            self._cards.show(card)


@asynccontextmanager
async def keeping_session_cards(
    cards: CardBoard, *, is_bound: Callable[[Place], bool], usual: Knobs
) -> AsyncGenerator[SessionCards, None]:
    """Keep the sessions' cards while the block lasts.

    Args:
        cards: Where the cards are.
        is_bound: Whether that channel itself is bound.
        usual: What the configuration says of what is not set.
    """
    session_cards = SessionCards(cards, is_bound=is_bound, usual=usual)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(session_cards.run())
        try:
            yield session_cards
        finally:
            running.cancel()
