"""The messages that hold one answer, and the file that goes with them if it is long."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

from bot.access import Place
from bot.conversation.surface import AnswerRecord
from bot.conversation.turn import Turn
from bot.messenger import File, MessageContent, MessageRef, Messenger, MessengerError
from bot.text.layout import Layout, all_messages

logger = logging.getLogger(__name__)

_RETRY_SECONDS = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""How long to wait after each failure to show a whole answer; the last is repeated."""

SAID_ANEW = "-# What stood here is said anew above."


class Reply:
    """The messages that hold the answer to one turn."""

    def __init__(
        self, messenger: Messenger, place: Place, turn: Turn, record: AnswerRecord
    ) -> None:
        self._messenger = messenger
        self._place = place
        self._asked_in = turn.asked_in
        self._reply_to = None if turn.is_spoken else turn.asked_in
        self._record = record
        self._held: list[tuple[MessageRef, MessageContent | None]] = [
            (ref, None) for ref in turn.shown_in
        ]
        """With what each holds; `None` if that is not known."""
        self._may_stand = turn.is_begun
        """Whether the next message to be posted may stand there already, with an earlier text."""

    async def try_to_hold(self, layout: Layout) -> None:
        """Make the messages hold an answer that is being written, if Discord takes them now."""
        await self._held_up(_contents(layout.growing or layout.messages))

    async def hold(self, layout: Layout) -> None:
        """Make the messages hold a whole answer: until Discord took them, or never will."""
        error = await self._insist(_contents(layout.messages, layout.file))
        if error is not None and layout.file is not None:
            # Files may be forbidden there, or the answer be too large for one.
            whole = layout.file.content.decode()
            await self._insist(_contents(await asyncio.to_thread(all_messages, whole)))

    async def _insist(self, contents: Sequence[MessageContent]) -> MessengerError | None:
        """Make the messages hold `contents`, and no others be left; or return why it is futile."""
        failures = 0
        while (error := await self._held_up(contents, is_whole=True)) is not None:
            if error.is_final:
                return error
            pause = _RETRY_SECONDS[min(failures, len(_RETRY_SECONDS) - 1)]
            await asyncio.sleep(max(pause, error.retry_after_seconds))
            failures += 1
        return None

    async def _held_up(
        self, contents: Sequence[MessageContent], *, is_whole: bool = False
    ) -> MessengerError | None:
        """Make the messages hold `contents`, or return what Discord said."""
        try:
            for number, content in enumerate(contents):
                await self._hold_one(number, content)
            if is_whole:
                await self._delete_from(len(contents))
            for number in range(len(contents), len(self._held)):
                await self._hold_one(number, MessageContent(text=SAID_ANEW))
        except MessengerError as error:
            logger.warning("channel %d: %s", self._place.channel_id, error)
            self._may_stand |= error.fate_unknown
            return error
        return None

    async def _hold_one(self, number: int, content: MessageContent) -> None:
        if number == len(self._held):
            await self._post(number, content)
        ref, shown = self._held[number]
        if shown != content:
            await self._messenger.edit(ref, content)
            self._held[number] = (ref, content)

    async def _post(self, number: int, content: MessageContent) -> None:
        ref = await self._messenger.post(
            self._place,
            content,
            # The same for each attempt, so that an answer whose fate is unknown comes once.
            nonce=f"a{self._asked_in.message_id}-{number}",
            reply_to=self._reply_to if number == 0 else None,
        )
        self._held.append((ref, None if self._may_stand else content))
        self._may_stand = False
        await self._tell_record()

    async def _delete_from(self, number: int) -> None:
        """Delete the messages that a whole answer does not need."""
        while len(self._held) > number:
            ref, _ = self._held[-1]
            try:
                await self._messenger.delete(ref)
            except MessengerError as error:
                if not error.is_final:
                    raise
                logger.warning("channel %d: %s", self._place.channel_id, error)
                return
            self._held.pop()
            await self._tell_record()

    async def _tell_record(self) -> None:
        await self._record.shown_in([ref for ref, _ in self._held])


def _contents(texts: Sequence[str], file: File | None = None) -> list[MessageContent]:
    """Return what the messages hold; the file goes with the last."""
    contents = [MessageContent(text=text) for text in texts]
    if file is not None:
        contents[-1:] = [replace(content, files=(file,)) for content in contents[-1:]]
    return contents
