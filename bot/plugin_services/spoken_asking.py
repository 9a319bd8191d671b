"""Asks on voice lines what plugins ask, and takes what people say to it for their answer."""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Protocol

from bot.access import Person, Place
from bot.plugin_services.spoken_words import (
    GIVEN_UP,
    note_of,
    spoken_again,
    spoken_notification,
    spoken_question,
    understood,
)
from bot.plugin_services.ui_questions import Asking
from bot.questions.question import Given, Question
from extensions.plugins.services import Input, Notify
from voice.events import Heard

logger = logging.getLogger(__name__)

_MOST_ATTEMPTS = 3
_MOST_NOTIFICATIONS = 3
"""That wait for a pause on one line; more are only written."""
_PAUSE_SECONDS = 60.0
"""How long a notification waits for a pause, and is spoken, before it is only written."""


class AsksAloud(Protocol):
    """The voice lines, as far as plugins reach people on them."""

    def session_in(self, place: Place) -> str | None:
        """Return the id of the session whose line is open in that very voice channel, if any is."""
        ...

    def people(self, session_id: str) -> Sequence[Person]:
        """Return who is in the line's voice channel at this moment, bots left out."""
        ...

    def say(self, session_id: str, text: str) -> None:
        """Say something soon, also in the middle of an answer that is being spoken."""
        ...

    async def heard_from(self, session_id: str, person_id: int) -> str | None:
        """Return the next thing that somebody says, to the end; it is kept from the speaker.

        Cancel it to listen no more. `None` if that session has no line, or the line closed.
        """
        ...

    async def announce(self, session_id: str, make_text: Callable[[], str]) -> Heard | None:
        """Speak something in the next pause, and return how much of it was heard.

        `None` if that session has no line, or the line closed before.
        """
        ...

    def told(self, session_id: str, note: str) -> None:
        """Have the speaker of a session know what the bot has just said by itself."""
        ...


class TakesAnswers(Protocol):
    """Where answers to questions go."""

    async def answered(self, question_id: str, given: Given) -> str | None:
        """Take what somebody answers, and return what they are told, if anything."""
        ...


class SpokenAsking:
    """Asks aloud, one question at a time on each line."""

    def __init__(self, lines: AsksAloud, answers: TakesAnswers) -> None:
        self._lines = lines
        self._answers = answers
        self._asking: dict[str, asyncio.Lock] = {}
        self._users = Counter[str]()
        self._waiting = Counter[str]()

    async def ask(self, plugin_id: str, request: Asking, question: Question) -> None:
        """Ask whoever is asked, if they are on a line where it is asked.

        It ends when they have answered, or cannot be understood; cancel it once there is an
        answer. What breaks is logged: there are still the buttons.
        """
        session_id = self._lines.session_in(question.place)
        if session_id is None or self._person(session_id, question) is None:
            return
        try:
            async with self._alone(session_id):
                self._lines.say(session_id, spoken_question(plugin_id, request))
                if not isinstance(request, Input):
                    await self._listen(session_id, request, question)
        except Exception:
            logger.exception("plugin %s: a question could not be asked aloud", plugin_id)

    async def tell(self, plugin_id: str, request: Notify, place: Place) -> None:
        """Speak what a plugin tells people, in the next pause, if there is a line.

        What breaks is logged: it is written, too.
        """
        session_id = self._lines.session_in(place)
        if session_id is None:
            return
        if self._waiting[session_id] >= _MOST_NOTIFICATIONS:
            logger.info("plugin %s: a notification is only written, as many wait", plugin_id)
            return
        self._waiting[session_id] += 1
        try:
            await self._announce(session_id, spoken_notification(plugin_id, request))
        except TimeoutError:
            logger.info("plugin %s: a notification found no pause", plugin_id)
        except Exception:
            logger.exception("plugin %s: a notification could not be spoken", plugin_id)
        finally:
            self._waiting -= Counter([session_id])

    async def _announce(self, session_id: str, text: str) -> None:
        async with asyncio.timeout(_PAUSE_SECONDS):
            heard = await self._lines.announce(session_id, lambda: text)
        if heard is not None and heard.text:
            self._lines.told(session_id, note_of(heard.text))

    async def _listen(self, session_id: str, request: Asking, question: Question) -> None:
        for attempt in range(1, _MOST_ATTEMPTS + 1):
            said = await self._lines.heard_from(session_id, question.belonging.person_id)
            person = self._person(session_id, question)
            if said is None or person is None:
                return
            value = understood(request, said)
            if value is not None:
                given = Given(by=person, place=question.place, value=value)
                if refusal := await self._answers.answered(question.id, given):
                    self._lines.say(session_id, refusal)
                return
            is_last = attempt == _MOST_ATTEMPTS
            self._lines.say(session_id, GIVEN_UP if is_last else spoken_again(request))

    def _person(self, session_id: str, question: Question) -> Person | None:
        """Return who is asked, with the roles that they have by now, if they are on the line."""
        people = self._lines.people(session_id)
        return next((one for one in people if one.id == question.belonging.person_id), None)

    @asynccontextmanager
    async def _alone(self, session_id: str) -> AsyncGenerator[None, None]:
        """Have a line for one question while the block lasts."""
        lock = self._asking.setdefault(session_id, asyncio.Lock())
        self._users[session_id] += 1
        try:
            async with lock:
                yield
        finally:
            self._users -= Counter([session_id])
            if not self._users[session_id]:
                del self._asking[session_id]
