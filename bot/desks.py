"""Who takes care of which command and button."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.access import Access, Place
from bot.cards.job_cards import JobCards
from bot.commands.spec import CommandSpec
from bot.config import Config
from bot.conversation.bind_desk import BindDesk
from bot.conversation.bound_channels import BoundChannels
from bot.conversation.conversations import Conversations
from bot.conversation.desk import DeskOffer
from bot.conversation.help_desk import HelpDesk
from bot.conversation.job_desk import JobDesk
from bot.conversation.knob_desk import KnobDesk
from bot.conversation.lines import Lines
from bot.conversation.pickups import Pickups
from bot.conversation.question_desk import QuestionDesk
from bot.conversation.resume_desk import ResumeDesk
from bot.conversation.rundown import RundownDesk
from bot.conversation.session import Session
from bot.conversation.session_desk import SessionDesk
from bot.conversation.session_rights import RefusalOf
from bot.conversation.store import SessionStore
from bot.conversation.voice_desk import ListVoices, VoiceDesk
from bot.messenger import Messenger
from bot.questions.asker import Asker
from bot.speaker.speaker import Knobs, PermissionMode
from extensions.jobs.job import Job
from extensions.jobs.job_logs import JobLogs
from extensions.jobs.manager import JobManager


@dataclass(frozen=True, slots=True, kw_only=True)
class Desks:
    """What all desks together need."""

    access: Access
    config: Config
    clock: Callable[[], float]
    """Gives Unix time, in seconds."""
    messenger: Messenger
    conversations: Conversations
    sessions: SessionStore
    session_changed: Callable[[Session], None]
    bound: BoundChannels
    hears_all: Callable[[Place], bool]
    """Whether all that people write in a place is meant for the bot."""
    jobs: JobManager
    find_job: Callable[[str], Awaitable[Job]]
    job_cards: JobCards
    run_folder: Path
    """Where what jobs have done is written down."""
    job_refusal: str | None
    """Why no job may be started on this machine; `None` if that is possible."""
    asker: Asker
    refusal_of: RefusalOf
    describe_bot: Callable[[], str]
    lines: Lines
    list_voices: ListVoices
    mention: Callable[[str], str]
    """Returns how a command is written so that it can be clicked."""
    others: Sequence[DeskOffer] = ()
    """What is taken care of by desks that were made elsewhere."""
    added_commands: Callable[[], Sequence[CommandSpec]] = tuple
    """Returns the commands that plugins bring along."""

    def offers(self) -> list[DeskOffer]:
        """Return what they take care of."""
        usual = usual_knobs(self.config)
        authorize, conversations = self.access.authorize, self.conversations
        jobs = JobDesk(
            authorize,
            self.jobs,
            self.clock,
            conversations=conversations,
            cards=self.job_cards,
            logs=JobLogs(self.run_folder),
            refusal=self.job_refusal,
        )
        pickups = Pickups(
            authorize=authorize,
            lines=self.lines,
            conversations=conversations,
            store=self.sessions,
        )
        voice = VoiceDesk(authorize=authorize, lines=self.lines, list_voices=self.list_voices)
        sessions = SessionDesk(
            authorize=authorize,
            conversations=conversations,
            store=self.sessions,
            messenger=self.messenger,
            refusal_of=self.refusal_of,
            pickups=pickups,
            threads=self.config.discord.threads == "auto",
            hears_all=self.hears_all,
            usual=usual,
            describe_bot=self.describe_bot,
            status_lines=jobs.listed,
        )
        earlier = ResumeDesk(
            authorize=authorize,
            conversations=conversations,
            store=self.sessions,
            pickups=pickups,
            usual=usual,
            clock=self.clock,
        )
        knobs = KnobDesk(
            authorize=authorize,
            conversations=conversations,
            refusal_of=self.refusal_of,
            models=self.config.speaker.models,
            mcp_servers=tuple(self.config.mcp),
        )
        binding = BindDesk(
            bound=self.bound, conversations=conversations, session_changed=self.session_changed
        )
        return [
            jobs.offer(),
            sessions.offer(),
            earlier.offer(),
            knobs.offer(),
            binding.offer(),
            voice.offer(),
            QuestionDesk(self.asker).offer(),
            RundownDesk(authorize, self.asker, self.find_job).offer(),
            *self.others,
            HelpDesk(
                standing_of=self.access.standing_of,
                mention=self.mention,
                more=self.added_commands,
            ).offer(),
        ]


def usual_knobs(config: Config) -> Knobs:
    """Return how a speaker is set if its session says nothing."""
    return Knobs(
        model=config.speaker.model,
        effort=config.speaker.effort,
        permission_mode=PermissionMode(config.speaker.permission_mode),
    )
