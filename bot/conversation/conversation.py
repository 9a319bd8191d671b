"""A conversation: one session, one queue of turns, one speaker."""

import asyncio
import logging

from bot.conversation.session import Session
from bot.conversation.surface import Surface
from bot.conversation.turn import Turn, spoken_line
from bot.speaker.speaker import Speaker

logger = logging.getLogger(__name__)

MOST_WAITING_TURNS = 20


class Conversation:
    """A session that is open in a place. Run it in a task of its own."""

    def __init__(self, session: Session, speaker: Speaker, surface: Surface) -> None:
        self.session = session
        """As it is at present; whoever changes it saves it."""
        self._speaker = speaker
        self._surface = surface
        self._waiting: asyncio.Queue[Turn] = asyncio.Queue(MOST_WAITING_TURNS)
        self.running_turn: Turn | None = None
        """The turn that is being answered."""

    @property
    def waiting_turns(self) -> int:
        """How many turns wait for the running one to end."""
        return self._waiting.qsize()

    def take(self, turn: Turn) -> bool:
        """Take a turn, to be answered after those that came before; `False` if too many wait."""
        try:
            self._waiting.put_nowait(turn)
        except asyncio.QueueFull:
            return False
        return True

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
                await self._answer(await self._waiting.get())

    async def _answer(self, turn: Turn) -> None:
        self.running_turn = turn
        try:
            await self._surface.show(turn, self._speaker.answer(spoken_line(turn)))
        except Exception:  # one turn that breaks must not end the conversation
            logger.exception("session %s: a turn broke", self.session.id)
        finally:
            self.running_turn = None
