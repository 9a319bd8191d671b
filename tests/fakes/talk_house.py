"""What takes messages and has them answered, with the real queue and the real database."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from bot.access import AccessPolicy, Person, Place
from bot.conversation.attachments import AttachmentRoom
from bot.conversation.catch_up import CatchUp
from bot.conversation.conversation import Conversation
from bot.conversation.conversation_parts import ClaudeSessionBegan, ConversationParts
from bot.conversation.conversations import Conversations, open_conversations
from bot.conversation.hearing import Hearing, recall_hearing
from bot.conversation.incoming import Attachment, IncomingMessage, first_id_at
from bot.conversation.intake import Intake
from bot.conversation.message_store import MessageStore
from bot.conversation.routing import Routing
from bot.conversation.session import Session
from bot.conversation.store import SessionStore
from bot.messenger import MessageRef
from bot.migrations import migrations
from bot.speaker.speaker import Answered, TextCame
from extensions.database import Database, open_database
from tests.fakes.attachments import FakeAttachments
from tests.fakes.clock import FakeClock
from tests.fakes.history import FakeHistory
from tests.fakes.messenger import FakeMessenger
from tests.fakes.speaker import FakeSpeaker
from tests.fakes.surface import FakeSurface
from tests.fakes.waiting import until

NOW = 1_780_000_000.0
HERE = Place(guild_id=10, channel_id=11)
OWNER = Person(id=1, name="olga", guild_id=10)
USER = Person(id=7, name="uwe", guild_id=10)
OTHER_USER = Person(id=8, name="ute", guild_id=10)
STRANGER = Person(id=9, name="sven", guild_id=10)


def ref(number: int, *, age_seconds: float = 60.0) -> MessageRef:
    """Return a message that was written so long ago; a higher number is later."""
    return MessageRef(channel_id=11, message_id=first_id_at(NOW - age_seconds) + number)


def message(
    number: int,
    text: str | None = None,
    *,
    author: Person = USER,
    age_seconds: float = 60.0,
    mentions: bool = True,
    attachments: tuple[Attachment, ...] = (),
) -> IncomingMessage:
    """Return something that was written in `HERE`."""
    return IncomingMessage(
        ref=ref(number, age_seconds=age_seconds),
        author=author,
        place=HERE,
        text=f"text {number}" if text is None else text,
        mentions_bot=mentions,
        attachments=attachments,
    )


@dataclass
class TalkHouse:
    """What stays over restarts."""

    folder: Path
    policy: AccessPolicy = field(
        default_factory=lambda: AccessPolicy(
            owner_ids=frozenset({1}), allowed_user_ids=frozenset({7, 8})
        )
    )
    clock: FakeClock = field(default_factory=lambda: FakeClock(NOW))
    messenger: FakeMessenger = field(default_factory=FakeMessenger)
    history: FakeHistory = field(default_factory=FakeHistory)
    files: FakeAttachments = field(default_factory=FakeAttachments)
    bound_channel_ids: set[int] = field(default_factory=set)
    jobs_started: list[str] = field(default_factory=list)
    """The names of the jobs that every answer that was broken off has led to."""
    session_ids: Iterator[int] = field(default_factory=count)

    @asynccontextmanager
    async def open(self) -> AsyncGenerator["Talk", None]:
        """Run a bot while the block lasts."""
        surfaces: dict[int, FakeSurface] = {}
        speakers: list[FakeSpeaker] = []

        def make_speaker(_: Session, _began: ClaudeSessionBegan) -> FakeSpeaker:
            speakers.append(FakeSpeaker())
            return speakers[-1]

        async with (
            asyncio.timeout(10),
            open_database(self.folder / "papercup.db", migrations()) as database,
            open_conversations(
                SessionStore(database),
                ConversationParts(
                    turns=MessageStore(database),
                    make_speaker=make_speaker,
                    make_surface=lambda p: surfaces.setdefault(p.channel_id, FakeSurface()),
                    clock=self.clock,
                    new_id=lambda: f"{next(self.session_ids):08x}",
                    attachments=AttachmentRoom(self.files, self.folder),
                ),
            ) as conversations,
        ):
            hearing = await recall_hearing(database, now=self.clock())
            yield self._talk(database, hearing, conversations, speakers, surfaces)

    def _talk(
        self,
        database: Database,
        hearing: Hearing,
        conversations: Conversations,
        speakers: list[FakeSpeaker],
        surfaces: dict[int, FakeSurface],
    ) -> "Talk":
        messages = MessageStore(database)
        routing = Routing(
            is_bound=lambda place: place.channel_id in self.bound_channel_ids,
            owns_thread=conversations.owns_thread,
        )
        intake = Intake(
            authorize=self.policy.authorize,
            conversations=conversations,
            messages=messages,
            messenger=self.messenger,
            is_for_the_bot=routing.is_for_the_bot,
            clock=self.clock,
        )
        catch_up = CatchUp(
            intake=intake,
            messages=messages,
            conversations=conversations,
            history=self.history,
            hearing=hearing,
            jobs_started=self._jobs_started,
            bound_channels=lambda: self.bound_channel_ids,
            clock=self.clock,
        )
        return Talk(
            house=self,
            database=database,
            messages=messages,
            hearing=hearing,
            conversations=conversations,
            intake=intake,
            catch_up=catch_up,
            speakers=speakers,
            surfaces=surfaces,
        )

    async def _jobs_started(self, _: str, _since: float) -> list[str]:
        return self.jobs_started


@dataclass
class Talk:
    """One bot's life."""

    house: TalkHouse
    database: Database
    messages: MessageStore
    hearing: Hearing
    conversations: Conversations
    intake: Intake
    catch_up: CatchUp
    speakers: list[FakeSpeaker]
    surfaces: dict[int, FakeSurface]

    @property
    def asked(self) -> list[str]:
        """All that speakers were asked."""
        return [text for speaker in self.speakers for text in speaker.asked]

    @property
    def replies(self) -> list[tuple[MessageRef | None, str]]:
        """What was said by whoever takes messages, and in reply to what."""
        return [(posted.reply_to, posted.text) for posted in self.house.messenger.messages]

    @property
    def surface(self) -> FakeSurface:
        """`HERE`."""
        return self.surfaces[HERE.channel_id]

    @property
    def conversation(self) -> Conversation:
        """The one in `HERE`."""
        found = self.conversations.in_place(HERE)
        assert found is not None
        return found

    async def is_asked(self, *texts: str) -> None:
        """Wait until that is all that speakers were asked."""
        await until(lambda: self.asked == list(texts))

    def answer(self, text: str = "Hi.") -> None:
        """Have the newest speaker say something."""
        self.speakers[-1].events.put_nowait(TextCame(text))
        self.speakers[-1].events.put_nowait(Answered())

    async def waiting(self) -> list[str]:
        """Return what is not answered yet, as it is stored."""
        return [record.text for record in await self.messages.unanswered()]
