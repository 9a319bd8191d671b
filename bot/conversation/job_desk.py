"""What people may do with jobs: see, cancel, read the result, fetch the files."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from bot.access import Action, Allowed, Authorize, Person, Place, Refused
from bot.cards.job_card import CANCEL_VERB
from bot.conversation.incoming import ButtonPress
from bot.messenger import File, MessageContent
from bot.notices.notice import FILES_VERB, SHOW_VERB, whole_text
from bot.wording import duration_words, shortened
from extensions.errors import JobNotFoundError, JobSettledError
from extensions.jobs.files import JobFiles, read_job_files
from extensions.jobs.job import Job
from extensions.jobs.manager import JobManager

MOST_FILES = 10
MOST_BYTES = 8_000_000
"""Below the 10 MiB that Discord takes from a bot in any guild."""

_LISTED_JOBS = 10
_LONGEST_MESSAGE = 2000

NO_SUCH_JOB = "That job is not known any more."
NO_FILES = "It left no files."


class JobDesk:
    """Answers commands and buttons that are about jobs."""

    def __init__(
        self, authorize: Authorize, manager: JobManager, clock: Callable[[], float]
    ) -> None:
        self._authorize = authorize
        self._manager = manager
        self._clock = clock

    async def listed(self, person: Person, place: Place) -> str:
        """Return the newest jobs that `person` may see, a line each."""

        def may_see(job: Job) -> bool:
            verdict = self._authorize(
                [person], Action.SEE_JOB, place, job_owner_id=job.origin.person_id
            )
            return isinstance(verdict, Allowed)

        jobs = await self._manager.recent(_LISTED_JOBS, may_see)
        if not jobs:
            return "There are no jobs yet."
        return "\n".join(self._line(job) for job in jobs)

    async def press(self, press: ButtonPress) -> MessageContent | None:
        """Do what a job's button says."""
        try:
            job = await self._manager.find(press.action.subject, lambda _: True)
        except JobNotFoundError:
            return MessageContent(text=NO_SUCH_JOB)
        action = Action.CANCEL_JOB if press.action.verb == CANCEL_VERB else Action.SEE_JOB
        verdict = self._authorize(
            [press.person], action, press.place, job_owner_id=job.origin.person_id
        )
        if isinstance(verdict, Refused):
            return MessageContent(text=verdict.reason)
        match press.action.verb:
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
        return MessageContent(text=f"Cancelling **{job.name}**.")

    async def _files(self, job: Job) -> MessageContent:
        found = await asyncio.to_thread(
            read_job_files, Path(job.folder), most_files=MOST_FILES, most_bytes=MOST_BYTES
        )
        files = tuple(File(name=_flat(file.path), content=file.content) for file in found.files)
        return MessageContent(text=_files_text(job, found), files=files)

    def _line(self, job: Job) -> str:
        now = self._clock()
        if job.status.is_settled and job.finished_at is not None:
            when = f"after {duration_words(job.duration_seconds(now=now))}"
            when += f", <t:{int(job.finished_at)}:R>"
        else:
            when = f"since <t:{int(job.started_at or job.created_at)}:R>"
        task = shortened(" ".join(job.task.split()), 70)
        return f"`{job.id}` **{job.name}** · {job.status.value} {when} · {task}"


def _flat(path: str) -> str:
    return path.replace("/", "_")


def _files_text(job: Job, found: JobFiles) -> str:
    if not found.files and not found.left_out:
        return NO_FILES
    lines = [f"Files of **{job.name}**:" if found.files else f"**{job.name}**:"]
    if found.left_out:
        names = shortened(", ".join(f"`{path}`" for path in found.left_out), 1500)
        lines.append(f"Left out, as they are too many or too large: {names}")
    return "\n".join(lines)


def _as_message(job: Job, text: str) -> MessageContent:
    if len(text) <= _LONGEST_MESSAGE:
        return MessageContent(text=text)
    file = File(name=f"{job.name}.md", content=text.encode())
    return MessageContent(text=f"What **{job.name}** said is long, so here it is.", files=(file,))
