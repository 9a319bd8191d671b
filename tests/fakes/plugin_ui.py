"""Everything by which plugins reach people but Discord, Claude and sound."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from bot.access import AccessPolicy, Person, Place
from bot.messenger import MessageContent
from bot.plugin_services.last_places import LastPlaces
from bot.plugin_services.ui_parts import UiParts
from bot.plugin_services.ui_questions import PURPOSE
from bot.plugin_services.user_interface import PluginUi, open_user_interface
from bot.questions.asker import Asker, open_questions
from bot.questions.question import Given
from bot.questions.store import QuestionStore
from extensions.hooks import Occasion
from extensions.plugins.services import AuditKind, UiAnswer, UiRequest
from tests.fakes.cards import FakeCards
from tests.fakes.inline_database import InlineDatabase
from tests.fakes.messenger import FakeMessage, FakeMessenger
from voice.events import Heard

HERE = Place(guild_id=10, channel_id=11)
ANNA = Person(id=1, name="anna", guild_id=10)
BOB = Person(id=2, name="bob", guild_id=10)
OWNER = Person(id=9, name="olga", guild_id=10)
POLICY = AccessPolicy(owner_ids=frozenset({9}), allowed_user_ids=frozenset({1, 2}))
ANNAS_TURN = Occasion(session_id="5e551011", person_id=1, guild_id=10, channel_id=11)


class FakeAudit:
    """Implements `AuditLog`."""

    def __init__(self) -> None:
        self.notes: list[tuple[AuditKind, str, str]] = []

    def note(self, kind: AuditKind, plugin_id: str, text: str) -> None:
        self.notes.append((kind, plugin_id, text))


class FakeTitles:
    """Implements `GivesTitles`."""

    def __init__(self) -> None:
        self.wanted: list[tuple[str, Occasion]] = []
        self.is_taken = True

    async def want(self, title: str, occasion: Occasion) -> bool:
        self.wanted.append((title, occasion))
        return self.is_taken


class FakeLines:
    """Implements `AsksAloud`: at most one line, on which people say what they are told to."""

    def __init__(self) -> None:
        self.place: Place | None = None
        self.present: list[Person] = []
        self.said: list[str] = []
        self.announced: list[str] = []
        self.notes: list[str] = []
        self.listening_to: list[int] = []
        """To whom it listens at this moment."""
        self.words: asyncio.Queue[str | None] = asyncio.Queue()
        """What is said to it next; `None`: the line closes."""
        self.pause = asyncio.Event()
        """Set while a notice can be spoken."""
        self.fault: Exception | None = None
        self.pause.set()

    def session_in(self, place: Place) -> str | None:
        return "5e551011" if place == self.place else None

    def people(self, session_id: str) -> Sequence[Person]:
        assert session_id == "5e551011"
        return self.present

    def say(self, session_id: str, text: str) -> None:
        assert session_id == "5e551011"
        if self.fault is not None:
            raise self.fault
        self.said.append(text)

    async def heard_from(self, session_id: str, person_id: int) -> str | None:
        assert session_id == "5e551011"
        self.listening_to.append(person_id)
        try:
            return await self.words.get()
        finally:
            self.listening_to.remove(person_id)

    async def announce(self, session_id: str, make_text: Callable[[], str]) -> Heard | None:
        assert session_id == "5e551011"
        if self.fault is not None:
            raise self.fault
        await self.pause.wait()
        self.announced.append(make_text())
        return Heard(text=self.announced[-1], is_whole=True)

    def told(self, session_id: str, note: str) -> None:
        assert session_id == "5e551011"
        self.notes.append(note)


@dataclass
class UiWorld:
    """What outlives a bot."""

    messenger: FakeMessenger = field(default_factory=FakeMessenger)
    database: InlineDatabase = field(default_factory=InlineDatabase)
    cards: FakeCards = field(default_factory=FakeCards)
    lines: FakeLines = field(default_factory=FakeLines)
    audit: FakeAudit = field(default_factory=FakeAudit)
    titles: FakeTitles = field(default_factory=FakeTitles)
    owner_ids: set[int] = field(default_factory=lambda: {9})
    confirms_itself: bool = False
    secret: str = "hunter2"

    @asynccontextmanager
    async def bot(self) -> AsyncGenerator["UiBot", None]:
        """Let plugins reach people, as one bot; another may come after it."""
        places = LastPlaces(self.database)
        await places.restore()
        async with open_questions(
            self.messenger,
            QuestionStore(self.database),
            authorize=POLICY.authorize,
            on_answer={},
            fleeting={PURPOSE},
            clock=asyncio.get_running_loop().time,
        ) as asker:
            parts = UiParts(
                asker=asker,
                messenger=self.messenger,
                cards=self.cards,
                places=places,
                titles=self.titles,
                audit=self.audit,
                lines=self.lines,
                owner_ids=lambda: self.owner_ids,
                clock=asyncio.get_running_loop().time,
                confirms_itself=self.confirms_itself,
                redact=lambda text: text.replace(self.secret, "***"),
            )
            async with open_user_interface(parts) as interface, asyncio.TaskGroup() as tasks:
                bot = UiBot(self, asker, interface, tasks)
                try:
                    yield bot
                finally:
                    for task in bot.asking:
                        task.cancel()


@dataclass
class UiBot:
    """What one bot does for plugins."""

    world: UiWorld
    asker: Asker
    interface: PluginUi
    tasks: asyncio.TaskGroup
    asking: list["asyncio.Task[UiAnswer]"] = field(default_factory=list["asyncio.Task[UiAnswer]"])

    def ask(
        self,
        request: UiRequest,
        occasion: Occasion = ANNAS_TURN,
        *,
        by: str = "todo",
        within_seconds: float | None = None,
    ) -> "asyncio.Task[UiAnswer]":
        """Have a plugin ask, and go on meanwhile."""
        asking = self.interface.ask(by, request, occasion, within_seconds=within_seconds)
        task = self.tasks.create_task(asking)
        self.asking.append(task)
        return task

    @property
    def newest(self) -> FakeMessage:
        """The newest message."""
        return self.world.messenger.messages[-1]

    @property
    def shown(self) -> MessageContent:
        """How the newest message looks now."""
        return self.newest.versions[-1]

    async def press(self, label: str, *, by: Person = ANNA) -> str | None:
        """Press a button of the newest question, and return what that person is told."""
        button = next(one for one in self.newest.versions[0].buttons if one.label == label)
        question_id, _, number = button.action.subject.rpartition(":")
        given = Given(by=by, place=HERE, number=int(number), message=self.newest.ref)
        return await self.asker.answered(question_id, given)
