"""Everything about voice lines but Discord, Claude and sound."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count

from bot.access import Person, Place
from bot.config import VoiceConfig
from bot.conversation.command_desk import CommandDesk
from bot.conversation.conversation import Conversation
from bot.conversation.conversation_parts import ClaudeSessionBegan, ConversationParts
from bot.conversation.conversations import Conversations, open_conversations
from bot.conversation.incoming import ButtonPress, CommandCall, Completion, Suggestion
from bot.conversation.knob_desk import KnobDesk
from bot.conversation.line_parts import LineParts
from bot.conversation.line_store import LineStore
from bot.conversation.line_surface import VoicedPlaces
from bot.conversation.lines import Lines, open_lines
from bot.conversation.message_store import MessageStore
from bot.conversation.pickups import Pickups
from bot.conversation.resume_desk import ResumeDesk
from bot.conversation.session import Session
from bot.conversation.session_desk import SessionDesk
from bot.conversation.session_rights import may_take
from bot.conversation.store import SessionStore
from bot.conversation.text_chat import Pace, TextChat
from bot.conversation.transcript_store import TranscriptStore
from bot.conversation.turn import Turn
from bot.conversation.voice_desk import VoiceDesk
from bot.conversation.voice_line import VoiceLine
from bot.messenger import ButtonAction, MessageContent, MessageRef
from bot.speaker.speaker import Answered, SpeakerEvent, TextCame
from bot.text.layout import lay_out
from extensions.database import Database
from tests.fakes.cards import FakeCards
from tests.fakes.clock import FakeClock
from tests.fakes.inline_database import InlineDatabase
from tests.fakes.messenger import FakeMessenger
from tests.fakes.pipeline import FakePipeline, PipelineMaker, list_voices
from tests.fakes.session_house import (
    GUILD,
    HERE,
    OTHER_USER,
    OWNER,
    POLICY,
    STRANGER,
    USER,
    USUAL,
)
from tests.fakes.speaker import FakeSpeaker
from tests.fakes.voice_door import FakeDoor
from tests.fakes.waiting import until

__all__ = ["GUILD", "HERE", "OTHER_USER", "OWNER", "STRANGER", "USER"]

LOUNGE = Place(guild_id=GUILD, channel_id=31)
DEN = Place(guild_id=GUILD, channel_id=32)
MISSING = "Voice is not installed."
GREETING = "Hi, this is Papercup. I am listening."


@dataclass(kw_only=True)
class Furniture:
    """How a house is furnished; what stays over restarts is handed in again."""

    database: Database = field(default_factory=InlineDatabase)
    door: FakeDoor = field(default_factory=FakeDoor)
    cards: FakeCards = field(default_factory=FakeCards)
    messenger: FakeMessenger = field(default_factory=FakeMessenger)
    pipelines: PipelineMaker = field(default_factory=PipelineMaker)
    clock: FakeClock = field(default_factory=lambda: FakeClock(1_780_000_000.0))
    config: VoiceConfig = field(default_factory=VoiceConfig)
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    is_ready_at_once: bool = True
    has_voice: bool = True
    ids: "count[int]" = field(default_factory=count)


@dataclass
class LineHouse:
    """It stands while `open_line_house` lasts."""

    options: Furniture
    lines: Lines
    conversations: Conversations
    commands: CommandDesk
    store: LineStore
    sessions: SessionStore
    transcripts: TranscriptStore
    messages: MessageStore
    voiced: VoicedPlaces
    speakers: Mapping[str, FakeSpeaker]
    message_ids: "count[int]" = field(default_factory=lambda: count(500_000))

    @property
    def door(self) -> FakeDoor:
        return self.options.door

    @property
    def pipeline(self) -> FakePipeline:
        """That of the newest line."""
        return self.options.pipelines.made[-1]

    @property
    def line(self) -> VoiceLine:
        line = self.lines.line_in(GUILD)
        assert line is not None
        return line

    @property
    def conversation(self) -> Conversation:
        """That of the line."""
        found = self.conversations.in_place(self.line.place)
        assert found is not None
        return found

    @property
    def speaker(self) -> FakeSpeaker:
        """That of the line."""
        return self.speakers[self.conversation.session.id]

    @property
    def status(self) -> MessageContent:
        """The status message as it looks now."""
        return [card.content for card in self.options.cards.shown if card.kind == "line"][-1]

    @property
    def posted(self) -> list[str]:
        """All that was posted in the voice channels' chats."""
        return [message.text for message in self.options.messenger.messages]

    async def call(
        self, name: str, /, *, by: Person = USER, at: Place = HERE, **options: str
    ) -> str:
        """Call a command, and return what it says."""
        call = CommandCall(name=name, options=options, person=by, place=at)
        content = await self.commands.carry_out(call)
        assert len(content.text) <= 2000
        return content.text

    async def press(self, action: ButtonAction, *, by: Person = USER, at: Place = LOUNGE) -> str:
        ref = MessageRef(channel_id=at.channel_id, message_id=1)
        press = ButtonPress(action=action, message=ref, person=by, place=at)
        content = await self.commands.press(press)
        return "" if content is None else content.text

    async def complete(
        self, command: str, option: str, typed: str = "", *, by: Person = USER, at: Place = HERE
    ) -> Sequence[Suggestion]:
        completion = Completion(command=command, option=option, typed=typed, person=by, place=at)
        return await self.commands.complete(completion)

    async def pick_up(self, *people: Person, channel: Place = LOUNGE) -> str:
        """Have people come into a voice channel, and the first of them pick up there."""
        people = people or (USER,)
        self.door.enters(channel, *people)
        told = await self.call("pickup", by=people[0])
        await until(lambda: GREETING in self.pipeline.said)
        return told

    def write(self, text: str, *, by: Person = USER) -> MessageRef:
        """Have somebody write something in the chat of the line."""
        place = self.line.place
        ref = MessageRef(channel_id=place.channel_id, message_id=next(self.message_ids))
        self.conversation.take(Turn(people=(by,), text=text, asked_in=ref))
        return ref

    def answers(self, *events: SpeakerEvent | str) -> None:
        """Have the speaker say something, to the end."""
        for event in events:
            said = TextCame(event) if isinstance(event, str) else event
            self.speaker.events.put_nowait(said)
        self.speaker.events.put_nowait(Answered())

    async def is_asked(self, *texts: str) -> None:
        """Wait until that is all that the speaker of the line was asked."""
        await until(lambda: self.speaker.asked == list(texts))

    async def has_spoken(self, *texts: str) -> None:
        """Wait until these answers were spoken, to the end or not."""
        await until(
            lambda: (
                [each.text.strip() for each in self.pipeline.speeches if each.is_over]
                == list(texts)
            )
        )

    async def is_idle(self) -> None:
        """Wait until nothing is being answered."""
        await until(lambda: self.conversation.running_turn is None)

    async def has_ended(self) -> None:
        """Wait until there is no line, and its channel is left."""
        await until(lambda: self.lines.line_in(GUILD) is None and not self.door.links)


