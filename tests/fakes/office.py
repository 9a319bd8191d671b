"""Everything behind the front desk, joined as the program joins it, but Discord and Claude."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path

from bot.access import Access, AccessPolicy, Authorize, Person, Place
from bot.cards.cards import Cards, keeping_cards
from bot.cards.job_cards import JobCards
from bot.cards.store import CardStore
from bot.commands.offered import OfferedCommands
from bot.config import Config
from bot.config_mcp import McpServerConfig
from bot.conversation.attachments import AttachmentRoom
from bot.conversation.bound_channels import BoundChannels
from bot.conversation.conversation_parts import ClaudeSessionBegan, ConversationParts
from bot.conversation.conversations import Conversations, open_conversations
from bot.conversation.desk import DeskOffer
from bot.conversation.front_desk import FrontDesk, open_front_desk
from bot.conversation.front_desk import Office as FrontOffice
from bot.conversation.hearing import recall_hearing
from bot.conversation.incoming import (
    ButtonPress,
    CommandCall,
    Completion,
    IncomingMessage,
    first_id_at,
)
from bot.conversation.job_rights import JobRights
from bot.conversation.line_parts import LineParts
from bot.conversation.line_store import LineStore
from bot.conversation.line_surface import VoicedPlaces
from bot.conversation.lines import Lines, open_lines
from bot.conversation.message_store import MessageStore
from bot.conversation.routing import Routing
from bot.conversation.rundown import RUNDOWN_PURPOSE, rundown_giver
from bot.conversation.session import Session
from bot.conversation.session_cards import SessionCards, keeping_session_cards
from bot.conversation.session_rights import may_take
from bot.conversation.store import SessionStore
from bot.conversation.text_chat import TextChat
from bot.conversation.transcript_store import TranscriptStore
from bot.desks import Desks, usual_knobs
from bot.messenger import ButtonAction, MessageContent, MessageRef
from bot.migrations import migrations
from bot.plugin_services.command_front import CommandParts, open_command_front
from bot.questions.asker import Asker, open_questions
from bot.questions.store import QuestionStore
from bot.text.layout import lay_out
from extensions.database import Database, open_database
from extensions.jobs.backend import RunEnded
from extensions.jobs.job import Job, JobRequest, JobStatus, Outcome
from extensions.jobs.manager import JobManager
from tests.fakes.attachments import FakeAttachments
from tests.fakes.clock import FakeClock
from tests.fakes.history import FakeHistory
from tests.fakes.job_backend import FakeJobBackend
from tests.fakes.job_house import JobHouse, request
from tests.fakes.messenger import FakeMessenger
from tests.fakes.pipeline import PipelineMaker, list_voices
from tests.fakes.plugin_commands import FakePlugins
from tests.fakes.speaker import FakeSpeaker
from tests.fakes.voice_door import FakeDoor
from tests.fakes.waiting import until

NOW = 1_780_000_000.0
HERE = Place(guild_id=10, channel_id=11)
MCP_SERVER = "notes"


@dataclass
class Office:
    """It is open while `open_office` lasts."""

    desk: FrontDesk
    authorize: Authorize
    conversations: Conversations
    sessions: SessionStore
    bound: BoundChannels
    messages: MessageStore
    asker: Asker
    questions: QuestionStore
    offers: Sequence[DeskOffer]
    """What the other desks take care of."""
    lines: Lines
    door: FakeDoor
    pipelines: PipelineMaker
    jobs: JobManager
    rights: JobRights
    backend: FakeJobBackend
    house: JobHouse
    messenger: FakeMessenger
    history: FakeHistory
    speakers: dict[str, FakeSpeaker]
    """By the session."""
    plugins: FakePlugins
    offered: OfferedCommands
    """Which commands people are offered at present."""
    sessions_folder: Path
    message_ids: Iterator[int] = field(default_factory=lambda: count(first_id_at(NOW)))

    def message(
        self, person: Person, text: str = "hi", *, mentions: bool = True, place: Place = HERE
    ) -> IncomingMessage:
        """Return something that a person writes just now."""
        return IncomingMessage(
            ref=MessageRef(channel_id=place.channel_id, message_id=next(self.message_ids)),
            author=person,
            place=place,
            text=text,
            mentions_bot=mentions,
        )

    async def say(self, person: Person, text: str = "hi", *, place: Place = HERE) -> MessageRef:
        message = self.message(person, text, place=place)
        await self.desk.message_arrived(message)
        return message.ref

    async def call(
        self,
        person: Person,
        name: str,
        options: Mapping[str, str] | None = None,
        *,
        place: Place = HERE,
        target: IncomingMessage | None = None,
    ) -> str:
        call = CommandCall(
            name=name, options=options or {}, person=person, place=place, target=target
        )
        return (await self.desk.command_called(call)).text

    async def complete(
        self,
        person: Person,
        command: str,
        option: str,
        *,
        place: Place = HERE,
        given: Mapping[str, str] | None = None,
    ) -> list[str]:
        """Return what a person may complete an option to that is still empty."""
        found = await self.desk.completed(
            Completion(
                command=command,
                option=option,
                typed="",
                person=person,
                place=place,
                given=given or {},
            )
        )
        return [suggestion.value for suggestion in found]

    async def press(self, person: Person, verb: str, subject: str) -> MessageContent:
        """Press a button that answers the person who does."""
        ref = MessageRef(channel_id=HERE.channel_id, message_id=6)
        action = ButtonAction(verb=verb, subject=subject)
        answer = await self.desk.button_pressed(
            ButtonPress(action=action, message=ref, person=person, place=HERE)
        )
        assert answer is not None
        return answer

    async def running_job(self, wanted: JobRequest | None = None) -> Job:
        job = await self.jobs.spawn(wanted or request(name="fibonacci"))
        await until(lambda: job.id in self.backend.runs)
        return job

    async def ended_job(self, outcome: Outcome, wanted: JobRequest | None = None) -> Job:
        job = await self.running_job(wanted)
        self.backend.runs[job.id].emit(RunEnded(outcome))
        return await self.house.watcher.settled(job.id)

    async def settled_job(self, summary: str = "done", wanted: JobRequest | None = None) -> Job:
        outcome = Outcome(status=JobStatus.COMPLETED, summary=summary)
        return await self.ended_job(outcome, wanted)

    def speaker(self, place: Place = HERE) -> FakeSpeaker:
        """Return who answers in a place."""
        conversation = self.conversations.in_place(place)
        assert conversation is not None
        return self.speakers[conversation.session.id]


@dataclass
class _Around:
    """What the office is put up in."""

    policy: AccessPolicy
    job_refusal: str | None
    folder: Path
    house: JobHouse
    backend: FakeJobBackend = field(default_factory=FakeJobBackend)
    messenger: FakeMessenger = field(default_factory=FakeMessenger)
    history: FakeHistory = field(default_factory=FakeHistory)
    speakers: dict[str, FakeSpeaker] = field(default_factory=dict)
    door: FakeDoor = field(default_factory=FakeDoor)
    pipelines: PipelineMaker = field(default_factory=PipelineMaker)
    voiced: VoicedPlaces = field(default_factory=VoicedPlaces)
    plugins: FakePlugins = field(default_factory=FakePlugins)
    offered: OfferedCommands = field(default_factory=OfferedCommands)

    @property
    def config(self) -> Config:
        return Config(data_dir=self.folder, mcp={MCP_SERVER: McpServerConfig(command="notes")})

    @property
    def sessions_folder(self) -> Path:
        return self.folder / "sessions"

    def parts(
        self, database: Database, cards: Cards, session_cards: SessionCards, access: Access
    ) -> ConversationParts:
        numbers = count(1)

        def make_speaker(session: Session, _: ClaudeSessionBegan) -> FakeSpeaker:
            return self.speakers.setdefault(session.id, FakeSpeaker())

        return ConversationParts(
            turns=MessageStore(database),
            make_speaker=make_speaker,
            make_surface=lambda place: self.voiced.surface(
                place, TextChat(self.messenger, place, lay_out, cards, self.house.clock)
            ),
            clock=self.house.clock,
            new_id=lambda: f"{next(numbers):08x}",
            changed=session_cards.session_changed,
            as_held=self.voiced.as_held,
            attachments=AttachmentRoom(FakeAttachments(), self.sessions_folder),
            may_take=partial(may_take, authorize=access.authorize),
        )

    def command_parts(
        self, database: Database, conversations: Conversations, access: Access
    ) -> CommandParts:
        return CommandParts(
            authorize=access.authorize,
            plugins=self.plugins,
            reload=self.plugins.reload,
            offered=self.offered,
            conversations=conversations,
            messages=MessageStore(database),
            messenger=self.messenger,
            lay_out=lay_out,
            clock=self.house.clock,
        )

    def line_parts(
        self, database: Database, cards: Cards, conversations: Conversations, access: Access
    ) -> LineParts:
        return LineParts(
            door=self.door,
            open_pipeline=self.pipelines.open,
            conversations=conversations,
            voiced=self.voiced,
            messages=MessageStore(database),
            store=LineStore(database),
            transcripts=TranscriptStore(database, days=1),
            cards=cards,
            messenger=self.messenger,
            authorize=access.authorize,
            config=self.config.voice,
            clock=self.house.clock,
            new_id=partial(next, (f"line{number}" for number in count())),
            ready=asyncio.Event(),
        )


@asynccontextmanager
async def open_office(
    folder: Path, policy: AccessPolicy, *, job_refusal: str | None = None
) -> AsyncGenerator[Office, None]:
    """Put it up in that folder.

    Args:
        folder: Where everything is kept.
        policy: Who may do what.
        job_refusal: Why no job may be started on this machine; `None` if that is possible.
    """
    house = JobHouse(folder / "work")
    house.clock, house.spawns_per_minute = FakeClock(NOW), 5
    around = _Around(policy, job_refusal, folder, house)
    for path in (house.folder, around.sessions_folder):
        path.mkdir(exist_ok=True)
    access = Access(policy)
    async with (
        asyncio.timeout(30),
        open_database(folder / "papercup.db", migrations()) as database,
        house.open(around.backend) as jobs,
        keeping_cards(around.messenger, CardStore(database)) as cards,
    ):
        bound = BoundChannels(database, [])

        async def find_job(job_id: str) -> Job:
            return await jobs.find(job_id, lambda _: True)

        async with (
            keeping_session_cards(
                cards, is_bound=bound.is_bound_itself, usual=usual_knobs(around.config)
            ) as session_cards,
            open_conversations(
                SessionStore(database), around.parts(database, cards, session_cards, access)
            ) as conversations,
            open_lines(around.line_parts(database, cards, conversations, access)) as lines,
            open_questions(
                around.messenger,
                QuestionStore(database),
                authorize=access.authorize,
                on_answer={RUNDOWN_PURPOSE: rundown_giver(around.messenger, find_job, lay_out)},
                clock=house.clock,
            ) as asker,
            open_command_front(around.command_parts(database, conversations, access)) as of_plugins,
        ):
            routing = Routing(
                is_bound=bound.is_bound,
                owns_thread=conversations.owns_thread,
                has_line=lines.is_open_in,
            )
            desks = Desks(
                access=access,
                config=around.config,
                clock=house.clock,
                messenger=around.messenger,
                conversations=conversations,
                sessions=SessionStore(database),
                session_changed=session_cards.session_changed,
                bound=bound,
                hears_all=routing.hears_all,
                jobs=jobs,
                find_job=find_job,
                job_cards=JobCards(cards),
                run_folder=house.folder / "run",
                job_refusal=job_refusal,
                asker=asker,
                refusal_of=lambda _: None,
                lines=lines,
                list_voices=list_voices,
                describe_bot=lambda: "All is well.",
                mention=lambda name: f"`/{name}`",
                others=[of_plugins.desk.offer()],
                added_commands=lambda: around.offered.added,
            )
            front = FrontOffice(
                authorize=access.authorize,
                conversations=conversations,
                messages=MessageStore(database),
                jobs=jobs,
                messenger=around.messenger,
                history=around.history,
                hearing=await recall_hearing(database, now=house.clock()),
                is_for_the_bot=routing.is_for_the_bot,
                bound_channels=bound.all,
                clock=house.clock,
                line_in=lines.place_in,
                more_commands=of_plugins.brought,
                typed_commands=of_plugins.typed,
            )
            offers = desks.offers()
            yield Office(
                desk=open_front_desk(front, offers),
                authorize=access.authorize,
                conversations=conversations,
                sessions=SessionStore(database),
                bound=bound,
                messages=MessageStore(database),
                asker=asker,
                questions=QuestionStore(database),
                offers=offers,
                lines=lines,
                door=around.door,
                pipelines=around.pipelines,
                jobs=jobs,
                rights=JobRights(access.authorize, conversations, refusal=job_refusal),
                backend=around.backend,
                house=house,
                messenger=around.messenger,
                history=around.history,
                speakers=around.speakers,
                plugins=around.plugins,
                offered=around.offered,
                sessions_folder=around.sessions_folder,
            )
