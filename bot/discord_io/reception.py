"""Takes what people do to the listener: messages one after another, the rest side by side."""

import asyncio
import logging

from bot.conversation.incoming import IncomingMessage, Listener
from bot.discord_io.interactions import Interaction, answer_interaction, turn_away
from bot.redaction import Redactor

logger = logging.getLogger(__name__)

_MOST_WAITING_MESSAGES = 1000
_MOST_INTERACTIONS = 100
_MOST_TURNED_AWAY = 400
"""How many more are told at the same time that there are too many."""
_TAKE_SECONDS = 30.0
_ANSWER_SECONDS = 180.0
_CATCH_UP_SECONDS = 120.0


class Reception:
    """Hands over what arrives, so that Discord's events never wait for the listener.

    Args:
        listener: Whoever is told.
        tasks: Owns the answers that are under way.
        redactor: Takes secrets out of them.
    """

    def __init__(
        self, listener: Listener, tasks: asyncio.TaskGroup, redactor: Redactor | None = None
    ) -> None:
        self._listener = listener
        self._tasks = tasks
        self._redactor = redactor or Redactor()
        self._messages: asyncio.Queue[IncomingMessage | None] = asyncio.Queue()
        """`None` stands where something may have been missed."""
        self._gap_is_known = False
        self._answers: set[asyncio.Task[None]] = set()

    def take_message(self, message: IncomingMessage) -> None:
        """Keep a message until it is its turn."""
        if self._messages.qsize() < _MOST_WAITING_MESSAGES:
            self._messages.put_nowait(message)
        else:
            logger.warning(
                "message %s is dropped: %s are waiting already",
                message.ref.message_id,
                _MOST_WAITING_MESSAGES,
            )

    def take_gap(self) -> None:
        """Have it looked, before the next message is handed over, whether one was missed."""
        if not self._gap_is_known:
            self._gap_is_known = True
            self._messages.put_nowait(None)

    def take_interaction(self, interaction: Interaction) -> None:
        """Start to answer a slash command or a button."""
        at_once = len(self._answers)
        if at_once >= _MOST_INTERACTIONS + _MOST_TURNED_AWAY:
            logger.warning("interaction %s is dropped: too many at once", interaction.id)
            return
        is_taken = at_once < _MOST_INTERACTIONS
        answer = self._answer(interaction) if is_taken else self._turn_away(interaction)
        task = self._tasks.create_task(answer)
        self._answers.add(task)
        task.add_done_callback(self._answers.discard)

    async def deliver_messages(self) -> None:
        """Hand the messages over, in the order in which they came, until cancelled."""
        while True:
            message = await self._messages.get()
            if message is None:
                await self._catch_up()
            else:
                await self._deliver(message)

    def stop(self) -> None:
        """End the answers that are under way."""
        for task in self._answers:
            task.cancel()

    async def _deliver(self, message: IncomingMessage) -> None:
        try:
            async with asyncio.timeout(_TAKE_SECONDS):
                await self._listener.message_arrived(message)
        except Exception:
            logger.exception("message %s was not taken", message.ref.message_id)

    async def _catch_up(self) -> None:
        self._gap_is_known = False
        try:
            async with asyncio.timeout(_CATCH_UP_SECONDS):
                await self._listener.catch_up()
        except Exception:
            logger.exception("what was missed could not be looked for")

    async def _answer(self, interaction: Interaction) -> None:
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                await answer_interaction(interaction, self._listener, self._redactor)
        except Exception:
            logger.exception("interaction %s could not be answered", interaction.id)

    async def _turn_away(self, interaction: Interaction) -> None:
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                await turn_away(interaction)
        except Exception:
            logger.exception("interaction %s could not be turned away", interaction.id)
