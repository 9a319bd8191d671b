"""A conversation: one session, one queue of turns, one speaker."""

import asyncio
import logging
import sqlite3
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

from bot.conversation.message_record import MessageState
from bot.conversation.session import Session
from bot.conversation.surface import Surface
from bot.conversation.turn import Turn, next_turn, spoken_line
from bot.messenger import MessageRef
from bot.speaker.speaker import Answered, Failed, Speaker, SpeakerEvent, TextCame

logger = logging.getLogger(__name__)

MOST_WAITING_TURNS = 20
_PARTING_SECONDS = 5.0

NOT_NOTED = "I could not take down that I answer you, so I do not begin: ask me again in a while."
BROKE = "Something broke while I was answering; the operator finds it in the log. Ask me again."
HUNG_UP = "The conversation was ended before I had answered this."


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


class Conversation:
    """A session that is open in a place. Run it in a task of its own."""

    def __init__(
        self,
        session: Session,
        speaker: Speaker,
        surface: Surface,
        log: TurnLog,
        clock: Callable[[], float],
    ) -> None:
        self.session = session
        """As it is at present; whoever changes it saves it."""
        self._speaker = speaker
        self._surface = surface
        self._log = log
        self._clock = clock
        self._waiting: deque[Turn] = deque()
        self._came = asyncio.Event()
        self.running_turn: Turn | None = None
        """The turn that is being answered."""
        self._broken_off: Turn | None = None

    @property
    def waiting_turns(self) -> int:
        """How many turns wait for the running one to end."""
        return len(self._waiting)

    def take(self, turn: Turn) -> bool:
        """Take a turn, to be answered after those that came before; `False` if too many wait."""
        if len(self._waiting) >= MOST_WAITING_TURNS:
            return False
        self.take_again(turn)
        return True

    def take_again(self, turn: Turn) -> None:
        """Take a turn that was taken before, however many wait."""
        self._waiting.append(turn)
        self._came.set()

    def warm_up(self) -> None:
        """Get the speaker ready in the background."""
        self._speaker.warm_up()

    async def cancel(self) -> bool:
        """Have the running turn end at once; `False` if there is none."""
        return await self._speaker.interrupt()

    async def run(self) -> None:
        """Answer turns until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._speaker.run())
            while True:
                while not self._waiting:
                    self._came.clear()
                    await self._came.wait()
                turn, count = next_turn(self._waiting)
                for _ in range(count):
                    self._waiting.popleft()
                await self._answer(turn)

    async def part(self) -> None:
        """Tell those who were not answered that they will not be; only once it does not run."""
        left = [] if self._broken_off is None else [replace(self._broken_off, is_begun=True)]
        left += self._waiting
        self._waiting.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(_PARTING_SECONDS):
                for turn in left:
                    await self._show(turn, _failed(HUNG_UP))
        for turn in left:
            await _Record(self._log, turn).finished(MessageState.WITHDRAWN)

    async def _answer(self, turn: Turn) -> None:
        self.running_turn = turn
        try:
            await self._carry_out(turn)
        except asyncio.CancelledError:
            self._broken_off = turn
            raise
        except Exception:  # one turn that breaks must not end the conversation
            logger.exception("session %s: a turn broke", self.session.id)
            await self._apologise(turn, BROKE)
        finally:
            self.running_turn = None

    async def _carry_out(self, turn: Turn) -> None:
        if turn.answer is not None:
            await self._show(turn, _known(turn.answer))
        elif await self._is_noted(turn):
            await self._show(turn, self._speaker.answer(spoken_line(turn)))
        else:
            await self._apologise(turn, NOT_NOTED)
            return
        await _Record(self._log, turn).finished(MessageState.ANSWERED)

    async def _is_noted(self, turn: Turn) -> bool:
        """Store that it is begun: a later bot must know that a job may have been started."""
        try:
            await self._log.begun(turn, session_id=self.session.id, at=self._clock())
        except (sqlite3.Error, OSError):
            logger.exception("session %s: a turn could not be stored", self.session.id)
            return False
        return True

    async def _apologise(self, turn: Turn, sentence: str) -> None:
        try:
            await self._show(replace(turn, is_begun=True), _failed(sentence))
        except Exception:
            logger.exception("session %s: nobody could be told of it", self.session.id)
        await _Record(self._log, turn).finished(MessageState.ANSWERED)

    async def _show(self, turn: Turn, answer: AsyncGenerator[SpeakerEvent, None]) -> None:
        await self._surface.show(turn, answer, _Record(self._log, turn))


class _Record:
    """Implements `AnswerRecord` for one turn. What cannot be stored is shown all the same."""

    def __init__(self, log: TurnLog, turn: Turn) -> None:
        self._log = log
        self._turn = turn

    async def shown_in(self, refs: Sequence[MessageRef]) -> None:
        await self._try(self._log.shown_in(self._turn, refs))

    async def is_whole(self, text: str) -> None:
        await self._try(self._log.answer_is_whole(self._turn, text))

    async def finished(self, state: MessageState) -> None:
        await self._try(self._log.finished(self._turn, state))

    async def _try(self, storing: Awaitable[None]) -> None:
        try:
            await storing
        except (sqlite3.Error, OSError):
            logger.exception("message %d: not stored", self._turn.asked_in.message_id)


async def _known(text: str) -> AsyncGenerator[SpeakerEvent, None]:
    yield TextCame(text)
    yield Answered()


async def _failed(sentence: str) -> AsyncGenerator[SpeakerEvent, None]:
    yield Failed(sentence)
