"""The front desk: takes what people do, asks whether they may, and has it done."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet

from bot.access import Authorize
from bot.conversation.catch_up import CatchUp, JobsStarted
from bot.conversation.command_desk import CommandDesk
from bot.conversation.conversations import Conversations
from bot.conversation.history import History
from bot.conversation.incoming import ButtonPress, CommandCall, IncomingMessage
from bot.conversation.intake import Intake
from bot.conversation.job_desk import JobDesk
from bot.conversation.message_store import MessageStore
from bot.messenger import MessageContent, Messenger
from extensions.jobs.job import Job
from extensions.jobs.manager import JobManager

_MOST_STARTED_JOBS = 20


class FrontDesk:
    """Implements `Listener`: every message, command and button comes here first."""

    def __init__(
        self, *, intake: Intake, catch_up: CatchUp, commands: CommandDesk, jobs: JobDesk
    ) -> None:
        self._intake = intake
        self._catch_up = catch_up
        self._commands = commands
        self._jobs = jobs

    async def message_arrived(self, message: IncomingMessage) -> None:
        """Have a message that is meant for the bot answered."""
        await self._intake.arrived(message)

    async def catch_up(self) -> None:
        """Have what was written unheard answered, and what an earlier bot did not answer."""
        await self._catch_up.run()

    async def command_called(self, call: CommandCall) -> MessageContent:
        """Carry out a command, and return what only the person who called it sees."""
        return MessageContent(text=await self._commands.carry_out(call))

    async def button_pressed(self, press: ButtonPress) -> MessageContent | None:
        """Do what a button says, and return what only that person sees, if anything."""
        return await self._jobs.press(press)


def open_front_desk(
    *,
    authorize: Authorize,
    conversations: Conversations,
    messages: MessageStore,
    jobs: JobManager,
    messenger: Messenger,
    history: History,
    bound_channel_ids: AbstractSet[int],
    describe_bot: Callable[[], str],
    clock: Callable[[], float],
    job_refusal: str | None = None,
) -> FrontDesk:
    """Return the front desk, with the desks behind it.

    Args:
        authorize: Who may do what.
        conversations: The open ones.
        messages: Those that were taken.
        jobs: All jobs.
        messenger: What carries messages.
        history: What stands in the channels.
        bound_channel_ids: Channels in which every message is meant for the bot.
        describe_bot: Says how the bot itself is, in a few words.
        clock: Gives Unix time, in seconds.
        job_refusal: Why no job may be started on this machine; `None` if that is possible.
    """
    job_desk = JobDesk(authorize, jobs, clock, refusal=job_refusal)
    commands = CommandDesk(
        authorize=authorize,
        conversations=conversations,
        jobs=job_desk,
        describe_bot=describe_bot,
    )
    intake = Intake(
        authorize=authorize,
        conversations=conversations,
        messages=messages,
        messenger=messenger,
        bound_channel_ids=bound_channel_ids,
        clock=clock,
    )
    catch_up = CatchUp(
        intake=intake,
        messages=messages,
        conversations=conversations,
        history=history,
        jobs_started=_jobs_started(jobs),
        bound_channel_ids=bound_channel_ids,
        clock=clock,
    )
    return FrontDesk(intake=intake, catch_up=catch_up, commands=commands, jobs=job_desk)


def _jobs_started(jobs: JobManager) -> JobsStarted:
    async def started(session_id: str, since: float) -> list[str]:
        def is_one(job: Job) -> bool:
            return job.origin.session_id == session_id and job.created_at >= since

        found = await jobs.recent(_MOST_STARTED_JOBS, is_one)
        return [job.name for job in reversed(found)]

    return started
