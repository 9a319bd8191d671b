"""Sees one question through: posts it, waits for its end, has that acted upon, and shows it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from bot.messenger import MessageContent, MessageRef, Messenger, MessengerError, standing
from bot.questions.question import Answer, CancelReason, End, Question
from bot.questions.store import QuestionStore, StoredQuestion
from bot.questions.view import asked, ended

logger = logging.getLogger(__name__)

Handler = Callable[[Question, Answer], Awaitable[MessageContent | None]]
"""Does what an answer brings about, and returns what the question's message shows from then on;
`None`: what was answered, and by whom. It is done again, with `is_tried`, if the bot or Discord
broke off meanwhile."""

_LONGEST_HANDLING_SECONDS = 300.0
_LONGEST_WAIT_SECONDS = 3600.0
"""After which the clock is read again, that may have been set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What questions are seen through with."""

    messenger: Messenger
    store: QuestionStore
    handlers: Mapping[str, Handler]
    """By the purposes of the questions."""
    clock: Callable[[], float]
    """Gives Unix time, in seconds."""
    retry_seconds: tuple[float, ...]
    """How long is waited after each failure; the last is repeated."""


class Keeper:
    """Sees one question through."""

    def __init__(self, stored: StoredQuestion, tools: Tools, *, may_stand: bool) -> None:
        self.question = stored.question
        self.end: End | None = stored.end
        self.ended = asyncio.Event()
        """Set once it has ended, or nobody sees it through any more."""
        self._ref = stored.ref
        self._may_stand = may_stand
        self._tools = tools
        self._name = f"question {stored.question.id}"
        self.learn(stored)

    def learn(self, stored: StoredQuestion) -> None:
        """Take what has become of it."""
        self._ref = self._ref or stored.ref
        self.end = self.end or stored.end
        if self.end is not None:
            self.ended.set()

    async def run(self) -> None:
        """See it through; returns when all is done."""
        await self._deliver()
        end = await self._its_end()
        content, is_done = await self._outcome(end)
        await self._show(content)
        if is_done:
            await self._tools.store.done(self.question.id)

    async def _deliver(self) -> None:
        """Post it, unless it stands; gives up if it ends before."""
        failures = 0
        while self.end is None and self._ref is None and self._seconds_left() > 0:
            try:
                ref = await self._find() or await self._post()
                self._ref = ref
                await self._tools.store.stands(self.question.id, ref)
            except MessengerError as error:
                logger.warning("%s was not posted: %s", self._name, error)
                if error.is_final:
                    return await self._cancel(CancelReason.UNDELIVERABLE)
                self._may_stand = True
                await self._wait(max(self._pause(failures), error.retry_after_seconds))
                failures += 1
        return None

    async def _post(self) -> MessageRef:
        question = self.question
        return await self._tools.messenger.post(
            question.place, asked(question), nonce=self._nonce, reply_to=question.reply_to
        )

    async def _find(self) -> MessageRef | None:
        """Return where it stands, if an earlier attempt to post it got that far."""
        if not self._may_stand:
            return None
        place, content = self.question.place, asked(self.question)
        return await standing(self._tools.messenger, place, self._nonce, like=content)

    async def _its_end(self) -> End:
        while self.end is None:
            if (seconds := self._seconds_left()) <= 0:
                await self._cancel(CancelReason.EXPIRED)
            else:
                await self._wait(seconds)
        return self.end

    async def _cancel(self, reason: CancelReason) -> None:
        stored = await self._tools.store.cancel(self.question.id, reason)
        assert stored is not None, "it was stored before it was posted"
        self.learn(stored)

    async def _outcome(self, end: End) -> tuple[MessageContent, bool]:
        """Have the answer acted upon; return what is shown, and whether all of it was done."""
        content = ended(self.question, end)
        handler = self._tools.handlers.get(self.question.purpose)
        if handler is None or not isinstance(end, Answer):
            return content, True
        try:
            return await self._handled(handler, end) or content, True
        except Exception:  # it is what somebody else does; it is tried again at the next start
            logger.exception("%s: its answer could not be acted upon", self._name)
            return content, False

    async def _handled(self, handler: Handler, answer: Answer) -> MessageContent | None:
        failures = 0
        while True:
            await self._tools.store.tried(self.question.id)
            try:
                async with asyncio.timeout(_LONGEST_HANDLING_SECONDS):
                    return await handler(self.question, answer)
            except MessengerError as error:
                logger.warning("%s: its answer was not acted upon: %s", self._name, error)
                if error.is_final:
                    return None
                await asyncio.sleep(max(self._pause(failures), error.retry_after_seconds))
                failures += 1
                answer = replace(answer, is_tried=True)

    async def _show(self, content: MessageContent) -> None:
        """Show how it ended, where it stands."""
        failures = 0
        while True:
            try:
                self._ref = self._ref or await self._find()
                if self._ref is not None:
                    await self._tools.messenger.edit(self._ref, content)
            except MessengerError as error:
                logger.warning("%s: its end was not shown: %s", self._name, error)
                if error.is_final:
                    return
                await asyncio.sleep(max(self._pause(failures), error.retry_after_seconds))
                failures += 1
            else:
                return

    async def _wait(self, seconds: float) -> None:
        """Wait until it ends, or expires; or for so long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(min(seconds, self._seconds_left(), _LONGEST_WAIT_SECONDS)):
                await self.ended.wait()

    def _seconds_left(self) -> float:
        if self.question.expires_at is None:
            return float("inf")
        return self.question.expires_at - self._tools.clock()

    def _pause(self, failures: int) -> float:
        pauses = self._tools.retry_seconds
        return pauses[min(failures, len(pauses) - 1)]

    @property
    def _nonce(self) -> str:
        return f"question-{self.question.id}"
