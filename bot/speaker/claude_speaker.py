"""A speaker that is a warm `claude` process."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress

from bot.speaker.claude_session import ClaudeSession
from bot.speaker.open_turn import OpenTurn
from bot.speaker.seats import Seat, Seats
from bot.speaker.sentences import AFRESH, BUSY, CANCELLED, LOST, NO_START, STILL_BUSY, too_long
from bot.speaker.speaker import Delayed, Failed, Image, Knobs, SpeakerEvent, Spent, Warned
from bot.speaker.starting import StartClaude
from extensions.claude.events import BadLine, TurnEnded
from extensions.claude.failures import Failure, FailureKind, failure_of_exit
from extensions.claude.process import ClaudeProcess
from extensions.errors import ClaudeStartError

logger = logging.getLogger(__name__)

_READY_SECONDS = 30.0
_SECONDS_AFTER_AN_INTERRUPT = 10.0
_MOST_TIMES_ASKED = 2


class ClaudeSpeaker:
    """Implements `Speaker`. The process is started when it is first needed, and again if it ends.

    A new one goes on with the Claude session of the old one. It has a seat only while it is used.
    """

    def __init__(
        self,
        start: StartClaude,
        seats: Seats,
        *,
        name: str,
        knobs: Knobs,
        session: ClaudeSession,
        turn_timeout_seconds: float,
        new_uuid: Callable[[], str],
    ) -> None:
        """Make it; `name` is how the log calls it, and `new_uuid` gives each message its id."""
        self._start = start
        self._seats = seats
        self._name = name
        self._knobs = knobs
        self._session = session
        self._turn_timeout_seconds = turn_timeout_seconds
        self._new_uuid = new_uuid
        self._wanted = asyncio.Event()
        self._idle = asyncio.Event()
        """Set while the process answers nothing, or there is none."""
        self._idle.set()
        self._process: ClaudeProcess | None = None
        """The one that may be spoken to."""
        self._is_outdated = False
        """Whether the process that runs was started with other knobs."""
        self._is_stale: Callable[[], bool] = lambda: False
        """Says whether it would be started otherwise by now, for another reason."""
        self._remarks: tuple[str, ...] = ()
        """What the next turn tells of the process."""
        self._seat: Seat | None = None
        self._stay: asyncio.Timeout | None = None
        """How long it may stay: for ever while it is busy."""
        self._must_wait = False
        self._turn: OpenTurn | None = None

    def warm_up(self) -> None:
        """Start the process in the background, if it does not run."""
        self._wanted.set()

    async def run(self) -> None:
        """Run the process whenever it is wanted, until cancelled."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            async with self._seats.seat(self._name, self) as seat:
                if self._must_wait and self._turn is not None:
                    self._turn.restart_time()
                self._must_wait = False
                await self._run_in(seat)

    def leave(self) -> None:
        """Have the process end, which is idle; see `Guest`."""
        self._process = None
        self._stay_until(asyncio.get_running_loop().time())

    def must_wait(self) -> None:
        """Say that it takes a while; see `Guest`."""
        self._must_wait = True
        self._add(Delayed(BUSY))

    def change(self, knobs: Knobs) -> None:
        """Answer with other knobs from the next turn on; the running one ends as it began."""
        if knobs == self._knobs:
            return
        self._knobs = knobs
        self._is_outdated = self._seat is not None
        self._leave_if_outdated()

    async def answer(
        self, text: str, images: Sequence[Image] = ()
    ) -> AsyncGenerator[SpeakerEvent, None]:
        """Say `text`, show `images`, and yield the answer; it ends with `Answered` or `Failed`."""
        await self._finish_earlier()
        self._leave_if_outdated()
        turn = OpenTurn(text, images, timeout_seconds=self._turn_timeout_seconds)
        self._turn = turn
        if self._must_wait:
            self._add(Delayed(BUSY))
        try:
            self._wanted.set()
            if self._process is not None:
                await self._ask(self._process)
            while not turn.answer.is_taken:
                if not await turn.came_in_time():
                    await self._break_off(turn)
                for event in turn.answer.take():
                    yield event
        finally:
            self._turn = None

    async def interrupt(self) -> bool:
        """Have the running answer end at once; `False` if there is none."""
        turn, process = self._turn, self._process
        if turn is None or turn.answer.is_over:
            return False
        if process is None or not turn.answer.is_asked:
            self._add(Failed(CANCELLED))
            return True
        with suppress(ConnectionError):  # it has just ended, which is told at once
            await process.interrupt()
        if not await self._became_idle():
            self._add(Failed(CANCELLED))
            await self._finish_earlier()
        return True

    async def _run_in(self, seat: Seat) -> None:
        self._seat, self._is_outdated = seat, False
        try:
            await self._run_process()
        except ClaudeStartError as error:
            self._did_not_start(error)
        except OSError:
            logger.exception("speaker %s: claude cannot be started", self._name)
            self._add(Failed(NO_START))
        finally:
            self._seat = None

    async def _run_process(self) -> None:
        self._session.process_begins()
        async with self._start(self._session.id, self._knobs) as started:
            self._remarks, self._is_stale = started.remarks, started.is_outdated
            await started.process.ready(timeout_seconds=_READY_SECONDS)
            try:
                failure = await self._serve(started.process)
            finally:
                self._process = None
                self._idle.set()
        if failure is not None:
            self._process_ended(failure)

    async def _serve(self, process: ClaudeProcess) -> Failure | None:
        """Talk with it until it ends, and return why; `None` if its time was up."""
        stay = asyncio.timeout(None)
        try:
            async with stay:
                self._process, self._stay = process, stay
                self._leave_if_outdated()
                await self._ask(process)
                self._rest()
                await self._listen(process)
                return await process.exit()
        except TimeoutError:
            if not stay.expired():
                raise
        finally:
            self._stay = None
        logger.info("speaker %s: its process is not needed any more, so it ends", self._name)
        is_unasked = self._turn is not None and self._turn.answer.is_unasked
        if not is_unasked and not self._is_outdated:
            self._wanted.clear()
        return None

    def _leave_if_outdated(self) -> None:
        """Let the next process, started anew, take over; unless this one answers."""
        if (self._is_outdated or self._is_stale()) and self._idle.is_set():
            self._wanted.set()
            self.leave()

    def _rest(self) -> None:
        """Let the process go after a while, unless it is asked something before."""
        if self._idle.is_set() and self._seat is not None:
            leaves_at = self._seat.idle()
            if self._process is not None:
                self._stay_until(leaves_at)

    def _stay_until(self, when: float | None) -> None:
        if self._stay is not None and not self._stay.expired():
            self._stay.reschedule(when)

    async def _listen(self, process: ClaudeProcess) -> None:
        async for told in process.events():
            event = self._session.heard(told)
            if isinstance(event, TurnEnded):
                self._turn_ended()
            if isinstance(event, BadLine):
                logger.warning("speaker %s: not understood: %s", self._name, event.reason)
            if self._turn is not None:
                self._turn.hear(event)

    def _turn_ended(self) -> None:
        # What is told to nobody is told with the next turn.
        is_heard = self._turn is not None and not self._turn.answer.is_over
        if is_heard and (owed_usd := self._session.take_owed_usd()) > 0:
            self._add(Spent(owed_usd))
        self._idle.set()
        self._rest()
        self._leave_if_outdated()

    async def _ask(self, process: ClaudeProcess) -> None:
        turn, seat, stay = self._turn, self._seat, self._stay
        if turn is None or not turn.answer.is_unasked or self._process is not process:
            return
        if seat is None or stay is None or stay.expired():
            return  # the next process is asked
        answer = turn.answer
        answer.is_asked = True
        answer.times_asked += 1
        self._idle.clear()
        seat.busy()
        stay.reschedule(None)
        for remark in self._remarks:
            turn.add(Warned(remark))
        self._remarks = ()
        with suppress(ConnectionError):  # it has just ended, which is told at once
            await process.say(answer.asked, uuid=self._new_uuid(), images=answer.images)

    def _did_not_start(self, error: ClaudeStartError) -> None:
        logger.warning("speaker %s: %s", self._name, error)
        failure = failure_of_exit(None, error.reason)
        if failure.kind is FailureKind.SESSION_UNKNOWN and self._session.id is not None:
            self._begin_afresh()
        else:
            is_in_use = failure.kind is FailureKind.SESSION_IN_USE
            self._add(Failed(failure.sentence if is_in_use else NO_START))

    def _begin_afresh(self) -> None:
        self._session.id = None
        if self._turn is not None:
            answer = self._turn.answer
            answer.session_was_unknown = answer.is_asked = False
        self._add(Warned(AFRESH))
        self._wanted.set()

    def _process_ended(self, failure: Failure) -> None:
        logger.warning("speaker %s: its process ended: %s", self._name, failure.detail)
        answer = None if self._turn is None else self._turn.answer
        if answer is None or answer.is_over or not answer.is_asked:
            return  # what was not asked yet is asked of the next process
        was_unknown = answer.session_was_unknown or failure.kind is FailureKind.SESSION_UNKNOWN
        if self._session.was_resumed and was_unknown:
            self._begin_afresh()
        elif not answer.has_begun and answer.times_asked < _MOST_TIMES_ASKED:
            # It ended before it took the question up, so nothing of it was done.
            answer.is_asked = False
            self._wanted.set()
        else:
            was_cut_off = answer.has_begun and failure.kind is FailureKind.CRASHED
            self._add(Failed(LOST if was_cut_off else failure.sentence))

    def _add(self, event: SpeakerEvent) -> None:
        if self._turn is not None:
            self._turn.add(event)

    async def _break_off(self, turn: OpenTurn) -> None:
        verdict = Failed(STILL_BUSY if self._must_wait else too_long(self._turn_timeout_seconds))
        turn.answer.verdict = verdict
        await self._finish_earlier()
        turn.add(verdict)

    async def _finish_earlier(self) -> None:
        """End a turn that nobody listens to, so that its end cannot pass for another's."""
        process = self._process
        if self._idle.is_set() or process is None:
            return
        with suppress(ConnectionError):  # then it has just ended
            await process.interrupt()
        if not await self._became_idle():
            process.kill()
            await self._became_idle()

    async def _became_idle(self) -> bool:
        try:
            async with asyncio.timeout(_SECONDS_AFTER_AN_INTERRUPT):
                await self._idle.wait()
        except TimeoutError:
            return False
        return True
