"""A conversation: one session, one queue of turns, one speaker."""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace

from bot.access import Person, Refused, Verdict
from bot.conversation.attachments import AttachmentRoom, Brought
from bot.conversation.message_record import MessageState
from bot.conversation.session import Session
from bot.conversation.surface import Surface
from bot.conversation.turn import Turn, spoken_line, with_what_came_before
from bot.conversation.turn_hooks import NO_PLUGINS, PluginPoints, TurnHooks, withheld
from bot.conversation.turn_log import Record, TurnLog
from bot.conversation.turn_queue import TurnQueue
from bot.messenger import MessageRef
from bot.speaker.sentences import CANCELLED
from bot.speaker.speaker import (
    Answered,
    Failed,
    Image,
    Knobs,
    Speaker,
    SpeakerEvent,
    Spent,
    TextCame,
    Warned,
)
from extensions.hooks import Blocked

logger = logging.getLogger(__name__)

MOST_WAITING_TURNS = 20
_PARTING_SECONDS = 5.0

NOT_NOTED = "I could not take down that I answer you, so I do not begin: ask me again in a while."
BROKE = "Something broke while I was answering; the operator finds it in the log. Ask me again."
NO_FILES = "I cannot take files here."
HUNG_UP = "The conversation was ended before I had answered this."

