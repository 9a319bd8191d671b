"""Everything about sessions but Discord and Claude: conversations, desks and cards."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from pathlib import Path

from bot.access import AccessPolicy, Person, Place
from bot.cards.card import Card
from bot.commands.spec import Completes
from bot.config import VoiceConfig
from bot.conversation.bind_desk import BindDesk
from bot.conversation.bound_channels import BoundChannels
from bot.conversation.command_desk import CommandDesk
from bot.conversation.conversation_parts import ClaudeSessionBegan, ConversationParts
from bot.conversation.conversations import Conversations, open_conversations
from bot.conversation.incoming import CommandCall, Completion, Suggestion
from bot.conversation.knob_desk import KnobDesk
from bot.conversation.line_parts import LineParts
from bot.conversation.line_store import LineStore
from bot.conversation.line_surface import VoicedPlaces
from bot.conversation.lines import open_lines
from bot.conversation.message_store import MessageStore
from bot.conversation.pickups import Pickups
from bot.conversation.resume_desk import ResumeDesk
from bot.conversation.session import Session
from bot.conversation.session_card import SESSION_CARD
from bot.conversation.session_cards import keeping_session_cards
from bot.conversation.session_desk import SessionDesk
from bot.conversation.session_rights import may_take
from bot.conversation.store import SessionStore
from bot.conversation.transcript_store import TranscriptStore
from bot.conversation.voice_desk import VoiceDesk
from bot.conversation.voice_words import VoiceChoice
from bot.messenger import MessageRef
from bot.migrations import migrations
from bot.speaker.speaker import Knobs, PermissionMode
from extensions.database import Database, open_database
from tests.fakes.cards import FakeCards
from tests.fakes.clock import FakeClock
from tests.fakes.messenger import FakeMessenger
from tests.fakes.speaker import FakeSpeaker
from tests.fakes.surface import FakeSurface
from tests.fakes.voice_door import FakeDoor
from voice.installed import VOICE_MISSING

GUILD, OTHER_GUILD = 10, 20
ADMINS, OPERATORS = 101, 102
HERE = Place(guild_id=GUILD, channel_id=11)
THERE = Place(guild_id=GUILD, channel_id=12)
BOUND = Place(guild_id=GUILD, channel_id=13)
ELSEWHERE = Place(guild_id=OTHER_GUILD, channel_id=21)

OWNER = Person(id=1, name="olga", guild_id=GUILD)
ADMIN = Person(id=2, name="ada", guild_id=GUILD, role_ids=frozenset({ADMINS}))
OPERATOR = Person(id=3, name="otto", guild_id=GUILD, role_ids=frozenset({OPERATORS}))
USER = Person(id=7, name="uwe", guild_id=GUILD)
OTHER_USER = Person(id=8, name="ute", guild_id=GUILD)
STRANGER = Person(id=9, name="sven", guild_id=GUILD)

POLICY = AccessPolicy(
    owner_ids=frozenset({OWNER.id}),
    allowed_user_ids=frozenset({USER.id, OTHER_USER.id}),
    admin_role_ids=frozenset({ADMINS}),
    operator_role_ids=frozenset({OPERATORS}),
)
USUAL = Knobs(model="sonnet", permission_mode=PermissionMode.DONT_ASK)


def private(person: Person) -> Place:
    """Return the direct messages of a person."""
    return Place(guild_id=None, channel_id=9000 + person.id)


class SessionHouseCards(FakeCards):
    """Cards that can be told to break."""

    def __init__(self) -> None:
        super().__init__()
        self.is_broken = False
        self.fault: Exception = sqlite3.OperationalError("disk I/O error")
        """Raised while they are broken."""
        self.failed = asyncio.Event()
        """Set once somebody was told so."""
        self.standing: dict[str, Card] = {}
        """The cards that stand somewhere, by the session."""

    def show(self, card: Card) -> None:
        known = self.standing.get(card.subject)
        assert known is None or known.place == card.place, "a card stays where it was posted"
        assert card.kind == SESSION_CARD
        super().show(card)
        self.standing[card.subject] = card

    async def ref_of(self, kind: str, subject: str, *, timeout_seconds: float) -> MessageRef | None:
        if self.is_broken:
            self.failed.set()
            raise self.fault
        return await super().ref_of(kind, subject, timeout_seconds=timeout_seconds)

    async def withdraw(self, kind: str, subject: str) -> None:
        await super().withdraw(kind, subject)
        self.standing.pop(subject, None)


@dataclass
class SessionHouse:
    """It stands while `open_session_house` lasts."""

    conversations: Conversations
    commands: CommandDesk
    store: SessionStore
    database: Database
    bound: BoundChannels
    cards: SessionHouseCards
    messenger: FakeMessenger
    surfaces: dict[int, FakeSurface]
    """By the channel."""
    speakers: dict[str, FakeSpeaker]
    """By the session."""
    began: dict[str, ClaudeSessionBegan]
    clock: FakeClock

    async def call(
        self, name: str, /, *, by: Person = USER, at: Place = HERE, **options: str
    ) -> str:
        """Call a command, and return what it says; an option's `_` stands for a hyphen."""
        values = {option.replace("_", "-"): value for option, value in options.items()}
        person = by if at.guild_id is not None else replace(by, guild_id=None, role_ids=frozenset())
        call = CommandCall(name=name, options=values, person=person, place=at)
        content = await self.commands.carry_out(call)
        assert len(content.text) <= 2000
        return content.text

    async def complete(
        self,
        command: str,
        typed: str = "",
        *,
        by: Person = USER,
        at: Place = HERE,
        option: str = "name",
    ) -> list[Suggestion]:
        """Return what an option may be completed to."""
        completion = Completion(command=command, option=option, typed=typed, person=by, place=at)
        return list(await self.commands.complete(completion))

    def session(self, place: Place = HERE) -> Session:
        """Return the session that is open in a place."""
        conversation = self.conversations.in_place(place)
        assert conversation is not None
        return conversation.session

    def speaker(self, place: Place = HERE) -> FakeSpeaker:
        return self.speakers[self.session(place).id]


