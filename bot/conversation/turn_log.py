"""The account that is kept of turns, so that a later bot knows how far each has come."""

import logging
import sqlite3
from collections.abc import Awaitable, Sequence
from typing import Protocol

from bot.conversation.message_record import MessageState
from bot.conversation.turn import Turn
from bot.messenger import MessageRef

logger = logging.getLogger(__name__)


class TurnLog(Protocol):
    """Keeps account of turns over restarts. Each method may raise sqlite3.Error."""

    async def begun(self, turn: Turn, *, session_id: str, at: float) -> None:
        """Store that a turn is being answered."""
        ...

    async def shown_in(self, turn: Turn, refs: Sequence[MessageRef]) -> None:
        """Store in which messages its answer stands so far."""
        ...

    async def answer_is_whole(self, turn: Turn, text: str) -> None:
        """Store its whole answer."""
        ...

    async def finished(self, turn: Turn, state: MessageState) -> None:
        """Store that nothing more is to be done about it."""
        ...


class Record:
    """Implements `AnswerRecord` for one turn. What cannot be stored is shown all the same."""

    def __init__(self, log: TurnLog, turn: Turn) -> None:
        self._log = log
        self._turn = turn

    async def shown_in(self, refs: Sequence[MessageRef]) -> None:
        """Store in which messages the answer stands so far."""
        await self._try(self._log.shown_in(self._turn, refs))

    async def is_whole(self, text: str) -> None:
        """Store the whole answer."""
        await self._try(self._log.answer_is_whole(self._turn, text))

    async def finished(self, state: MessageState) -> None:
        """Store that nothing more is to be done about the turn."""
        await self._try(self._log.finished(self._turn, state))

    async def _try(self, storing: Awaitable[None]) -> None:
        try:
            await storing
        except (sqlite3.Error, OSError):
            logger.exception("message %d: not stored", self._turn.asked_in.message_id)
