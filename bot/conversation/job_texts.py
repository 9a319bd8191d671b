"""What is said of jobs to the person who asks. Pure.

What a job wrote is quoted; it cannot pass for the bot's own words.
"""

from collections import Counter
from collections.abc import Sequence

from bot.cards.job_card import job_text
from bot.conversation.incoming import Suggestion
from bot.job_buttons import job_buttons
from bot.messenger import File, MessageContent, MessageRef
from bot.notices.notice import whole_text
from bot.quoting import cleaned, code, plain, quotation
from bot.wording import cost_words, duration_words, shortened
from extensions.errors import ExtensionsError, SpawnRateError
from extensions.jobs.files import JobFiles
from extensions.jobs.job import Job, JobStatus
from extensions.jobs.progress import Progress

NO_JOBS = "There are no jobs that you may see."
NO_SUCH_JOB = "That job is not known any more."
NO_FILES = "It left no files."
FILES_GONE = "Its files are not kept any more."
LOG_GONE = "Its log is not kept any more."

LISTED_JOBS = 10
COUNTED_JOBS = 1000
"""How many of the newest jobs are counted at most."""

_NAMED_FILES = 15
_LONGEST_MESSAGE = 2000
_LONGEST_LIST = 1600
_LONGEST_NAME = 100
_LONGEST_ERROR = 300
_LONGEST_SUMMARY = 600
_MOST_TOOLS = 5
_TOOL_LENGTH = 32
_MARKS_LENGTH = 45
"""What the marks of a quotation may add to it."""


def job_name(job: Job) -> str:
    """Return what a job is called, in bold."""
    return f"**{plain(job.name, _LONGEST_NAME)}**"


def list_text(jobs: Sequence[Job], *, now: float) -> str:
    """Return the newest of these jobs, a line each, as many as there is room for."""
    if not jobs:
        return NO_JOBS
    lines: list[str] = []
    for job in jobs[:LISTED_JOBS]:
        lines.append(_line(job, now=now))
        if sum(map(len, lines)) + len(lines) > _LONGEST_LIST:
            lines.pop()
            break
    return "\n".join(lines)


def total_text(jobs: Sequence[Job]) -> str:
    """Return how many jobs there are, how they stand, and what they cost."""
    counts = Counter(job.status for job in jobs)
    unsettled = [
        f"{counts[status]:,} {status}"
        for status in JobStatus
        if counts[status] and not status.is_settled
    ]
    settled = sum(number for status, number in counts.items() if status.is_settled)
    stand = ", ".join([*unsettled, *([f"{settled:,} settled"] if settled else [])])
    costs = [job.outcome.cost_usd for job in jobs if job.outcome is not None]
    known = [cost for cost in costs if cost is not None]
    together = f"; {cost_words(sum(known))} together" if known else ""
    how_many = f"{len(jobs):,} {'job' if len(jobs) == 1 else 'jobs'}"
    begin = f"The newest {how_many}" if len(jobs) >= COUNTED_JOBS else f"{how_many} in all"
    return f"-# {begin}: {stand}{together}."


def detail_content(job: Job, progress: Progress) -> MessageContent:
    """Return all that there is to say of one job; a long summary comes as a file besides."""
    lines = [job_text(job, progress), _times(job), *_shortcomings(job)]
    summary = None if job.outcome is None else job.outcome.summary
    files: tuple[File, ...] = ()
    if summary:
        room = _LONGEST_MESSAGE - len("\n".join(lines)) - _MARKS_LENGTH
        quoted = quotation(summary, min(_LONGEST_SUMMARY, room))
        lines.append(quoted)
        if "…" in quoted[-1:]:
            files = (_whole_file(job),)
    return MessageContent(text="\n".join(lines), buttons=job_buttons(job), files=files)


def whole_content(job: Job) -> MessageContent:
    """Return everything that a job said at its end, as a file if it is long."""
    text = whole_text(job)
    if len(text) <= _LONGEST_MESSAGE:
        return MessageContent(text=text)
    said = f"What {job_name(job)} said is long, so here it is."
    return MessageContent(text=said, files=(_whole_file(job),))


def files_content(job: Job, found: JobFiles) -> MessageContent:
    """Return the files of a job, and the names of those that were left out."""
    files = tuple(File(name=flat_name(file.path), content=file.content) for file in found.files)
    return MessageContent(text=_files_text(job, found), files=files)


