"""The transcript of one line: shown in its status message, and kept for as long as is wanted."""

import asyncio
from collections.abc import Callable

from bot.conversation.line_board import LineBoard
from bot.conversation.line_people import LinePeople
from bot.conversation.session import Session
from bot.conversation.transcript import SaidHow, TranscriptLine
from bot.conversation.transcript_store import TranscriptStore


class LineTranscript:
    """Takes what was said on a line."""

    def __init__(
        self,
        store: TranscriptStore,
        board: LineBoard,
        people: LinePeople,
        session: Callable[[], Session | None],
        *,
        clock: Callable[[], float],
        bot_name: str,
    ) -> None:
        """Make it.

        Args:
            store: Keeps it.
            board: Shows the newest of it.
            people: Who is there.
            session: Gives the session that is open there.
            clock: Gives Unix time, in seconds.
            bot_name: What the bot is called.
        """
        self._store = store
        self._board = board
        self._people = people
        self._session = session
        self._clock = clock
        self._bot_name = bot_name

    def bot_said(self, text: str, how: SaidHow, *, is_cut: bool) -> TranscriptLine:
        """Show what the bot said, and return it, to be kept."""
        return self._shown(
            TranscriptLine(
                at=self._clock(),
                person_id=None,
                name=self._bot_name,
                text=text,
                how=how,
                is_cut=is_cut,
            )
        )

    def somebody_said(
        self, person_id: int, text: str, how: SaidHow, *, at: float
    ) -> TranscriptLine:
        """Show what somebody said, and return it, to be kept.

        Args:
            person_id: Who said it.
            text: What.
            how: To whom.
            at: When they began, by the loop's clock.
        """
        ago = max(0.0, asyncio.get_running_loop().time() - at)
        return self._shown(
            TranscriptLine(
                at=self._clock() - ago,
                person_id=person_id,
                name=self._people.name_of(person_id),
                text=text,
                how=how,
            )
        )

    async def keep(self, line: TranscriptLine) -> None:
        """Keep a line with the session that is open there.

        Raises:
            sqlite3.Error: If it cannot be stored.
        """
        if (session := self._session()) is not None:
            await self._store.add(session.id, line)

    async def newest(self, limit: int) -> list[TranscriptLine]:
        """Return what was said last in the session that is open there.

        Raises:
            sqlite3.Error: If it cannot be read.
        """
        session = self._session()
        return [] if session is None else await self._store.newest(session.id, limit)

    def _shown(self, line: TranscriptLine) -> TranscriptLine:
        self._board.said(line)
        return line
