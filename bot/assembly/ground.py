"""What all else stands on: who may do what, the link to Discord, and all that is kept."""

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.access import Access
from bot.awaited_plugins import AwaitedPlugins
from bot.cards.store import CardStore
from bot.commands.offered import OfferedCommands
from bot.config import Config
from bot.conversation.bound_channels import BoundChannels
from bot.conversation.hearing import Hearing, recall_hearing
from bot.conversation.line_store import LineStore
from bot.conversation.message_store import MessageStore
from bot.conversation.people import KnownPeople
from bot.conversation.store import SessionStore
from bot.conversation.transcript_store import TranscriptStore
from bot.data_folder import DataFolder
from bot.database import open_bot_database
from bot.discord_io.link import DiscordLink
from bot.job_answers import JobAnswers
from bot.job_machine import JobMachine
from bot.kept_ports import KeptPorts
from bot.notices.store import NoticeStore
from bot.plugin_services.occasions import Occasions
from bot.questions.store import QuestionStore
from bot.redaction import Redactor
from bot.secrets import Secrets
from bot.spending.costs import CostBook
from bot.text.layout import Layout, lay_out
from extensions.callers import Callers
from extensions.claude.binary import ClaudeBinary
from extensions.database import Database
from extensions.jobs.opening import admit_jobs
from extensions.server.ledger import AnswerLedger
from extensions.server.tool_hooks import Hooks
from extensions.tools import ToolRegistry


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """All that is kept in the database, by what it is about."""

    answers: JobAnswers
    bound: BoundChannels
    cards: CardStore
    costs: CostBook
    hearing: Hearing
    """Until when people were heard."""
    lines: LineStore
    messages: MessageStore
    notices: NoticeStore
    people: KnownPeople
    ports: KeptPorts
    questions: QuestionStore
    sessions: SessionStore
    transcripts: TranscriptStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What is there as long as the program runs."""

    config: Config
    secrets: Secrets
    folder: DataFolder
    claude: ClaudeBinary
    machine: JobMachine
    redactor: Redactor
    link: DiscordLink
    access: Access
    callers: Callers
    ledger: AnswerLedger
    registry: ToolRegistry
    plugins: AwaitedPlugins
    """All plugins, from before they are there."""
    occasions: Occasions
    """On whose behalf each Claude works."""
    offered_commands: OfferedCommands
    database: Database
    stores: Stores
    started_at: float
    """Unix time, in seconds."""

    @property
    def hooks(self) -> Hooks:
        """Who has a say in what spawned Claudes do."""
        return Hooks(chain=self.plugins, observers=self.plugins, occasion_of=self.occasions.of)

    def lay_out(self, text: str) -> Layout:
        """Return the messages that a text makes, without any secret."""
        # Before it is cut, or a secret could be cut in two and slip through.
        return lay_out(self.redactor.redact(text))


@asynccontextmanager
async def open_stores(
    config: Config, folder: DataFolder, callers: Callers, ledger: AnswerLedger, *, now: float
) -> AsyncGenerator[tuple[Database, Stores], None]:
    """Open the database, let in the jobs that are known there, and yield it and its stores.

    Args:
        config: What is kept, and for how long.
        folder: Where it is.
        callers: Whoever may call the servers; jobs that run already do.
        ledger: Gets the answers that jobs have had.
        now: Unix time, in seconds.
    """
    async with open_bot_database(folder, clock=time.time) as database:
        await admit_jobs(database, callers)
        answers = JobAnswers(database)
        await answers.restore(ledger)
        bound = BoundChannels(database, config.discord.bound_channel_ids)
        await bound.restore()
        yield (
            database,
            Stores(
                answers=answers,
                bound=bound,
                cards=CardStore(database),
                costs=CostBook(database),
                hearing=await recall_hearing(database, now=now),
                lines=LineStore(database),
                messages=MessageStore(database),
                notices=NoticeStore(database),
                people=KnownPeople(database),
                ports=KeptPorts(database),
                questions=QuestionStore(database),
                sessions=SessionStore(database),
                transcripts=TranscriptStore(database, days=config.voice.transcript_days),
            ),
        )
