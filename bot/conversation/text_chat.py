"""A text channel as a surface: the answer is a reply that grows while it is written."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass

from bot.access import Place
from bot.conversation.draft import Draft
from bot.conversation.live_card import LiveCard, ShowsCards
from bot.conversation.marks import Marks
from bot.conversation.reply import Reply
from bot.conversation.session import Streaming
from bot.conversation.surface import AnswerRecord
from bot.conversation.turn import Turn
from bot.messenger import MessageRef, Messenger
from bot.speaker.speaker import SpeakerEvent
from bot.text.layout import Layout


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How often an answer that is being written is shown anew."""

    gather_seconds: float = 0.25
    """How long the first words wait for more: a short answer is then shown whole at once."""
    edit_seconds: float = 1.2
    """Between two showings. Discord lets a bot change about five messages in five seconds in a
    channel; this leaves room for the cards."""
    work_seconds: float = 5.0
    """How long it works before a card tells so, if it uses no tool."""


class TextChat:
    """Shows answers in one text channel."""

    def __init__(
        self,
        messenger: Messenger,
        place: Place,
        lay_out: Callable[[str], Layout],
        cards: ShowsCards,
        clock: Callable[[], float],
        pace: Pace | None = None,
    ) -> None:
        """Make the surface.

        Args:
            messenger: What carries the messages.
            place: The channel.
            lay_out: Makes messages of a text; those of a text that has grown should begin with
                those of the text before, but for the last.
            cards: Shows what is done while an answer is made.
            clock: Gives the Unix time, in seconds.
            pace: How often a growing answer is shown.
        """
        self._messenger = messenger
        self._place = place
        self._lay_out = lay_out
        self._cards = cards
        self._clock = clock
        self._pace = pace or Pace()
        self._marks = Marks(messenger, since=clock())

    async def show(
        self,
        turn: Turn,
        answer: AsyncGenerator[SpeakerEvent, None],
        record: AnswerRecord,
        *,
        streaming: Streaming,
    ) -> None:
        """Post the answer as a reply, and edit it while it grows."""
        reply = Reply(self._messenger, self._place, turn, record)
        card = self.work_card(turn, streaming)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._marks.take_back(turn))
            text = await self._shown_as_it_comes(answer, reply, card)
            await record.is_whole(text)
            await reply.hold(self._lay_out(text))
            await card.end()
            await self._marks.answered_together(turn)

    async def write(self, turn: Turn, text: str, record: AnswerRecord) -> None:
        """Post a whole answer; see `Surface.show`."""
        await Reply(self._messenger, self._place, turn, record).hold(self._lay_out(text))

    def work_card(self, turn: Turn, streaming: Streaming) -> LiveCard:
        """Return the card that shows what is done for a turn; it is not posted yet."""
        return LiveCard(self._cards, self._place, turn, streaming, self._clock)

    def news(self) -> str:
        """Return nothing: what is to be known of a text chat is said in it."""
        return ""

    def hush(self) -> bool:
        """Do nothing: in a text chat nothing is spoken."""
        return False

    async def mark_queued(self, ref: MessageRef) -> None:
        """Put the sign of waiting under a message; see `Surface.mark_queued`."""
        await self._marks.mark_queued(ref)

    async def unmark(self, ref: MessageRef) -> None:
        """Take the sign of waiting back; see `Surface.unmark`."""
        await self._marks.unmark(ref)

    async def _shown_as_it_comes(
        self, answer: AsyncGenerator[SpeakerEvent, None], reply: Reply, card: LiveCard
    ) -> str:
        """Show the answer and the work while they come; return the whole answer."""
        draft = Draft()
        changed = asyncio.Event()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._keep_shown(reply, draft, changed))
            waiting = tasks.create_task(card.show_after(self._pace.work_seconds))
            async with aclosing(answer) as events:
                async for event in events:
                    draft.add(event)
                    card.add(event)
                    changed.set()
            waiting.cancel()
            assert draft.is_whole, "an answer ends with Answered or Failed"
        return draft.text

    async def _keep_shown(self, reply: Reply, draft: Draft, changed: asyncio.Event) -> None:
        async with self._messenger.typing(self._place):
            while not draft.text:
                await changed.wait()
                changed.clear()
            await _pass(self._pace.gather_seconds, draft, changed)
            await self._show_so_far(reply, draft)
        while not draft.is_whole:
            await self._type_while_it_thinks(draft, changed)
            await _pass(self._pace.edit_seconds, draft, changed)
            await self._show_so_far(reply, draft)

    async def _show_so_far(self, reply: Reply, draft: Draft) -> None:
        if not draft.is_whole:
            await reply.try_to_hold(self._lay_out(draft.text))

    async def _type_while_it_thinks(self, draft: Draft, changed: asyncio.Event) -> None:
        if not draft.is_thinking:
            return
        async with self._messenger.typing(self._place):
            while draft.is_thinking:
                await changed.wait()
                changed.clear()


async def _pass(seconds: float, draft: Draft, changed: asyncio.Event) -> None:
    """Let time pass, but no more once the answer is whole."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while not draft.is_whole:
                await changed.wait()
                changed.clear()
