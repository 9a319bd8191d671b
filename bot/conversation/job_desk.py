"""What people may do with jobs: see, cancel, read the result, fetch the files."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from bot.access import Action, Allowed, Authorize, Person, Place, Refused
from bot.cards.job_card import CANCEL_VERB
from bot.conversation.incoming import ButtonPress
from bot.conversation.job_rights import belonging_of
from bot.job_buttons import RESUME_VERB
from bot.messenger import File, MessageContent
from bot.notices.notice import FILES_VERB, SHOW_VERB, job_id_of, whole_text
from bot.quoting import cleaned, code, plain
from bot.wording import duration_words, shortened
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
from extensions.jobs.files import JobFiles, read_job_files
from extensions.jobs.job import Job, JobStatus
from extensions.jobs.manager import JobManager

MOST_FILES = 10
MOST_BYTES = 8_000_000
"""Below the 10 MiB that Discord takes from a bot in any guild."""

_LISTED_JOBS = 10
_NAMED_FILES = 15
_LONGEST_MESSAGE = 2000

NO_SUCH_JOB = "That job is not known any more."
NO_FILES = "It left no files."
FILES_GONE = "Its files are not kept any more."


class JobDesk:
    """Answers commands and buttons that are about jobs."""

    def __init__(
        self,
        authorize: Authorize,
        manager: JobManager,
        clock: Callable[[], float],
        *,
        refusal: str | None = None,
    ) -> None:
        """Take what it needs.

        Args:
            authorize: Who may do what.
            manager: All jobs.
            clock: Gives Unix time, in seconds.
            refusal: Why no job may be started on this machine; `None` if that is possible.
        """
        self._authorize = authorize
        self._manager = manager
        self._clock = clock
        self._refusal = refusal

    async def listed(self, person: Person, place: Place) -> str:
        """Return the newest jobs that `person` may see, a line each."""

        def may_see(job: Job) -> bool:
            verdict = self._authorize([person], Action.SEE_JOB, place, about=belonging_of(job))
            return isinstance(verdict, Allowed)

        jobs = await self._manager.recent(_LISTED_JOBS, may_see)
        if not jobs:
            return "There are no jobs yet."
        return "\n".join(self._line(job) for job in jobs)

    async def press(self, press: ButtonPress) -> MessageContent | None:
        """Do what a job's button says."""
        try:
            job = await self._manager.find(job_id_of(press.action.subject), lambda _: True)
        except JobNotFoundError:
            return MessageContent(text=NO_SUCH_JOB)
        if (reason := self._refused(press, job)) is not None:
            return MessageContent(text=reason)
        return await self._press(press, job)

    def _refused(self, press: ButtonPress, job: Job) -> str | None:
        for action in _NEEDED.get(press.action.verb, (Action.SEE_JOB,)):
            verdict = self._authorize([press.person], action, press.place, about=belonging_of(job))
            if isinstance(verdict, Refused):
                return verdict.reason
        return None

    async def _press(self, press: ButtonPress, job: Job) -> MessageContent:
        match press.action.verb:
            case verb if verb == RESUME_VERB:
                return MessageContent(text=await self._resume(job))
            case verb if verb == CANCEL_VERB:
                return await self._cancel(job)
            case verb if verb == SHOW_VERB:
                return _as_message(job, whole_text(job))
            case verb if verb == FILES_VERB:
                return await self._files(job)
            case _:
                return MessageContent(text="This button does nothing any more.")

    async def _cancel(self, job: Job) -> MessageContent:
        try:
            await self._manager.cancel(job.id)
        except JobSettledError as error:
            return MessageContent(text=f"{str(error).capitalize()}.")
        return MessageContent(text=f"Cancelling **{_name(job)}**.")

    async def _resume(self, job: Job) -> str:
        if self._refusal is not None:
            return self._refusal
        try:
            resumed = await self._manager.resume(job.id)
        except SpawnRateError as error:
            return _too_many_starts(error)
        except (
            JobNotInterruptedError,
            JobFilesGoneError,
            QueueFullError,
            DiskFullError,
            JobsClosedError,
        ) as error:
            return _sentence(str(error))
        if resumed.status is JobStatus.QUEUED:
            return f"**{_name(job)}** goes on as soon as there is a place for it."
        return f"**{_name(job)}** goes on where it was interrupted."

    async def _files(self, job: Job) -> MessageContent:
        found = await asyncio.to_thread(
            read_job_files, Path(job.folder), most_files=MOST_FILES, most_bytes=MOST_BYTES
        )
        if not found.files and not await asyncio.to_thread(Path(job.folder).is_dir):
            return MessageContent(text=FILES_GONE)
        files = tuple(File(name=_flat(file.path), content=file.content) for file in found.files)
        return MessageContent(text=_files_text(job, found), files=files)

    def _line(self, job: Job) -> str:
        now = self._clock()
        if job.status.is_settled and job.finished_at is not None:
            when = f"after {duration_words(job.duration_seconds(now=now))}"
            when += f", <t:{int(job.finished_at)}:R>"
        else:
            when = f"since <t:{int(job.started_at or job.created_at)}:R>"
        id_ = code(job.id, 20)
        return f"{id_} **{_name(job)}** · {job.status.value} {when} · {plain(job.task, 70)}"


def _name(job: Job) -> str:
    return plain(job.name, 100)


_NEEDED = {
    CANCEL_VERB: (Action.CANCEL_JOB,),
    # Whose job it is, and whether that person may start any.
    RESUME_VERB: (Action.CANCEL_JOB, Action.SPAWN),
}
"""What one must be allowed to do for a button; for others, to see the job."""


def _sentence(reason: str) -> str:
    return f"{reason[0].upper()}{reason[1:]}."


def _too_many_starts(error: SpawnRateError) -> str:
    wait = duration_words(error.wait_seconds)
    return f"Too many jobs were started within a minute. Try again in {wait}."


def _flat(path: str) -> str:
    """Return a file's name as Discord shows it, and nothing else."""
    return shortened(cleaned(path).replace("/", "_"), 100)


def _files_text(job: Job, found: JobFiles) -> str:
    if not found.files and not found.left_out:
        return NO_FILES
    lines = [f"Files of **{_name(job)}**:" if found.files else f"**{_name(job)}**:"]
    if found.left_out:
        names = ", ".join(code(path, 100) for path in found.left_out[:_NAMED_FILES])
        more = len(found.left_out) - _NAMED_FILES
        lines.append(f"Left out, as they are too many or too large: {names}")
        lines.extend([f"… and {more} more."] if more > 0 else [])
    return "\n".join(lines)


def _as_message(job: Job, text: str) -> MessageContent:
    if len(text) <= _LONGEST_MESSAGE:
        return MessageContent(text=text)
    file = File(name=_flat(f"{job.name}.md"), content=text.encode())
    return MessageContent(text=f"What **{_name(job)}** said is long, so here it is.", files=(file,))
