"""What happened in the simulator, in order, for tests to look at and for onlookers to watch."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from simulator.discord.model import Account, Channel, Message
from simulator.discord.voice.happenings import VoiceHappening

T = TypeVar("T")

JOURNAL_LENGTH = 20_000
"""Entries kept; the oldest go first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestAnswered:
    """A REST request and what it was answered with."""

    at_seconds: float
    """Monotonic: when the answer was ready."""
    method: str
    path: str
    """Without /api/v10 and without the query."""
    route: str | None
    """The template that served it, as Discord's API description writes it; `None`: unknown."""
    status: int
    request_body: Any
    """JSON, without uploaded files."""
    response_body: Any
    """JSON, or `None` where there was none."""
    was_fault: bool = False
    """Whether it was a fault that a test had asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagePosted:
    """Somebody posted a message."""

    at_seconds: float
    message: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageEdited:
    """A message holds something else now."""

    at_seconds: float
    message: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageDeleted:
    """A message is gone."""

    at_seconds: float
    message: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class TypingStarted:
    """Somebody is shown as typing for ten seconds."""

    at_seconds: float
    account: Account
    channel: Channel


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandCalled:
    """A person called a slash command."""

    at_seconds: float
    account: Account
    channel: Channel
    text: str
    """As the person would type it: `/notify state:on`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ButtonPressed:
    """A person pressed a button."""

    at_seconds: float
    account: Account
    message: Message
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuChosen:
    """A person chose from a menu."""

    at_seconds: float
    account: Account
    message: Message
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FormSent:
    """A person filled in a form, and sent it off."""

    at_seconds: float
    account: Account
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PresenceChanged:
    """The bot told what it is doing."""

    at_seconds: float
    status: str
    """`online`, `idle`, `dnd` or `invisible`."""
    activities: tuple[Mapping[str, Any], ...]
    """As on the wire."""

    @property
    def text(self) -> str:
        """What people see under its name; empty if nothing."""
        shown = (one.get("state") or one.get("name") or "" for one in self.activities)
        return next(shown, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandsRegistered:
    """The bot told which slash commands it has."""

    at_seconds: float
    guild_id: int | None
    """`None`: everywhere."""
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayOpened:
    """The bot's gateway connection was identified or resumed."""

    at_seconds: float
    session_id: str
    was_resumed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayClosed:
    """A gateway connection ended."""

    at_seconds: float
    session_id: str | None
    """`None`: it never got as far as a session."""
    code: int | None


Happening = (
    RequestAnswered
    | MessagePosted
    | MessageEdited
    | MessageDeleted
    | TypingStarted
    | CommandCalled
    | ButtonPressed
    | MenuChosen
    | FormSent
    | PresenceChanged
    | CommandsRegistered
    | GatewayOpened
    | GatewayClosed
    | VoiceHappening
)
Observer = Callable[[Happening], None]
"""Told of everything as it happens; must be quick."""


class Journal:
    """The newest of what happened; iterate over it, or wait for it to change."""

    def __init__(self, observer: Observer | None = None) -> None:
        """Open an empty one.

        Args:
            observer: Told of everything from the start on.
        """
        self._entries: deque[Happening] = deque(maxlen=JOURNAL_LENGTH)
        self._observers: list[Observer] = [observer] if observer is not None else []
        self._changed = asyncio.Event()
        self.forgotten_count = 0
        """How many entries were dropped because the journal was full."""

    def __iter__(self) -> Iterator[Happening]:
        return iter(tuple(self._entries))

    def __len__(self) -> int:
        return len(self._entries)

    def record(self, happening: Happening) -> None:
        """Add an entry, tell the observers, and wake whoever waits."""
        if len(self._entries) == JOURNAL_LENGTH:
            self.forgotten_count += 1
        self._entries.append(happening)
        for observer in tuple(self._observers):
            observer(happening)
        self._changed.set()
        self._changed = asyncio.Event()

    def add_observer(self, observer: Observer) -> None:
        """Tell `observer` of everything from now on."""
        self._observers.append(observer)

    def remove_observer(self, observer: Observer) -> None:
        """Tell it nothing more."""
        self._observers.remove(observer)

    def of(self, kind: type[T]) -> list[T]:
        """Return the entries of one kind, oldest first."""
        return [entry for entry in self._entries if isinstance(entry, kind)]

    def requests(
        self, method: str | None = None, route: str | None = None
    ) -> list[RequestAnswered]:
        """Return the requests, oldest first; of one method and one route, if they are given."""
        return [
            request
            for request in self.of(RequestAnswered)
            if method in {None, request.method} and route in {None, request.route}
        ]

    @property
    def unknown_routes(self) -> list[str]:
        """What was asked for and is not served, such as `GET /users/@me/guilds`."""
        return [
            f"{request.method} {request.path}"
            for request in self.of(RequestAnswered)
            if request.route is None and not request.was_fault
        ]

    async def until(self, check: Callable[[], T | None], *, timeout_seconds: float) -> T:
        """Return what `check` finds, as soon as it finds something.

        Raises:
            TimeoutError: If it found nothing in time.
        """
        async with asyncio.timeout(timeout_seconds):
            while (found := check()) is None:
                await self._changed.wait()
        return found
