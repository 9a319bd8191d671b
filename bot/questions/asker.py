"""Asks people, and takes the first answer."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Collection, Mapping
from contextlib import asynccontextmanager

from bot.access import Authorize, Person, Place, Refused
from bot.messenger import Form, Messenger
from bot.questions.keeper import Handler, Keeper, Tools
from bot.questions.question import (
    Answer,
    Cancelled,
    CancelReason,
    Given,
    Question,
    TooManyQuestions,
)
from bot.questions.store import QuestionStore, StoredQuestion
from bot.questions.view import NOTHING_CHOSEN, NOTHING_WRITTEN, UNKNOWN, form_of, too_late

logger = logging.getLogger(__name__)

MOST_OPEN_IN_A_PLACE = 50
RETRY_SECONDS = (2.0, 5.0, 15.0, 60.0)

_PRESS_AGAIN = "Press it once more."


class Asker:
    """Asks people. Get it from `open_questions`."""

    def __init__(
        self, tools: Tools, authorize: Authorize, tasks: asyncio.TaskGroup, *, most_open: int
    ) -> None:
        self._tools = tools
        self._authorize = authorize
        self._tasks = tasks
        self._most_open = most_open
        self._keepers: dict[str, Keeper] = {}
        self._running: set[asyncio.Task[None]] = set()

    async def ask(self, question: Question) -> Answer | Cancelled | TooManyQuestions:
        """Ask people, and return the first answer, once there is one.

        A question that is known already, as one of before a restart, is not asked again; its
        answer counts. If the caller stops waiting, the question stays open, unless it is withdrawn.

        Raises:
            sqlite3.Error: If the question could not be stored; it is not asked then.
        """
        refused = await self.pose(question)
        if refused is not None:
            return refused
        if (keeper := self._keepers.get(question.id)) is None:
            stored = await self._tools.store.find(question.id)
            end = None if stored is None else stored.end
        else:
            await keeper.ended.wait()
            end = keeper.end
        return end or Cancelled(question_id=question.id, reason=CancelReason.STOPPED)

    async def pose(self, question: Question) -> TooManyQuestions | None:
        """Ask people; the answer is for whoever handles answers to questions of that purpose.

        Raises:
            sqlite3.Error: If the question could not be stored; it is not asked then.
        """
        added = await self._tools.store.add(
            question, at=self._tools.clock(), most_open=self._most_open
        )
        if added is None:
            return TooManyQuestions(question_id=question.id, limit=self._most_open)
        self._see_through(added.stored, may_stand=not added.is_new)
        return None

    async def withdraw(self, question_id: str) -> None:
        """Ask no more; harmless if the question has ended, or is not known."""
        stored = await self._tools.store.cancel(question_id, CancelReason.WITHDRAWN)
        if stored is not None:
            self._see_through(stored)

    async def answered(self, question_id: str, given: Given) -> str | None:
        """Take what somebody answers, and return what only they are told, if anything.

        Raises:
            sqlite3.Error: If it could not be stored; the question is still open then.
        """
        stored = await self._tools.store.find(question_id)
        if stored is None:
            return UNKNOWN
        return await self.take(stored.question, given)

    async def take(self, question: Question, given: Given) -> str | None:
        """Take an answer to a question that may not be known yet, as `answered` does.

        So whatever has a message of its own can put a question under it, which is stored when
        somebody answers.
        """
        if (reason := self._refused(question, given.by, given.place)) is not None:
            return reason
        taken = question.taken(given)
        if taken is None:
            return NOTHING_CHOSEN if given.text is None else NOTHING_WRITTEN
        answer, stored = await self._tools.store.answer(question, taken, at=self._tools.clock())
        self._see_through(stored)
        if answer is not None:
            return None
        # An open one that takes no answer has just expired.
        expired = Cancelled(question_id=question.id, reason=CancelReason.EXPIRED)
        return too_late(stored.end or expired)

    def form_for(self, question_id: str, by: Person, place: Place) -> Form | None:
        """Return the form in which that person may write an answer."""
        keeper = self._keepers.get(question_id)
        if keeper is None or keeper.end is not None or keeper.question.free_text is None:
            return None
        if self._refused(keeper.question, by, place) is not None:
            return None
        return form_of(question_id, keeper.question.free_text)

    async def why_no_form(self, question_id: str, by: Person, place: Place) -> str:
        """Return why `form_for` gave none."""
        stored = await self._tools.store.find(question_id)
        if stored is None:
            return UNKNOWN
        if (reason := self._refused(stored.question, by, place)) is not None:
            return reason
        self._see_through(stored)
        return _PRESS_AGAIN if stored.end is None else too_late(stored.end)

    async def go_on(self, fleeting: Collection[str] = ()) -> None:
        """See those questions through that an earlier bot left.

        Args:
            fleeting: The purposes of those to which nobody waits for an answer any more.
        """
        for stored in await self._tools.store.undone():
            if stored.end is None and stored.question.purpose in fleeting:
                self._see_through(await self._abandoned(stored))
            else:
                self._see_through(stored)

    def stop(self) -> None:
        """Leave what is open to the next start."""
        for keeper in self._keepers.values():
            keeper.ended.set()
        for task in self._running:
            task.cancel()

    async def _abandoned(self, stored: StoredQuestion) -> StoredQuestion:
        question_id = stored.question.id
        return await self._tools.store.cancel(question_id, CancelReason.ABANDONED) or stored

    def _refused(self, question: Question, by: Person, place: Place) -> str | None:
        for action in question.actions:
            verdict = self._authorize([by], action, place, about=question.belonging)
            if isinstance(verdict, Refused):
                return verdict.reason
        return None

    def _see_through(self, stored: StoredQuestion, *, may_stand: bool = True) -> None:
        question_id = stored.question.id
        if (keeper := self._keepers.get(question_id)) is not None:
            keeper.learn(stored)
        elif not stored.is_done:
            keeper = Keeper(stored, self._tools, may_stand=may_stand)
            self._keepers[question_id] = keeper
            task = self._tasks.create_task(self._run(question_id, keeper))
            self._running.add(task)
            task.add_done_callback(self._running.discard)

    async def _run(self, question_id: str, keeper: Keeper) -> None:
        try:
            await keeper.run()
        except Exception:  # a question that breaks must not end the others
            logger.exception("question %s broke; it is seen to at the next start", question_id)
        finally:
            del self._keepers[question_id]
            # Whoever waits for its answer must not wait for ever.
            keeper.ended.set()


@asynccontextmanager
async def open_questions(
    messenger: Messenger,
    store: QuestionStore,
    *,
    authorize: Authorize,
    on_answer: Mapping[str, Handler],
    fleeting: Collection[str] = (),
    clock: Callable[[], float],
    most_open: int = MOST_OPEN_IN_A_PLACE,
    retry_seconds: tuple[float, ...] = RETRY_SECONDS,
) -> AsyncGenerator[Asker, None]:
    """Ask questions while the block lasts; those of before are seen through.

    Args:
        messenger: What carries them.
        store: What keeps account of them.
        authorize: Who may answer.
        on_answer: What answers bring about, by the purposes of the questions.
        fleeting: The purposes of questions whose askers end with the bot; those that an earlier
            one left open take no answer any more.
        clock: Gives Unix time, in seconds.
        most_open: How many may be open in one place.
        retry_seconds: How long is waited after each failure; the last is repeated.
    """
    tools = Tools(
        messenger=messenger,
        store=store,
        handlers=on_answer,
        clock=clock,
        retry_seconds=retry_seconds,
    )
    async with asyncio.TaskGroup() as tasks:
        asker = Asker(tools, authorize, tasks, most_open=most_open)
        await asker.go_on(fleeting)
        try:
            yield asker
        finally:
            asker.stop()
