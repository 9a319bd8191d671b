"""Has notices spoken on voice lines, and says which of them were heard to their end."""

import asyncio
import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from bot.access import Person, Place
from bot.notices.batch import JobNotice
from bot.notices.spoken import note_of, spoken_notice
from voice.events import Heard

logger = logging.getLogger(__name__)


class SpeaksNotices(Protocol):
    """The voice lines, as far as notices are spoken on them."""

    def session_in(self, place: Place) -> str | None:
        """Return the id of the session whose line is open in that very voice channel, if any is."""
        ...

    def people(self, session_id: str) -> Sequence[Person]:
        """Return who is in the line's voice channel at this moment, bots left out."""
        ...

    async def announce(self, session_id: str, make_text: Callable[[], str]) -> Heard | None:
        """Speak a notice in the next pause, and return how much of it was heard.

        Cancel it to take it back, be it while it waits or while it is spoken.

        Args:
            session_id: On whose line.
            make_text: Called once, right before it is spoken; if it returns an empty text,
                nothing is spoken, and it counts as not heard.

        Returns:
            What was heard; `None` if that session has no line, or the line closed before.
        """
        ...

    def told(self, session_id: str, note: str) -> None:
        """Have the speaker of a session know what the bot has just said by itself.

        Args:
            session_id: On whose line.
            note: One line in square brackets, which is to stand before the next turn.
        """
        ...


MayListen = Callable[[JobNotice, Sequence[Person]], bool]
"""Says whether a notice may be spoken before those people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenPace:
    """How long spoken notices wait, and last."""

    gather_seconds: float = 0.5
    """For others on the same line, so that many at once become one."""
    wait_seconds: float = 120.0
    """For a pause; after that it is told in writing."""
    speak_seconds: float = 60.0
    """How long speaking may take, before it counts as broken."""


@dataclass(slots=True)
class _Announcement:
    """Notices that are spoken together."""

    waiting: list[JobNotice] = field(default_factory=list[JobNotice])
    said: list[JobNotice] = field(default_factory=list[JobNotice])
    """Those of which it told, once it has begun."""
    was_heard: bool = False
    """Whether it was heard to its end."""
    is_over: asyncio.Event = field(default_factory=asyncio.Event)


class SpokenNotices:
    """Speaks notices on the lines that are open, as soon as there are any."""

    def __init__(self, pace: SpokenPace | None = None) -> None:
        self._pace = pace or SpokenPace()
        self._lines: SpeaksNotices | None = None
        self._waiting: dict[str, _Announcement] = {}
        """By the sessions; those that have not begun."""

    @contextmanager
    def through(self, lines: SpeaksNotices) -> Generator[None, None, None]:
        """Speak on these lines while the block lasts."""
        self._lines = lines
        try:
            yield
        finally:
            self._lines = None

    def has_line(self, place: Place) -> bool:
        """Say whether a line is open in that very voice channel."""
        return self._lines is not None and self._lines.session_in(place) is not None

    async def heard(self, notice: JobNotice, may_listen: MayListen) -> bool:
        """Speak a notice where it is wanted, and say whether it was heard to its end.

        If not, or if that cannot be told, it is to be told in writing, and never spoken again.

        Args:
            notice: What is to be told; together with others, if they wait for the same pause.
            may_listen: Asked right before it is spoken, of those who are in the channel then.
        """
        lines = self._lines
        session_id = None if lines is None else lines.session_in(notice.owed.place)
        if lines is None or session_id is None:
            return False
        announcement = self._waiting.get(session_id)
        if announcement is not None:
            announcement.waiting.append(notice)
            await announcement.is_over.wait()
        else:
            announcement = self._waiting[session_id] = _Announcement([notice])
            await self._speak(lines, session_id, announcement, may_listen)
        return announcement.was_heard and notice in announcement.said

    async def _speak(
        self,
        lines: SpeaksNotices,
        session_id: str,
        announcement: _Announcement,
        may_listen: MayListen,
    ) -> None:
        try:
            await asyncio.sleep(self._pace.gather_seconds)
            heard = await self._announce(lines, session_id, announcement, may_listen)
        except TimeoutError:
            logger.warning("session %s: a notice found no pause, so it is written", session_id)
        except Exception:  # then it is told in writing
            logger.exception("session %s: a notice could not be spoken", session_id)
        else:
            if heard is not None and announcement.said and heard.text:
                announcement.was_heard = heard.is_whole
                jobs = [one.job for one in announcement.said]
                lines.told(session_id, note_of(jobs, heard))
        finally:
            self._begins(session_id, announcement)
            announcement.is_over.set()

    async def _announce(
        self,
        lines: SpeaksNotices,
        session_id: str,
        announcement: _Announcement,
        may_listen: MayListen,
    ) -> Heard | None:
        async with asyncio.timeout(self._pace.wait_seconds) as limit:

            def make_text() -> str:
                self._begins(session_id, announcement)
                now = asyncio.get_running_loop().time()
                limit.reschedule(now + self._pace.speak_seconds)
                people = lines.people(session_id)
                said = [one for one in announcement.waiting if may_listen(one, people)]
                announcement.said = said if people else []
                return spoken_notice([one.job for one in said]) if announcement.said else ""

            return await lines.announce(session_id, make_text)

    def _begins(self, session_id: str, announcement: _Announcement) -> None:
        """Take no more into it: what settles from now on is told after it."""
        if self._waiting.get(session_id) is announcement:
            del self._waiting[session_id]
