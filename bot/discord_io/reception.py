"""Takes what people do to the listener: messages one after another, the rest side by side."""

import asyncio
import logging

from bot.conversation.incoming import IncomingMessage, Listener
from bot.discord_io.interactions import Interaction, answer_interaction

logger = logging.getLogger(__name__)

_MOST_WAITING_MESSAGES = 1000
_MOST_INTERACTIONS = 100
_TAKE_SECONDS = 30.0
_ANSWER_SECONDS = 180.0


class Reception:
    """Hands over what arrives, so that Discord's events never wait for the listener.

    Args:
        listener: Whoever is told.
        tasks: Owns the answers that are under way.
    """

    def __init__(self, listener: Listener, tasks: asyncio.TaskGroup) -> None:
        self._listener = listener
        self._tasks = tasks
        self._messages: asyncio.Queue[IncomingMessage] = asyncio.Queue(_MOST_WAITING_MESSAGES)
        self._answers: set[asyncio.Task[None]] = set()

    def take_message(self, message: IncomingMessage) -> None:
        """Keep a message until it is its turn."""
        try:
            self._messages.put_nowait(message)
        except asyncio.QueueFull:
            logger.warning(
                "message %s is dropped: %s are waiting already",
                message.ref.message_id,
                _MOST_WAITING_MESSAGES,
            )

    def take_interaction(self, interaction: Interaction) -> None:
        """Start to answer a slash command or a button."""
        if len(self._answers) >= _MOST_INTERACTIONS:
            logger.warning("interaction %s is dropped: too many at once", interaction.id)
            return
        task = self._tasks.create_task(self._answer(interaction))
        self._answers.add(task)
        task.add_done_callback(self._answers.discard)

    async def deliver_messages(self) -> None:
        """Hand the messages over, in the order in which they came, until cancelled."""
        while True:
            message = await self._messages.get()
            try:
                async with asyncio.timeout(_TAKE_SECONDS):
                    await self._listener.message_arrived(message)
            except Exception:
                logger.exception("message %s was not taken", message.ref.message_id)

    def stop(self) -> None:
        """End the answers that are under way."""
        for task in self._answers:
            task.cancel()

    async def _answer(self, interaction: Interaction) -> None:
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                await answer_interaction(interaction, self._listener)
        except Exception:
            logger.exception("interaction %s could not be answered", interaction.id)
