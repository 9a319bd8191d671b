"""The card of a job: what it shows at present. Pure."""

from bot.job_buttons import resume_buttons
from bot.messenger import Button, ButtonAction, ButtonStyle, MessageContent
from bot.quoting import code, plain, quotation
from bot.wording import cost_words, duration_words
from extensions.jobs.job import Job, JobStatus
from extensions.jobs.progress import Progress
from extensions.jobs.run import ResumeReason

CANCEL_VERB = "cancel"

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


def job_card(job: Job, progress: Progress) -> MessageContent:
    """Return the card as it should look now.

    Ages are Discord's own relative timestamps, so that they stay true without an edit.
    """
    lines = [
        f"{_MARKS[job.status]} **{plain(job.name, _LONGEST_NAME)}** · {_state(job)}",
        quotation(" ".join(job.task.split()), _LONGEST_TASK),
    ]
    figures = _figures(job, progress)
    if figures:
        lines.append(" · ".join(figures))
    if progress.message and not job.status.is_settled:
        lines.append(f"💬 {plain(progress.message, _LONGEST_MESSAGE)}")
    if job.resumed_because is not None:
        lines.append(f"🔁 Run {job.run_number}: {_RESUMED[job.resumed_because]}")
    if job.jail == "none":
        lines.append("⚠️ It runs without a jail, so it has no Bash.")
    return MessageContent(text="\n".join(lines), buttons=_buttons(job))


def _figures(job: Job, progress: Progress) -> list[str]:
    figures = [code(job.id, 20)]
    if progress.turns:
        figures.append(f"{progress.turns} {'turn' if progress.turns == 1 else 'turns'}")
    if progress.last_tool:
        figures.append(f"last tool: {code(progress.last_tool, 60)}")
    if progress.fraction is not None and not job.status.is_settled:
        figures.append(f"{round(progress.fraction * 100)} %")
    if job.outcome is not None and job.outcome.cost_usd is not None:
        cost, is_partial = job.outcome.cost_usd, job.outcome.cost_is_partial
        figures.append(cost_words(cost, is_partial=is_partial))
    return figures


def _buttons(job: Job) -> tuple[Button, ...]:
    if job.status.is_settled:
        return resume_buttons(job, subject=job.id)
    action = ButtonAction(verb=CANCEL_VERB, subject=job.id)
    return (Button(label="Cancel", action=action, style=ButtonStyle.DANGER),)


def _state(job: Job) -> str:
    if job.status.is_settled and job.finished_at is not None:
        took = duration_words(job.duration_seconds(now=job.finished_at))
        return f"{job.status.value} after {took}"
    since = job.started_at if job.started_at is not None else job.created_at
    return f"{job.status.value}, since <t:{int(since)}:R>"
