"""Voice lines on which notices are spoken, without any sound."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bot.access import Person, Place
from voice.events import Heard

ANNA = Person(id=1, name="Anna", guild_id=10)


def whole(text: str) -> Heard:
    """Return that all of a text was heard."""
    return Heard(text=text, is_whole=bool(text))


@dataclass
class FakeLines:
    """Implements `SpeaksNotices`: one line, which speaks as soon as there is a pause."""

    channel_id: int = 11
    session_id: str = "5e551011"
    is_open: bool = True
    listeners: Sequence[Person] = (ANNA,)
    hear: Callable[[str], Heard | None] = whole
    """What is heard of a text."""
    pause: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while nobody talks."""
    end: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once what is spoken may end."""
    waiting: int = 0
    """How many announcements wait for a pause."""
    spoken: list[str] = field(default_factory=list[str])
    notes: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def __post_init__(self) -> None:
        self.pause.set()
        self.end.set()

    def session_in(self, place: Place) -> str | None:
        """Return the session, if its line is open in that channel."""
        return self.session_id if self.is_open and place.channel_id == self.channel_id else None

    def people(self, session_id: str) -> Sequence[Person]:
        """Return who is there."""
        assert session_id == self.session_id
        return self.listeners

    async def announce(self, session_id: str, make_text: Callable[[], str]) -> Heard | None:
        """Speak it in the next pause."""
        assert session_id == self.session_id
        self.waiting += 1
        try:
            await self.pause.wait()
        finally:
            self.waiting -= 1
        if not self.is_open:
            return None
        text = make_text()
        if text:
            self.spoken.append(text)
        await self.end.wait()
        return self.hear(text)

    def told(self, session_id: str, note: str) -> None:
        """Take a note down."""
        self.notes.append((session_id, note))
