"""Takes what people do to the listener: messages one after another, the rest side by side."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from bot.conversation.incoming import IncomingMessage, Listener
from bot.discord_io.interactions import answer_interaction, turn_away
from bot.discord_io.presses import Interaction
from bot.messenger import MessageRef
from bot.redaction import Redactor

logger = logging.getLogger(__name__)

_MOST_WAITING_MESSAGES = 1000
_MOST_INTERACTIONS = 100
_MOST_OF_ONE_PERSON = 10
"""Of these: the files in ten answers are held in memory, and others want to be answered, too."""
_MOST_TURNED_AWAY = 400
"""How many more are told at the same time that there are too many."""
_TAKE_SECONDS = 30.0
_ANSWER_SECONDS = 180.0
_CATCH_UP_SECONDS = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _News:
    """Something that became of a message or a channel."""

    what: str
    """For the log: `message 12`."""
    tell: Callable[[], Awaitable[None]]


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
        self._news: asyncio.Queue[_News | None] = asyncio.Queue()
        """`None` stands where something may have been missed."""
        self._gap_is_known = False
        self._time_waits = False
        self._answers: dict[asyncio.Task[None], int] = {}
        """Those that are under way, each with the id of the person who gets it."""

    def take_message(self, message: IncomingMessage) -> None:
        """Keep a message until it is its turn; one too many is looked for once others are taken."""
        tell = partial(self._listener.message_arrived, message)
        if not self._take(_News(what=f"message {message.ref.message_id}", tell=tell)):
            self.take_gap()

    def take_edit(self, message: IncomingMessage) -> None:
        """Keep the new version of a message until it is its turn."""
        tell = partial(self._listener.message_edited, message)
        self._take(_News(what=f"the edit of message {message.ref.message_id}", tell=tell))

    def take_deletion(self, ref: MessageRef) -> None:
        """Keep in mind that a message is gone, until it is its turn."""
        tell = partial(self._listener.message_deleted, ref)
        self._take(_News(what=f"the end of message {ref.message_id}", tell=tell))

    def take_channel_end(self, channel_id: int) -> None:
        """Keep in mind that a channel is gone; if too much waits, it is found out later."""
        tell = partial(self._listener.channel_deleted, channel_id)
        if not self._take(_News(what=f"the end of channel {channel_id}", tell=tell)):
            self.take_gap()

    def take_gap(self) -> None:
        """Have it looked, before the next message is handed over, whether one was missed."""
        if not self._gap_is_known:
            self._gap_is_known = True
            self._news.put_nowait(None)

    def take_time(self, at: float) -> None:
        """Have it told, once all that came before is handed over, that all was heard until then.

        Args:
            at: Unix time, in seconds.
        """
        if not self._time_waits and self._news.qsize() < _MOST_WAITING_MESSAGES:
            self._time_waits = True
            self._take(_News(what="until when it is heard", tell=partial(self._tell_time, at)))

    def take_interaction(self, interaction: Interaction) -> None:
        """Start to answer a slash command, a button or whatever else is answered."""
        at_once = len(self._answers)
        if at_once >= _MOST_INTERACTIONS + _MOST_TURNED_AWAY:
            logger.warning("interaction %s is dropped: too many at once", interaction.id)
            return
        person_id = interaction.user.id
        of_person = sum(other == person_id for other in self._answers.values())
        is_taken = at_once < _MOST_INTERACTIONS and of_person < _MOST_OF_ONE_PERSON
        answer = self._answer(interaction) if is_taken else self._turn_away(interaction)
        task = self._tasks.create_task(answer)
        self._answers[task] = person_id
        task.add_done_callback(lambda done: self._answers.pop(done, None))

    async def deliver_messages(self) -> None:
        """Hand the messages over, in the order in which they came, until cancelled."""
        while True:
            news = await self._news.get()
            if news is None:
                await self._catch_up()
            else:
                await self._deliver(news)

    def stop(self) -> None:
        """End the answers that are under way."""
        for task in self._answers:
            task.cancel()

    def _take(self, news: _News) -> bool:
        if self._news.qsize() < _MOST_WAITING_MESSAGES:
            self._news.put_nowait(news)
            return True
        logger.warning("%s is dropped: %s are waiting already", news.what, _MOST_WAITING_MESSAGES)
        return False

    async def _deliver(self, news: _News) -> None:
        try:
            async with asyncio.timeout(_TAKE_SECONDS):
                await news.tell()
        except Exception:
            logger.exception("%s was not taken", news.what)

    async def _tell_time(self, at: float) -> None:
        self._time_waits = False
        await self._listener.heard_until(at)

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
