"""A speaker that is a warm `claude` process."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, suppress

from bot.speaker.answer import Answer
from bot.speaker.seats import Seat, Seats
from bot.speaker.sentences import AFRESH, BUSY, CANCELLED, LOST, NO_START, STILL_BUSY
from bot.speaker.speaker import Delayed, Failed, SpeakerEvent, Warned
from bot.wording import duration_words
from extensions.claude.events import BadLine, TurnBegan, TurnEnded
from extensions.claude.failures import Failure, FailureKind, failure_of_exit
from extensions.claude.process import ClaudeProcess
from extensions.errors import ClaudeStartError

logger = logging.getLogger(__name__)

StartClaude = Callable[[str | None], AbstractAsyncContextManager[ClaudeProcess]]
"""Starts the process; takes the id of the Claude session that it shall go on with, if any."""

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
        claude_session_id: str | None,
        session_began: Callable[[str], None],
        turn_timeout_seconds: float,
        new_uuid: Callable[[], str],
    ) -> None:
        """Make it.

        Args:
            start: Starts the process.
            seats: Where a process needs a seat.
            name: How the log calls it.
            claude_session_id: What it goes on with; `None` to begin afresh.
            session_began: Told the id under which Claude keeps the session, in each turn.
            turn_timeout_seconds: After which a turn is broken off.
            new_uuid: Gives each message its id.
        """
        self._start = start
        self._seats = seats
        self._name = name
        self._claude_session_id = claude_session_id
        self._session_began = session_began
        self._turn_timeout_seconds = turn_timeout_seconds
        self._new_uuid = new_uuid
        self._wanted = asyncio.Event()
        self._came = asyncio.Event()
        self._idle = asyncio.Event()
        """Set while the process answers nothing, or there is none."""
        self._idle.set()
        self._process: ClaudeProcess | None = None
        """The one that may be spoken to."""
        self._seat: Seat | None = None
        self._stay: asyncio.Timeout | None = None
        """How long it may stay: for ever while it is busy."""
        self._must_wait = False
        self._answer: Answer | None = None
        self._deadline = 0.0

    def warm_up(self) -> None:
        """Start the process in the background, if it does not run."""
        self._wanted.set()

    async def run(self) -> None:
        """Run the process whenever it is wanted, until cancelled."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            async with self._seats.seat(self._name, self) as seat:
                if self._must_wait:
                    self._set_deadline()
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

    async def answer(self, text: str) -> AsyncGenerator[SpeakerEvent, None]:
        """Say `text`, and yield the answer; it ends with `Answered` or `Failed`."""
        await self._finish_earlier()
        answer = self._answer = Answer(text)
        self._set_deadline()
        if self._must_wait:
            self._add(Delayed(BUSY))
        try:
            self._wanted.set()
            if self._process is not None:
                await self._ask(self._process)
            while not answer.is_taken:
                if not await self._came_in_time():
                    await self._break_off(answer)
                for event in answer.take():
                    yield event
        finally:
            self._answer = None

    async def interrupt(self) -> bool:
        """Have the running answer end at once; `False` if there is none."""
        answer, process = self._answer, self._process
        if answer is None or answer.is_over:
            return False
        if process is None or not answer.is_asked:
            self._add(Failed(CANCELLED))
            return True
        with suppress(ConnectionError):  # it has just ended, which is told at once
            await process.interrupt()
        if not await self._became_idle():
            self._add(Failed(CANCELLED))
            await self._finish_earlier()
        return True

    async def _run_in(self, seat: Seat) -> None:
        self._seat = seat
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
        resumed = self._claude_session_id is not None
        async with self._start(self._claude_session_id) as process:
            await process.ready(timeout_seconds=_READY_SECONDS)
            try:
                failure = await self._serve(process)
            finally:
                self._process = None
                self._idle.set()
        if failure is not None:
            self._process_ended(failure, resumed=resumed)

    async def _serve(self, process: ClaudeProcess) -> Failure | None:
        """Talk with it until it ends, and return why; `None` if its time was up."""
        stay = asyncio.timeout(None)
        try:
            async with stay:
                self._process, self._stay = process, stay
                await self._ask(process)
                self._rest()
                await self._listen(process)
                return await process.exit()
        except TimeoutError:
            if not stay.expired():
                raise
        finally:
            self._stay = None
        logger.info("speaker %s: nobody talks to it, so its process ends", self._name)
        if self._answer is None or not self._answer.is_unasked:
            self._wanted.clear()
        return None

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
        async for event in process.events():
            if isinstance(event, TurnBegan):
                self._claude_session_id = event.claude_session_id
                self._session_began(event.claude_session_id)
            if isinstance(event, TurnEnded):
                self._idle.set()
                self._rest()
            if isinstance(event, BadLine):
                logger.warning(
                    "speaker %s: a line was not understood: %s", self._name, event.reason
                )
            if self._answer is not None:
                self._answer.hear(event)
                self._came.set()

    async def _ask(self, process: ClaudeProcess) -> None:
        answer, seat, stay = self._answer, self._seat, self._stay
        if answer is None or not answer.is_unasked:
            return
        if seat is None or stay is None or stay.expired():
            return  # the next process is asked
        answer.is_asked = True
        answer.times_asked += 1
        self._idle.clear()
        seat.busy()
        stay.reschedule(None)
        with suppress(ConnectionError):  # it has just ended, which is told at once
            await process.say(answer.asked, uuid=self._new_uuid())

    def _did_not_start(self, error: ClaudeStartError) -> None:
        logger.warning("speaker %s: %s", self._name, error)
        failure = failure_of_exit(None, error.reason)
        if failure.kind is FailureKind.SESSION_UNKNOWN and self._claude_session_id is not None:
            self._begin_afresh()
        elif failure.kind is FailureKind.SESSION_IN_USE:
            self._add(Failed(failure.sentence))
        else:
            self._add(Failed(NO_START))

    def _begin_afresh(self) -> None:
        self._claude_session_id = None
        if self._answer is not None:
            self._answer.session_was_unknown = self._answer.is_asked = False
        self._add(Warned(AFRESH))
        self._wanted.set()

    def _process_ended(self, failure: Failure, *, resumed: bool) -> None:
        logger.warning("speaker %s: its process ended: %s", self._name, failure.detail)
        answer = self._answer
        if answer is None or answer.is_over or not answer.is_asked:
            return  # what was not asked yet is asked of the next process
        was_unknown = answer.session_was_unknown or failure.kind is FailureKind.SESSION_UNKNOWN
        if resumed and was_unknown:
            self._begin_afresh()
        elif not answer.has_begun and answer.times_asked < _MOST_TIMES_ASKED:
            # It ended before it took the question up, so nothing of it was done.
            answer.is_asked = False
            self._wanted.set()
        else:
            self._add(Failed(LOST if answer.has_begun else failure.sentence))

    def _add(self, event: SpeakerEvent) -> None:
        if self._answer is not None:
            self._answer.add(event)
            self._came.set()

    def _set_deadline(self) -> None:
        self._deadline = asyncio.get_running_loop().time() + self._turn_timeout_seconds

    async def _came_in_time(self) -> bool:
        """Wait until something comes; `False` if the time is up."""
        try:
            async with asyncio.timeout_at(self._deadline):
                await self._came.wait()
        except TimeoutError:
            # What had to wait for a seat gets its time anew.
            return asyncio.get_running_loop().time() < self._deadline
        self._came.clear()
        return True

    async def _break_off(self, answer: Answer) -> None:
        waited = duration_words(self._turn_timeout_seconds)
        too_long = f"I broke off after {waited}; work that long belongs in a job."
        answer.add(Failed(STILL_BUSY if self._must_wait else too_long))
        await self._finish_earlier()

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