@dataclass(kw_only=True)
class HouseOptions:
    """How a house is furnished."""

    policy: AccessPolicy = POLICY
    threads: bool = False
    no_jail: str | None = None
    """Why there is no jail."""
    models: tuple[str, ...] = ("opus", "sonnet")
    mcp_servers: tuple[str, ...] = ("github", "files")
    clock: FakeClock = field(default_factory=lambda: FakeClock(1_780_000_000.0))
    messenger: FakeMessenger = field(default_factory=FakeMessenger)


@asynccontextmanager
async def open_session_house(
    folder: Path, options: HouseOptions | None = None
) -> AsyncGenerator[SessionHouse, None]:
    """Put it up on the database in that folder."""
    options = options or HouseOptions()
    surfaces: dict[int, FakeSurface] = {}
    speakers: dict[str, FakeSpeaker] = {}
    began: dict[str, ClaudeSessionBegan] = {}
    cards, authorize = SessionHouseCards(), options.policy.authorize

    def make_speaker(session: Session, session_began: ClaudeSessionBegan) -> FakeSpeaker:
        began[session.id] = session_began
        return speakers.setdefault(session.id, FakeSpeaker())

    def refusal_of(mode: PermissionMode) -> str | None:
        return options.no_jail if mode.needs_jail else None

    async with (
        asyncio.timeout(20),
        open_database(folder / "papercup.db", migrations()) as database,
    ):
        store, bound = SessionStore(database), BoundChannels(database, [BOUND.channel_id])
        await bound.restore()
        known = await store.newest(lambda _: True, 1_000)
        ids = (f"{number:08x}" for number in count(len(known)))
        line_cards, voiced = FakeCards(), VoicedPlaces()
        async with (
            keeping_session_cards(cards, is_bound=bound.is_bound_itself, usual=USUAL) as kept,
            open_conversations(
                store,
                ConversationParts(
                    turns=MessageStore(database),
                    make_speaker=make_speaker,
                    make_surface=lambda p: surfaces.setdefault(p.channel_id, FakeSurface()),
                    clock=options.clock,
                    new_id=lambda: next(ids),
                    changed=kept.session_changed,
                    may_take=partial(may_take, authorize=authorize),
                ),
            ) as conversations,
            open_lines(
                LineParts(
                    door=FakeDoor(),
                    open_pipeline=None,
                    missing=VOICE_MISSING,
                    conversations=conversations,
                    voiced=voiced,
                    messages=MessageStore(database),
                    store=LineStore(database),
                    transcripts=TranscriptStore(database, days=1),
                    cards=line_cards,
                    messenger=options.messenger,
                    authorize=authorize,
                    config=VoiceConfig(),
                    clock=options.clock,
                    new_id=lambda: next(ids),
                    ready=asyncio.Event(),
                )
            ) as lines,
        ):
            pickups = Pickups(
                authorize=authorize, lines=lines, conversations=conversations, store=store
            )
            desks = (
                SessionDesk(
                    authorize=authorize,
                    conversations=conversations,
                    store=store,
                    messenger=options.messenger,
                    refusal_of=refusal_of,
                    pickups=pickups,
                    threads=options.threads,
                    hears_all=lambda place: place.guild_id is None or bound.is_bound(place),
                    usual=USUAL,
                    describe_bot=lambda: "All is well.",
                    status_lines=_no_jobs,
                ),
                ResumeDesk(
                    authorize=authorize,
                    conversations=conversations,
                    store=store,
                    pickups=pickups,
                    usual=USUAL,
                    clock=options.clock,
                ),
                KnobDesk(
                    authorize=authorize,
                    conversations=conversations,
                    refusal_of=refusal_of,
                    models=options.models,
                    mcp_servers=options.mcp_servers,
                ),
                BindDesk(
                    bound=bound, conversations=conversations, session_changed=kept.session_changed
                ),
                VoiceDesk(authorize=authorize, lines=lines, list_voices=_no_voices),
            )
            offers = [desk.offer() for desk in desks]
            assert Completes.SESSION in offers[1].completers
            yield SessionHouse(
                conversations=conversations,
                commands=CommandDesk(authorize, conversations, offers),
                store=store,
                database=database,
                bound=bound,
                cards=cards,
                messenger=options.messenger,
                surfaces=surfaces,
                speakers=speakers,
                began=began,
                clock=options.clock,
            )


async def _no_voices() -> Sequence[VoiceChoice]:
    return ()


async def _no_jobs(person: Person, place: Place) -> str:
    return f"No jobs for {person.name} in {place.channel_id}."