@asynccontextmanager
async def open_line_house(
    options: Furniture | None = None,
) -> AsyncGenerator[LineHouse, None]:
    """Put it up."""
    options = options or Furniture()
    if options.is_ready_at_once:
        options.ready.set()
    speakers: dict[str, FakeSpeaker] = {}
    voiced, messages = VoicedPlaces(), MessageStore(options.database)
    sessions = SessionStore(options.database)
    transcripts = TranscriptStore(options.database, days=options.config.transcript_days)

    def make_speaker(session: Session, _: ClaudeSessionBegan) -> FakeSpeaker:
        return speakers.setdefault(session.id, FakeSpeaker())

    def new_id() -> str:
        return f"{next(options.ids):08x}"

    async with (
        open_conversations(
            sessions,
            ConversationParts(
                turns=messages,
                make_speaker=make_speaker,
                make_surface=lambda place: voiced.surface(
                    place,
                    TextChat(
                        options.messenger,
                        place,
                        lay_out,
                        options.cards,
                        options.clock,
                        Pace(gather_seconds=0, edit_seconds=0, work_seconds=3600),
                    ),
                ),
                clock=options.clock,
                new_id=new_id,
                as_held=voiced.as_held,
                may_take=partial(may_take, authorize=POLICY.authorize),
            ),
        ) as conversations,
        open_lines(
            LineParts(
                door=options.door,
                open_pipeline=options.pipelines.open if options.has_voice else None,
                missing=MISSING,
                conversations=conversations,
                voiced=voiced,
                messages=messages,
                store=LineStore(options.database),
                transcripts=transcripts,
                cards=options.cards,
                messenger=options.messenger,
                authorize=POLICY.authorize,
                config=options.config,
                clock=options.clock,
                new_id=new_id,
                ready=options.ready,
            )
        ) as lines,
    ):
        yield LineHouse(
            options=options,
            lines=lines,
            conversations=conversations,
            commands=_desk(options, lines, conversations, sessions),
            store=LineStore(options.database),
            sessions=sessions,
            transcripts=transcripts,
            messages=messages,
            voiced=voiced,
            speakers=speakers,
        )


def _desk(
    options: Furniture,
    lines: Lines,
    conversations: Conversations,
    sessions: SessionStore,
) -> CommandDesk:
    authorize = POLICY.authorize
    pickups = Pickups(authorize=authorize, lines=lines, conversations=conversations, store=sessions)
    desks = (
        SessionDesk(
            authorize=authorize,
            conversations=conversations,
            store=sessions,
            messenger=options.messenger,
            refusal_of=lambda _: None,
            pickups=pickups,
            threads=False,
            hears_all=lambda _: False,
            usual=USUAL,
            describe_bot=lambda: "All is well.",
            status_lines=_no_jobs,
        ),
        ResumeDesk(
            authorize=authorize,
            conversations=conversations,
            store=sessions,
            pickups=pickups,
            usual=USUAL,
            clock=options.clock,
        ),
        KnobDesk(
            authorize=authorize,
            conversations=conversations,
            refusal_of=lambda _: None,
            models=("opus",),
            mcp_servers=("notes",),
        ),
        VoiceDesk(authorize=authorize, lines=lines, list_voices=list_voices, hearing_seconds=0.05),
    )
    offers = [desk.offer() for desk in desks]
    return CommandDesk(authorize, conversations, offers, line_in=lines.place_in)


async def _no_jobs(_: Person, _place: Place) -> str:
    return "No jobs."
