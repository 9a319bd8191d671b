"""The card of a job: what it shows at present. Pure."""

import math

from bot.job_buttons import job_buttons
from bot.messenger import MessageContent
from bot.quoting import code, plain, quotation
from bot.wording import cost_words, duration_words
from extensions.claude.usage import Usage
from extensions.jobs.job import Job, JobStatus
from extensions.jobs.progress import Progress, ToolUse
from extensions.jobs.run import ResumeReason

_MARKS = {
    JobStatus.QUEUED: "⏳",
    JobStatus.RUNNING: "⚙️",
    JobStatus.WAITING: "❓",
    JobStatus.PARKED: "⏳",
    JobStatus.COMPLETED: "✅",
    JobStatus.FAILED: "❌",
    JobStatus.CANCELLED: "🚫",
    JobStatus.INTERRUPTED: "💥",
}

_RESUMED = {
    ResumeReason.ASKED: "it was told to go on where it was interrupted.",
    ResumeReason.BOT_AWAY: "it goes on where it had to stop, as Papercup was away for too long.",
    ResumeReason.ADDRESS_LOST: (
        "it goes on where it was stopped, as Papercup had to take another address."
    ),
}

_LONGEST_NAME = 100
_LONGEST_TASK = 200
_LONGEST_MESSAGE = 200
_LONGEST_TOOL = 50
_LONGEST_PATH = 80
_BAR_LENGTH = 6
_THOUSAND, _MILLION = 1000, 1_000_000


def job_card(job: Job, progress: Progress) -> MessageContent:
    """Return the card as it should look now.

    Ages are Discord's own relative timestamps, so that they stay true without an edit.
    """
    return MessageContent(text=job_text(job, progress), buttons=job_buttons(job))


def job_text(job: Job, progress: Progress) -> str:
    """Return how a job stands; at most 1,400 characters, whatever it calls its files."""
    lines = [
        f"{_MARKS[job.status]} **{plain(job.name, _LONGEST_NAME)}** · {_state(job)}",
        quotation(" ".join(job.task.split()), _LONGEST_TASK),
    ]
    if not job.status.is_settled:
        lines += _at_work(progress)
    lines.append(" · ".join(_figures(job, progress)))
    if job.resumed_because is not None:
        lines.append(f"🔁 Run {job.run_number}: {_RESUMED[job.resumed_because]}")
    if job.jail == "none":
        lines.append("⚠️ It runs without a jail, so it has no Bash.")
    return "\n".join(line for line in lines if line)


def progress_bar(fraction: float) -> str:
    """Return how much is done as a bar with its number: "▰▰▰▱▱▱ 50 %".

    It is full only when all is done; what is no part of a whole counts as none or all.
    """
    part = 0.0 if math.isnan(fraction) else min(1.0, max(0.0, fraction))
    filled = int(part * _BAR_LENGTH)
    return f"{'▰' * filled}{'▱' * (_BAR_LENGTH - filled)} {int(part * 100)} %"


def token_words(usage: Usage) -> str:
    """Return how many tokens were used: "12k tokens in (8k cached), 1.5k out"."""
    cached = usage.cache_read_tokens
    in_all = usage.input_tokens + usage.cache_write_tokens + cached
    part = f" ({_short(cached)} cached)" if cached else ""
    return f"{_short(in_all)} tokens in{part}, {_short(usage.output_tokens)} out"


def _at_work(progress: Progress) -> list[str]:
    lines: list[str] = []
    if progress.fraction is not None:
        lines.append(progress_bar(progress.fraction))
    if progress.message:
        lines.append(f"💬 {plain(progress.message, _LONGEST_MESSAGE)}")
    if progress.tools:
        lines.append("🔧 " + " · ".join(_tool(tool) for tool in progress.tools))
    return lines


def _tool(tool: ToolUse) -> str:
    return code(f"{tool.name} {tool.detail}", _LONGEST_TOOL)


def _figures(job: Job, progress: Progress) -> list[str]:
    figures = [code(job.id, 20)]
    outcome = job.outcome
    turns = progress.turns if outcome is None or outcome.turns is None else outcome.turns
    if turns:
        figures.append(f"{turns} {'turn' if turns == 1 else 'turns'}")
    if progress.files_written:
        figures.append(_files(progress))
    if progress.usage.total_tokens:
        figures.append(token_words(progress.usage))
    if (cost := _cost(job, progress)) is not None:
        figures.append(cost)
    return figures


def _files(progress: Progress) -> str:
    number, newest = progress.files_written, code(progress.newest_file or "?", _LONGEST_PATH)
    return f"wrote {newest}" if number == 1 else f"wrote {number} files, newest {newest}"


def _cost(job: Job, progress: Progress) -> str | None:
    if job.outcome is None:
        if progress.cost_usd is None:
            return None
        # What its earlier runs cost is not in there.
        return cost_words(progress.cost_usd, is_partial=job.run_number > 1)
    if job.outcome.cost_usd is None:
        return None
    return cost_words(job.outcome.cost_usd, is_partial=job.outcome.cost_is_partial)


def _state(job: Job) -> str:
    if job.status.is_settled and job.finished_at is not None:
        took = duration_words(job.duration_seconds(now=job.finished_at))
        return f"{job.status.value} after {took}, <t:{int(job.finished_at)}:R>"
    since = job.started_at if job.started_at is not None else job.created_at
    return f"{job.status.value}, since <t:{int(since)}:R>"


def _short(number: int) -> str:
    """Return a number as briefly as tells something: "980", "1.5k", "12k", "3.4M"."""
    if number < _THOUSAND:
        return str(number)
    # What rounds to a thousand thousands is a million.
    is_million = number >= _MILLION - _THOUSAND // 2
    size, unit = (number / _MILLION, "M") if is_million else (number / _THOUSAND, "k")
    return f"{size:.1f}{unit}" if size < 9.95 else f"{size:.0f}{unit}"  # noqa: PLR2004 - 9.95: rounds to 10