def log_content(job: Job, log: str) -> MessageContent:
    """Return the log of a job as a file."""
    text = f"What {job_name(job)} {'did' if job.status.is_settled else 'has done so far'}:"
    name = f"{flat_name(job.name)[:80]}-log.txt"
    return MessageContent(text=text, files=(File(name=name, content=log.encode()),))


def started_text(job: Job, card: MessageRef | None) -> str:
    """Return what is said once a job was taken."""
    if job.status is JobStatus.QUEUED:
        text = f"{job_name(job)} waits for a place, and then starts by itself."
    else:
        text = f"Started {job_name(job)}."
    if job.jail == "none":
        text += " There is no jail on this machine, so it has no Bash."
    if card is None:
        return text
    guild = "@me" if job.origin.guild_id is None else job.origin.guild_id
    link = f"https://discord.com/channels/{guild}/{card.channel_id}/{card.message_id}"
    return f"{text} Its card: {link}"


def suggestion(job: Job, *, now: float) -> Suggestion:
    """Return a job as something to choose: its name, how it stands, and how old it is."""
    age = duration_words(max(0.0, now - job.created_at))
    name = shortened(cleaned(job.name), 60)
    return Suggestion(label=f"{name} · {job.status.value} · {age} ago", value=job.id)


def refusal_text(error: ExtensionsError) -> str:
    """Return why a job was not started, or not resumed, as a sentence."""
    if isinstance(error, SpawnRateError):
        wait = duration_words(error.wait_seconds)
        return f"Too many jobs were started within a minute. Try again in {wait}."
    reason = str(error)
    return f"{reason[0].upper()}{reason[1:]}."


def unknown_text(wanted: str) -> str:
    """Return what is said of a job that is not there, or that one may not see."""
    return f"There is no job {code(wanted, 100)} that you may see."


def flat_name(path: str) -> str:
    """Return a file's name as Discord shows it, and nothing else."""
    return shortened(cleaned(path).replace("/", "_"), 100)


def _line(job: Job, *, now: float) -> str:
    if job.status.is_settled and job.finished_at is not None:
        when = f"after {duration_words(job.duration_seconds(now=now))}"
        when += f", <t:{int(job.finished_at)}:R>"
    else:
        when = f"since <t:{int(job.started_at or job.created_at)}:R>"
    id_ = code(job.id, 20)
    return f"{id_} {job_name(job)} · {job.status.value} {when} · {plain(job.task, 70)}"


def _times(job: Job) -> str:
    by = f" by <@{job.origin.person_id}>" if job.origin.is_known else ""
    times = [f"Asked for{by} <t:{int(job.created_at)}:f>"]
    if job.started_at is not None:
        times.append(f"began <t:{int(job.started_at)}:f>")
    if job.finished_at is not None:
        times.append(f"ended <t:{int(job.finished_at)}:f>")
    return " · ".join(times)


def _shortcomings(job: Job) -> list[str]:
    outcome = job.outcome
    if outcome is None:
        return []
    lines = [plain(outcome.error, _LONGEST_ERROR)] if outcome.error else []
    if outcome.refused_actions:
        lines.append(f"Refused: {_counted(outcome.refused_actions)}")
    if outcome.failed_servers:
        lines.append(f"Not reached: {_counted(outcome.failed_servers)}")
    return lines


def _counted(names: Sequence[str]) -> str:
    counts = Counter(names)
    shown = [
        code(name, _TOOL_LENGTH) + (f" ({number} times)" if number > 1 else "")
        for name, number in counts.most_common(_MOST_TOOLS)
    ]
    more = len(counts) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _whole_file(job: Job) -> File:
    return File(name=flat_name(f"{job.name}.md"), content=whole_text(job).encode())


def _files_text(job: Job, found: JobFiles) -> str:
    if not found.files and not found.left_out:
        return NO_FILES
    lines = [f"Files of {job_name(job)}:" if found.files else f"{job_name(job)}:"]
    if found.left_out:
        names = ", ".join(code(path, 100) for path in found.left_out[:_NAMED_FILES])
        more = len(found.left_out) - _NAMED_FILES
        lines.append(f"Left out, as they are too many or too large: {names}")
        lines.extend([f"… and {more} more."] if more > 0 else [])
    return "\n".join(lines)
