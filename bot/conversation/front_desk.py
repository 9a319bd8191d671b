"""The front desk: takes what people do, and has it done by whoever takes care of that."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from bot.access import Authorize, Place
from bot.conversation.ask_desk import AskDesk
from bot.conversation.catch_up import CatchUp, JobsStarted
from bot.conversation.command_desk import CommandDesk
from bot.conversation.conversations import Conversations
from bot.conversation.desk import DeskOffer
from bot.conversation.gone_channels import hang_up_gone
from bot.conversation.hearing import Hearing
from bot.conversation.history import History
from bot.conversation.incoming import (
    ButtonPress,
    CommandCall,
    Completion,
    IncomingMessage,
    Suggestion,
)
from bot.conversation.intake import Intake
from bot.conversation.message_store import MessageStore
from bot.conversation.more_commands import MoreCommands, NoMoreCommands, TypedCommands
from bot.messenger import Form, MessageContent, MessageRef, Messenger
from extensions.jobs.job import Job
from extensions.jobs.manager import JobManager

_MOST_STARTED_JOBS = 20


class FrontDesk:
    """Implements `Listener`: all that people do comes here first."""

    def __init__(
        self,
        *,
        conversations: Conversations,
        intake: Intake,
        catch_up: CatchUp,
        commands: CommandDesk,
    ) -> None:
        self._conversations = conversations
        self._intake = intake
        self._catch_up = catch_up
        self._commands = commands

    async def message_arrived(self, message: IncomingMessage) -> None:
        """Have a message that is meant for the bot answered."""
        await self._intake.arrived(message)

    async def message_edited(self, message: IncomingMessage) -> None:
        """Have the new version of a message answered, unless it is too late for that."""
        await self._intake.edited(message)

    async def message_deleted(self, ref: MessageRef) -> None:
        """Have a message that is gone not answered, unless that has begun."""
        await self._intake.deleted(ref)

    async def channel_deleted(self, channel_id: int) -> None:
        """Hang up where a channel or a thread is gone; what was held there can go on elsewhere."""
        await hang_up_gone(self._conversations, channel_id)

    async def catch_up(self) -> None:
        """Have what was written unheard answered, and what an earlier bot did not answer."""
        await self._catch_up.run()

    async def heard_until(self, at: float) -> None:
        """Have it remembered, so that a later bot looks no further back."""
        await self._catch_up.heard_until(at)

    def is_for_all(self, call: CommandCall) -> bool:
        """Say whether everybody in the place sees what a command answers."""
        return self._commands.is_for_all(call)

    async def command_called(self, call: CommandCall) -> MessageContent:
        """Carry out a command, and return its answer."""
        return await self._commands.carry_out(call)

    async def completed(self, completion: Completion) -> Sequence[Suggestion]:
        """Return what an option may be completed to."""
        return await self._commands.complete(completion)

    def form_for(self, press: ButtonPress) -> Form | None:
        """Return the form that a button opens, if it opens one."""
        return self._commands.form_for(press)

    async def button_pressed(self, press: ButtonPress) -> MessageContent | None:
        """Do what a button, a menu or a form says; return what only that person sees, if any."""
        return await self._commands.press(press)


@dataclass(frozen=True, slots=True, kw_only=True)
class Office:
    """What the front desk works with."""

    authorize: Authorize
    conversations: Conversations
    messages: MessageStore
    """Those that were taken."""
    jobs: JobManager
    messenger: Messenger
    history: History
    """What stands in the channels."""
    hearing: Hearing
    """Until when people were heard."""
    is_for_the_bot: Callable[[IncomingMessage], bool]
    bound_channels: Callable[[], Iterable[int]]
    """Gives the ids of the channels in which every message is for the bot."""
    clock: Callable[[], float]
    """Gives Unix time, in seconds."""
    line_in: Callable[[int | None], Place | None] = lambda _: None
    """Returns where the voice line of a server is."""
    more_commands: MoreCommands = field(default_factory=NoMoreCommands)
    """Takes care of commands that are in no table."""
    typed_commands: TypedCommands = field(default_factory=NoMoreCommands)
    """Takes care of commands that stand in messages."""


def open_front_desk(office: Office, offers: Iterable[DeskOffer]) -> FrontDesk:
    """Return the front desk.

    Args:
        office: What it works with.
        offers: What the other desks take care of.
    """
    intake = Intake(
        authorize=office.authorize,
        conversations=office.conversations,
        messages=office.messages,
        messenger=office.messenger,
        is_for_the_bot=office.is_for_the_bot,
        clock=office.clock,
        typed=office.typed_commands,
    )
    catch_up = CatchUp(
        intake=intake,
        messages=office.messages,
        conversations=office.conversations,
        history=office.history,
        hearing=office.hearing,
        jobs_started=_jobs_started(office.jobs),
        bound_channels=office.bound_channels,
        clock=office.clock,
    )
    asking = AskDesk(office.conversations, intake, office.messages).offer()
    commands = CommandDesk(
        office.authorize,
        office.conversations,
        [asking, *offers],
        line_in=office.line_in,
        more=office.more_commands,
    )
    return FrontDesk(
        conversations=office.conversations, intake=intake, catch_up=catch_up, commands=commands
    )


def _jobs_started(jobs: JobManager) -> JobsStarted:
    async def started(session_id: str, since: float) -> list[str]:
        def is_one(job: Job) -> bool:
            return job.origin.session_id == session_id and job.created_at >= since

        found = await jobs.recent(_MOST_STARTED_JOBS, is_one)
        return [job.name for job in reversed(found)]

    return started
