"""A text channel as a surface: the answer is a reply that grows while it is written."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass

from bot.access import Place
from bot.conversation.draft import Draft
from bot.conversation.surface import AnswerRecord
from bot.conversation.turn import Turn
from bot.messenger import (
    MessageContent,
    MessageRef,
    Messenger,
    MessengerError,
)
from bot.speaker.speaker import SpeakerEvent

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How often an answer that is being written is shown anew."""

    gather_seconds: float = 0.25
    """How long the first words wait for more: a short answer is then shown whole at once."""
    edit_seconds: float = 1.2
    """Between two showings. Discord lets a bot change about five messages in five seconds in a
    channel; this leaves room for the cards."""


_RETRY_SECONDS = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""How long to wait after each failure to show a whole answer; the last is repeated."""

ANSWERED_TOGETHER = "✅"
"""Put under the messages that are answered in reply to a later one."""
SAID_ANEW = "-# What stood here is said anew above."


class TextChat:
    """Shows answers in one text channel."""

    def __init__(
        self,
        messenger: Messenger,
        place: Place,
        split: Callable[[str], list[str]],
        pace: Pace | None = None,
    ) -> None:
        """Make the surface.

        Args:
            messenger: What carries the messages.
            place: The channel.
            split: Cuts a text into messages that the channel takes. The messages of a text that
                has grown begin with those of the text before, but for the last.
            pace: How often a growing answer is shown.
        """
        self._messenger = messenger
        self._place = place
        self._split = split
        self._pace = pace or Pace()

    async def show(
        self, turn: Turn, answer: AsyncGenerator[SpeakerEvent, None], record: AnswerRecord
    ) -> None:
        """Post the answer as a reply, and edit it while it grows."""
        draft = Draft()
        changed = asyncio.Event()
        reply = _Reply(self._messenger, self._place, turn, record)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._keep_shown(reply, draft, changed))
            async with aclosing(answer) as events:
                async for event in events:
                    draft.add(event)
                    changed.set()
            assert draft.is_whole, "an answer ends with Answered or Failed"
        await record.is_whole(draft.text)
        await reply.hold(self._split(draft.text))
        for ref in turn.joined:
            await self._mark(ref)

    async def _keep_shown(self, reply: "_Reply", draft: Draft, changed: asyncio.Event) -> None:
        async with self._messenger.typing(self._place):
            while not draft.text:
                await changed.wait()
                changed.clear()
            await _pass(self._pace.gather_seconds, draft, changed)
            if not draft.is_whole:
                await reply.try_to_hold(self._split(draft.text))
        while not draft.is_whole:
            await asyncio.sleep(self._pace.edit_seconds)
            await self._type_while_it_thinks(draft, changed)
            if not draft.is_whole:
                await reply.try_to_hold(self._split(draft.text))

    async def _type_while_it_thinks(self, draft: Draft, changed: asyncio.Event) -> None:
        if not draft.is_thinking:
            return
        async with self._messenger.typing(self._place):
            while draft.is_thinking:
                await changed.wait()
                changed.clear()

    async def _mark(self, ref: MessageRef) -> None:
        try:
            await self._messenger.react(ref, ANSWERED_TOGETHER)
        except MessengerError as error:
            logger.warning("channel %d: %s", ref.channel_id, error)


async def _pass(seconds: float, draft: Draft, changed: asyncio.Event) -> None:
    """Let time pass, but no more once the answer is whole."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while not draft.is_whole:
                await changed.wait()
                changed.clear()


class _Reply:
    """The messages that hold one answer."""

    def __init__(
        self, messenger: Messenger, place: Place, turn: Turn, record: AnswerRecord
    ) -> None:
        self._messenger = messenger
        self._place = place
        self._asked_in = turn.asked_in
        self._record = record
        self._held: list[tuple[MessageRef, str | None]] = [(ref, None) for ref in turn.shown_in]
        """With what each holds; `None` if that is not known."""
        self._may_stand = turn.is_begun
        """Whether the next message to be posted may stand there already, with an earlier text."""

    async def hold(self, texts: list[str]) -> None:
        """Make the messages hold `texts`: goes on until Discord took them, or never will."""
        failures = 0
        while (error := await self._held_up(texts)) is not None and not error.is_final:
            await asyncio.sleep(_RETRY_SECONDS[min(failures, len(_RETRY_SECONDS) - 1)])
            failures += 1

    async def try_to_hold(self, texts: list[str]) -> None:
        """Make the messages hold `texts`, if Discord takes them now."""
        await self._held_up(texts)

    async def _held_up(self, texts: list[str]) -> MessengerError | None:
        """Make the messages hold `texts`, or return what Discord said."""
        try:
            for number, text in enumerate(texts):
                await self._hold_one(number, text)
            for number in range(len(texts), len(self._held)):
                await self._hold_one(number, SAID_ANEW)
        except MessengerError as error:
            logger.warning("channel %d: %s", self._place.channel_id, error)
            self._may_stand |= error.fate_unknown
            return error
        return None

    async def _hold_one(self, number: int, text: str) -> None:
        if number == len(self._held):
            await self._post(number, text)
        ref, shown = self._held[number]
        if shown != text:
            await self._messenger.edit(ref, MessageContent(text=text))
            self._held[number] = (ref, text)

    async def _post(self, number: int, text: str) -> None:
        ref = await self._messenger.post(
            self._place,
            MessageContent(text=text),
            # The same for each attempt, so that an answer whose fate is unknown comes once.
            nonce=f"a{self._asked_in.message_id}-{number}",
            reply_to=self._asked_in if number == 0 else None,
        )
        self._held.append((ref, None if self._may_stand else text))
        self._may_stand = False
        await self._record.shown_in([held for held, _ in self._held])