Charge = Callable[[str, float], Awaitable[None]]
"""Takes note of what a session has cost more, in US dollars; may raise sqlite3.Error."""
MayTake = Callable[[Session, Sequence[Person]], Verdict]
"""Says whether a turn of those people may be taken in a session as it is set by now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prompt:
    """What is said to the speaker."""

    text: str
    images: tuple[Image, ...] = ()
    complaints: tuple[str, ...] = ()
    """What the people of the turn are told about its files."""


class Conversation:
    """A session that is open in a place. Run it in a task of its own."""

    def __init__(
        self,
        session: Session,
        speaker: Speaker,
        surface: Surface,
        log: TurnLog,
        clock: Callable[[], float],
        *,
        attachments: AttachmentRoom | None = None,
        charge: Charge | None = None,
        may_take: MayTake | None = None,
        plugins: PluginPoints = NO_PLUGINS,
    ) -> None:
        """Make it.

        Args:
            session: What is held.
            speaker: Answers.
            surface: Where it is held.
            log: Keeps account of the turns.
            clock: Gives Unix time, in seconds.
            attachments: Brings the files that come with turns; without it, none are taken.
            charge: Is told what answers cost.
            may_take: Is asked when a turn's time has come: while it waited, the session may have
                been set otherwise. Without it, every turn is taken.
            plugins: Have a say in what is said, and are told of it.
        """
        self.session = session
        """As it is at present; whoever changes it saves it."""
        self._speaker = speaker
        self._surface = surface
        self._log = log
        self._clock = clock
        self._attachments = attachments
        self._charge = charge
        self._may_take = may_take
        self._plugins = plugins
        self._queue = TurnQueue(surface)
        self._preparing: asyncio.Timeout | None = None
        """While the running turn is got ready to be said: what ends that."""
        self.running_turn: Turn | None = None
        """The turn that is being answered."""
        self._broken_off: Turn | None = None
        self._superseded: Turn | None = None
        """The turn in whose place another one was taken while it was being answered."""
        self._next_knobs: Knobs | None = None
        """Those that hold once the running turn is over, if they are others."""

    @property
    def waiting_turns(self) -> int:
        """How many turns wait for the running one to end."""
        return len(self._queue)

    def take(self, turn: Turn) -> bool:
        """Take a turn, to be answered after those that came before; `False` if too many wait."""
        if len(self._queue) >= MOST_WAITING_TURNS:
            return False
        self.take_again(turn)
        return True

    def take_again(self, turn: Turn) -> None:
        """Take a turn that was taken before, however many wait."""
        self._queue.add(turn, must_wait=self.running_turn is not None)

    async def take_in_place_of(self, earlier: MessageRef, turn: Turn) -> bool:
        """Take a turn in the place of an earlier one, which its person has only now ended.

        If that one is being answered, its answer is broken off, and this one is the next. If it
        was answered already, this one is another turn.

        Returns:
            `False` if too many wait.
        """
        if self._queue.take_place(earlier, turn):
            return True
        running = self.running_turn
        if running is None or earlier not in running.messages:
            return self.take(turn)
        self._superseded = running
        self._queue.add_first(with_what_came_before(turn, running))
        await self._break_off()
        return True

    def waiting_turn(self, ref: MessageRef) -> Turn | None:
        """Return the turn of a message that waits, as long as nothing of it was begun."""
        return self._queue.find(ref)

    def replace(self, turn: Turn) -> None:
        """Put a turn in the place of the one that was asked in the same message, if it waits."""
        self._queue.replace(turn)

    def withdraw(self, ref: MessageRef) -> None:
        """Have a message that waits not be answered; nothing is said of it."""
        self._queue.withdraw(ref)

    def warm_up(self) -> None:
        """Get the speaker ready in the background."""
        self._speaker.warm_up()

    def change(self, knobs: Knobs) -> None:
        """Have its speaker answer with other knobs from the next turn on.

        What has begun ends as it began, even if the speaker has not been asked yet: it was allowed
        as the session was set by then.
        """
        if self.running_turn is None:
            self._speaker.change(knobs)
        else:
            self._next_knobs = knobs

    async def cancel(self) -> bool:
        """Have the running turn end at once, and what is spoken; `False` if there is neither."""
        was_speaking = self._surface.hush()
        return await self._break_off() or was_speaking

    def move(self, session: Session, surface: Surface) -> None:
        """Be held elsewhere from the next answer on; the running one ends where it was begun."""
        self.session = session
        self._surface = surface

    async def run(self) -> None:
        """Answer turns until cancelled; what ends in a fault may be run again."""
        if (turn := self._broken_off) is not None:
            await self._apologise(turn, BROKE)
            self._broken_off = None
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._speaker.run())
            tasks.create_task(self._queue.keep_marks())
            while True:
                await self._answer(await self._queue.next())

    async def part(self) -> None:
        """Tell those who were not answered that they will not be; only once it does not run."""
        left = [] if self._broken_off is None else [replace(self._broken_off, is_begun=True)]
        left += self._queue.drain()
        with suppress(TimeoutError):
            async with asyncio.timeout(_PARTING_SECONDS):
                for turn in left:
                    if not turn.is_spoken:  # who talks to it hears that it is gone
                        await self._tell(turn, HUNG_UP)
        for turn in left:
            await Record(self._log, turn).finished(MessageState.WITHDRAWN)

    async def _break_off(self) -> bool:
        """Have the running turn end at once; `False` if there is none."""
        if self._preparing is not None and not self._preparing.expired():
            self._preparing.reschedule(asyncio.get_running_loop().time())
            return True
        return await self._speaker.interrupt()

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
            self.running_turn = self._superseded = None
            if self._next_knobs is not None:
                self._speaker.change(self._next_knobs)
                self._next_knobs = None

    async def _carry_out(self, turn: Turn) -> None:
        if turn.answer is not None:
            await self._show(turn, _known(turn.answer))
        elif (refused := self._refused(turn)) is not None:
            await self._apologise(turn, refused.reason)
            return
        elif await self._is_noted(turn):
            await self._show(turn, self._said_to(turn))
        else:
            await self._apologise(turn, NOT_NOTED)
            return
        await Record(self._log, turn).finished(MessageState.ANSWERED)

    def _refused(self, turn: Turn) -> Refused | None:
        verdict = None if self._may_take is None else self._may_take(self.session, turn.people)
        return verdict if isinstance(verdict, Refused) else None

    async def _said_to(self, turn: Turn) -> AsyncGenerator[SpeakerEvent, None]:
        """Say a turn to the speaker, with its files, and yield what is shown of the answer."""
        hooks = TurnHooks(self._plugins, turn, self.session)
        try:
            async with asyncio.timeout(None) as self._preparing:
                prompt = await self._prompt(hooks)
        except TimeoutError:
            yield Failed(CANCELLED)
            return
        finally:
            self._preparing = None
        if self._superseded is turn:
            yield Failed(CANCELLED)
            return
        if isinstance(prompt, Blocked):
            yield Failed(withheld(prompt))
            return
        for complaint in prompt.complaints:
            yield Warned(complaint)
        answer = self._speaker.answer(self._surface.news() + prompt.text, prompt.images)
        async with aclosing(answer), aclosing(hooks.answering(answer)) as events:
            async for event in events:
                if isinstance(event, Spent):
                    await self._spent(event.cost_usd)
                else:
                    yield event

    async def _prompt(self, hooks: TurnHooks) -> _Prompt | Blocked:
        """Return what is said to the speaker in a turn, or which plugin forbids it."""
        turn = await hooks.heard()
        if isinstance(turn, Blocked):
            return turn
        brought = await self._brought(turn)
        text = await hooks.prompted(spoken_line(turn) + brought.note)
        if isinstance(text, Blocked):
            return text
        return _Prompt(text=text, images=brought.images, complaints=brought.complaints)

    async def _brought(self, turn: Turn) -> Brought:
        if not turn.attachments:
            return Brought()
        if self._attachments is None:
            return Brought(complaints=(NO_FILES,))
        return await self._attachments.bring_in(turn, self.session.id)

    async def _spent(self, cost_usd: float) -> None:
        if self._charge is None:
            return
        try:
            await self._charge(self.session.id, cost_usd)
        except (sqlite3.Error, OSError):
            logger.exception("session %s: $%.4f could not be charged", self.session.id, cost_usd)

    async def _is_noted(self, turn: Turn) -> bool:
        """Store that it is begun: a later bot must know that a job may have been started."""
        try:
            await self._log.begun(turn, session_id=self.session.id, at=self._clock())
        except (sqlite3.Error, OSError):
            logger.exception("session %s: a turn could not be stored", self.session.id)
            return False
        return True

    async def _apologise(self, turn: Turn, sentence: str) -> None:
        await self._tell(replace(turn, is_begun=True), sentence)
        await Record(self._log, turn).finished(MessageState.ANSWERED)

    async def _tell(self, turn: Turn, sentence: str) -> None:
        try:
            await self._show(turn, _failed(sentence))
        except Exception:
            logger.exception("session %s: nobody could be told of it", self.session.id)

    async def _show(self, turn: Turn, answer: AsyncGenerator[SpeakerEvent, None]) -> None:
        await self._surface.show(
            turn, answer, Record(self._log, turn), streaming=self.session.streaming
        )


async def _known(text: str) -> AsyncGenerator[SpeakerEvent, None]:
    yield TextCame(text)
    yield Answered()


async def _failed(sentence: str) -> AsyncGenerator[SpeakerEvent, None]:
    yield Failed(sentence)
