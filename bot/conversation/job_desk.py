"""What people may do with jobs: list, see, start and cancel them, fetch what they have left."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from bot.access import Action, Authorize, Person, Place, Refused
from bot.commands.spec import Completes
from bot.commands.table import START_A_JOB
from bot.conversation.desk import CommandHandler, DeskOffer
from bot.conversation.incoming import ButtonPress, CommandCall, Completion, Suggestion
from bot.conversation.job_rights import belonging_of
from bot.conversation.job_starting import CardPlaces, JobStarter, Opening
from bot.conversation.job_texts import (
    COUNTED_JOBS,
    FILES_GONE,
    LISTED_JOBS,
    LOG_GONE,
    NO_JOBS,
    NO_SUCH_JOB,
    detail_content,
    files_content,
    job_name,
    list_text,
    log_content,
    refusal_text,
    suggestion,
    total_text,
    unknown_text,
    whole_content,
)
from bot.job_buttons import CANCEL_VERB, FILES_VERB, LOG_VERB, RESUME_VERB
from bot.messenger import MessageContent
from bot.notices.notice import SHOW_VERB, job_id_of
from extensions.errors import (
    DiskFullError,
    JobFilesGoneError,
    JobNotFoundError,
    JobNotInterruptedError,
    JobsClosedError,
    JobSettledError,
    QueueFullError,
    SpawnRateError,
)
from extensions.jobs.files import read_job_files
from extensions.jobs.job import Job, JobStatus
from extensions.jobs.job_logs import JobLogs
from extensions.jobs.manager import JobManager

MOST_FILES = 10
MOST_BYTES = 8_000_000
"""What a button brings at most: below the 10 MiB that Discord takes from a bot in any guild."""

_MOST_COMMAND_BYTES = 25 << 20
"""What a command brings at most, where Discord takes more: all of it is held in memory, and
searched for secrets."""
_MOST_LOG_BYTES = 2_000_000
_SPARE_PARTS = 16
"""One part in so many is left free in what is sent: redacting may make a text longer, and what
stands around the files counts, too."""
_MOST_SUGGESTIONS = 25
_LOOKED_THROUGH = 1000
"""Of how many of the newest jobs the names are looked through while one is typed."""

_NEEDED = {
    CANCEL_VERB: (Action.CANCEL_JOB,),
    # Whose job it is, and whether that person may start any.
    RESUME_VERB: (Action.CANCEL_JOB, Action.SPAWN),
}
"""What one must be allowed to do for a button; for others, to see the job."""


class JobDesk:
    """Takes care of the commands and buttons that are about jobs."""

    def __init__(
        self,
        authorize: Authorize,
        manager: JobManager,
        clock: Callable[[], float],
        *,
        conversations: Opening,
        cards: CardPlaces,
        logs: JobLogs,
        refusal: str | None = None,
    ) -> None:
        """Take what it needs.

        Args:
            authorize: Who may do what.
            manager: All jobs.
            clock: Gives Unix time, in seconds.
            conversations: The open ones; a job that is started belongs to that of its place.
            cards: Where the cards of jobs stand.
            logs: What jobs have written down.
            refusal: Why no job may be started on this machine; `None` if that is possible.
        """
        self._authorize = authorize
        self._manager = manager
        self._clock = clock
        self._logs = logs
        self._refusal = refusal
        self._starter = JobStarter(manager, conversations, cards, refusal=refusal)

    def offer(self) -> DeskOffer:
        """Return what this desk takes care of."""
        verbs = (CANCEL_VERB, RESUME_VERB, SHOW_VERB, FILES_VERB, LOG_VERB)
        return DeskOffer(
            commands={
                "jobs list": self._list,
                "jobs show": self._about(lambda job, _: self._show(job)),
                "jobs logs": self._about(lambda job, call: self._log(job, call.most_file_bytes)),
                "jobs files": self._about(
                    lambda job, call: self._files(job, _room(call.most_file_bytes))
                ),
                "jobs cancel": self._about(
                    lambda job, _: self._cancel(job), needed=Action.CANCEL_JOB
                ),
                START_A_JOB: self._starter.start,
            },
            buttons=dict.fromkeys(verbs, self.press),
            completers={
                Completes.JOB: self._suggest,
                Completes.UNSETTLED_JOB: self._suggest_unsettled,
            },
        )

    async def listed(self, person: Person, place: Place) -> str:
        """Return the newest jobs that `person` may see, a line each."""
        jobs = await self._manager.recent(LISTED_JOBS, self._visible(person, place))
        return list_text(jobs, now=self._clock())

    async def press(self, press: ButtonPress) -> MessageContent | None:
        """Do what a job's button says."""
        try:
            job = await self._manager.find(job_id_of(press.action.subject), lambda _: True)
        except JobNotFoundError:
            return MessageContent(text=NO_SUCH_JOB)
        for action in _NEEDED.get(press.action.verb, (Action.SEE_JOB,)):
            if (reason := self._refused(press.person, press.place, action, job)) is not None:
                return MessageContent(text=reason)
        return await self._press(press.action.verb, job)

    async def _press(self, verb: str, job: Job) -> MessageContent:
        match verb:
            case _ if verb == RESUME_VERB:
                return MessageContent(text=await self._resume(job))
            case _ if verb == CANCEL_VERB:
                return await self._cancel(job)
            case _ if verb == FILES_VERB:
                return await self._files(job, MOST_BYTES)
            case _ if verb == LOG_VERB:
                return await self._log(job, MOST_BYTES)
            case _:
                return whole_content(job)

    def _about(
        self,
        answer: Callable[[Job, CommandCall], Awaitable[MessageContent]],
        *,
        needed: Action = Action.SEE_JOB,
    ) -> CommandHandler:
        """Return what carries out a command about the job that its option names."""

        async def handle(call: CommandCall) -> MessageContent:
            wanted = str(call.options.get("job", "")).strip()
            try:
                job = await self._manager.find(wanted, self._visible(call.person, call.place))
            except JobNotFoundError:
                return MessageContent(text=unknown_text(wanted))
            if (reason := self._refused(call.person, call.place, needed, job)) is not None:
                return MessageContent(text=reason)
            return await answer(job, call)

        return handle

    async def _list(self, call: CommandCall) -> MessageContent:
        visible = self._visible(call.person, call.place)
        jobs = await self._manager.recent(COUNTED_JOBS, visible)
        if not jobs:
            return MessageContent(text=NO_JOBS)
        text = f"{list_text(jobs, now=self._clock())}\n{total_text(jobs)}"
        return MessageContent(text=text)

    async def _show(self, job: Job) -> MessageContent:
        progress = self._manager.progress_of(job.id)
        if job.status.is_settled:
            progress = await self._logs.progress_of(job)
        return detail_content(job, progress)

    async def _log(self, job: Job, most_bytes: int) -> MessageContent:
        log = await self._logs.read(job, most_bytes=min(_room(most_bytes), _MOST_LOG_BYTES))
        if log is not None:
            return log_content(job, log)
        if job.status is JobStatus.QUEUED:
            return MessageContent(text=f"{job_name(job)} has not begun yet.")
        return MessageContent(text=LOG_GONE)

    async def _files(self, job: Job, most_bytes: int) -> MessageContent:
        found = await asyncio.to_thread(
            read_job_files,
            Path(job.folder),
            most_files=MOST_FILES,
            most_bytes=min(most_bytes, _MOST_COMMAND_BYTES),
        )
        if not found.files and not await asyncio.to_thread(Path(job.folder).is_dir):
            return MessageContent(text=FILES_GONE)
        return files_content(job, found)

    async def _cancel(self, job: Job) -> MessageContent:
        try:
            await self._manager.cancel(job.id)
        except JobSettledError as error:
            return MessageContent(text=f"{str(error).capitalize()}.")
        return MessageContent(text=f"Cancelling {job_name(job)}.")

    async def _resume(self, job: Job) -> str:
        if self._refusal is not None:
            return self._refusal
        try:
            resumed = await self._manager.resume(job.id)
        except (
            SpawnRateError,
            JobNotInterruptedError,
            JobFilesGoneError,
            QueueFullError,
            DiskFullError,
            JobsClosedError,
        ) as error:
            return refusal_text(error)
        if resumed.status is JobStatus.QUEUED:
            return f"{job_name(job)} goes on as soon as there is a place for it."
        return f"{job_name(job)} goes on where it was interrupted."

    async def _suggest(self, completion: Completion) -> Sequence[Suggestion]:
        jobs = await self._manager.recent(
            _MOST_SUGGESTIONS, self._meant(completion), within=_LOOKED_THROUGH
        )
        return self._suggestions(jobs)

    async def _suggest_unsettled(self, completion: Completion) -> Sequence[Suggestion]:
        unsettled = [*self._manager.running(), *self._manager.queued()]
        found = filter(self._meant(completion), reversed(unsettled))
        newest = sorted(found, key=lambda job: job.created_at, reverse=True)
        return self._suggestions(newest[:_MOST_SUGGESTIONS])

    def _suggestions(self, jobs: Sequence[Job]) -> Sequence[Suggestion]:
        now = self._clock()
        return [suggestion(job, now=now) for job in jobs]

    def _meant(self, completion: Completion) -> Callable[[Job], bool]:
        """Return what says of a job whether it may be what is being typed."""
        typed = completion.typed.strip().casefold()
        is_visible = self._visible(completion.person, completion.place)
        return lambda job: (typed in job.name.casefold() or typed in job.id) and is_visible(job)

    def _visible(self, person: Person, place: Place) -> Callable[[Job], bool]:
        return lambda job: self._refused(person, place, Action.SEE_JOB, job) is None

    def _refused(self, person: Person, place: Place, action: Action, job: Job) -> str | None:
        verdict = self._authorize([person], action, place, about=belonging_of(job))
        return verdict.reason if isinstance(verdict, Refused) else None


def _room(most_bytes: int) -> int:
    return most_bytes - most_bytes // _SPARE_PARTS
