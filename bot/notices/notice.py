"""What is said of jobs that have settled. Pure.

What a job wrote is quoted; it cannot pass for the bot's own words.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from bot.job_buttons import files_button, resume_buttons
from bot.messenger import Button, ButtonAction, ButtonStyle, File, MessageContent
from bot.quoting import cleaned, code, plain, quotation, unmasked
from bot.wording import cost_words, duration_words, shortened
from extensions.jobs.job import Job, JobStatus, Outcome

SHOW_VERB = "show"
"""Shows to one person alone what a job said."""
RUNDOWN_VERB = "rundown"
"""Shows it to everybody there, once."""

SUMMARY_LENGTH = 400
WANT_IT = "Want the rundown?"
TOLD_DIRECTLY = "-# I cannot write where you asked for it any more, so I tell you here."

_DIRECTLY = "-direct"
_PERSON_LENGTH = 60
_NAME_LENGTH = 100
_ERROR_LENGTH = 300
_LISTED_ERROR_LENGTH = 80
_TOOL_LENGTH = 32
_MOST_TOOLS = 10
_LIST_LENGTH = 1700
"""What is left for the list of a notice about many jobs."""
_MOST_BUTTONS = 10
_LABEL_LENGTH = 60

_MARKS = {
    JobStatus.COMPLETED: "✅",
    JobStatus.FAILED: "❌",
    JobStatus.CANCELLED: "🚫",
    JobStatus.INTERRUPTED: "💥",
}


def subject_of(job: Job) -> str:
    """Return what the buttons of a notice are about: this run of the job."""
    return f"{job.id}-{job.run_number}"


def job_id_of(subject: str) -> str:
    """Return the id of the job that a button is about."""
    return subject.partition("-")[0]


def run_number_of(subject: str) -> int:
    """Return the number of the run that a button of a notice is about."""
    return int(subject.split("-")[1])


def notice(job: Job) -> MessageContent:
    """Return the notice of a settled job: how it ended, what it cost, and its first words.

    If it said anything, people are asked whether they want to read all of it.
    """
    outcome = _outcome(job)
    if not outcome.summary:
        return MessageContent(text=told(job), buttons=_buttons(job))
    action = ButtonAction(verb=RUNDOWN_VERB, subject=subject_of(job))
    rundown = Button(label="Rundown", action=action, style=ButtonStyle.PRIMARY)
    return MessageContent(text=f"{told(job)}\n{WANT_IT}", buttons=_buttons(job, rundown))


def notice_with_rundown(job: Job, person: str) -> MessageContent:
    """Return the notice of a settled job once somebody of that name had the rundown posted."""
    wanted_by = plain(f"@{person}", _PERSON_LENGTH)
    text = f"{told(job)}\nRundown below, for {wanted_by}."
    return MessageContent(text=text, buttons=_buttons(job))


def told(job: Job) -> str:
    """Return what a notice tells of a settled job, without what it asks."""
    outcome = _outcome(job)
    lines = [f"🔔 {ending_sentence(job)}{_cost(outcome)}", *_shortcomings(outcome)]
    if outcome.summary and (quoted := quotation(outcome.summary, SUMMARY_LENGTH)):
        lines.append(quoted)
    return "\n".join(lines)


def notice_of_many(jobs: Sequence[Job]) -> MessageContent:
    """Return one notice of several settled jobs: a line for each, as long as there is room."""
    lines = [_line(job) for job in jobs]
    shown = _as_many_as_fit(lines)
    text = [f"🔔 {_how_many(jobs)}", *lines[:shown]]
    if shown == len(lines):
        return MessageContent(text="\n".join(text), buttons=_show_buttons(jobs))
    text.append(f"… and {len(lines) - shown} more: the whole list is in the file.")
    whole = File(name="settled-jobs.md", content="\n".join(lines).encode())
    return MessageContent(text="\n".join(text), buttons=_show_buttons(jobs), files=(whole,))


def told_directly(content: MessageContent) -> MessageContent:
    """Return a notice as it is brought to the person who asked for the job."""
    buttons = tuple(_direct(button) for button in content.buttons)
    return replace(content, text=f"{content.text}\n{TOLD_DIRECTLY}", buttons=buttons)


def is_told_directly(subject: str) -> bool:
    """Say whether the notice of a button was brought to a person directly."""
    return subject.endswith(_DIRECTLY)


def ending_sentence(job: Job) -> str:
    """Return how the job ended, in one sentence."""
    return _ending(job, _ERROR_LENGTH)


def whole_text(job: Job) -> str:
    """Return everything that the job said at its end."""
    outcome = job.outcome
    if outcome is None:
        return f"**{plain(job.name, _NAME_LENGTH)}** has not ended yet."
    said = unmasked(outcome.summary) if outcome.summary else "It left no words."
    return "\n\n".join([ending_sentence(job), *_shortcomings(outcome), said])


def troubles_of(outcome: Outcome) -> str:
    """Return what went amiss although a job was completed; empty if nothing did."""
    troubles: list[str] = []
    if number := len(outcome.refused_actions):
        troubles.append(f"{number} {'action was' if number == 1 else 'actions were'} refused")
    if number := len(outcome.failed_servers):
        troubles.append(f"{number} MCP {'server' if number == 1 else 'servers'} could not be used")
    return " and ".join(troubles)


def _outcome(job: Job) -> Outcome:
    assert job.outcome is not None, "only a settled job has a notice"
    return job.outcome


def _ending(job: Job, error_length: int) -> str:
    name = f"**{plain(job.name, _NAME_LENGTH)}**"
    took = duration_words(job.duration_seconds(now=job.finished_at or 0.0))
    outcome = _outcome(job)
    reason = f" {plain(outcome.error, error_length)}" if outcome.error else ""
    match outcome.status:
        case JobStatus.COMPLETED if troubles := troubles_of(outcome):
            return f"{name} finished after {took}, but {troubles}."
        case JobStatus.COMPLETED:
            return f"{name} just finished after {took}."
        case JobStatus.CANCELLED:
            return f"{name} was cancelled after {took}."
        case JobStatus.INTERRUPTED:
            return f"{name} was interrupted before it finished.{reason}"
        case _:
            return f"{name} failed after {took}.{reason}"


def _line(job: Job) -> str:
    outcome = _outcome(job)
    ending = _ending(job, _LISTED_ERROR_LENGTH)
    return f"{_MARKS[outcome.status]} {ending}{_cost(outcome)} · {code(job.id, 20)}"


def _how_many(jobs: Sequence[Job]) -> str:
    counts = Counter(_outcome(job).status for job in jobs)
    listed = ", ".join(f"{counts[status]} {status}" for status in _MARKS if counts[status])
    return f"{len(jobs)} jobs have settled: {listed}."


def _as_many_as_fit(lines: Sequence[str]) -> int:
    length = 0
    for number, line in enumerate(lines):
        length += len(line) + 1
        if length > _LIST_LENGTH:
            return number
    return len(lines)


def _shortcomings(outcome: Outcome) -> list[str]:
    lines: list[str] = []
    if outcome.refused_actions:
        lines.append(f"Refused: {_listed(outcome.refused_actions)}")
    if outcome.failed_servers:
        lines.append(f"Not reached: {_listed(outcome.failed_servers)}")
    return lines


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(code(name, _TOOL_LENGTH) for name in list(dict.fromkeys(names))[:_MOST_TOOLS])


def _cost(outcome: Outcome) -> str:
    if outcome.cost_usd is None:
        return ""
    return f" ({cost_words(outcome.cost_usd, is_partial=outcome.cost_is_partial)})"


def _buttons(job: Job, *more: Button) -> tuple[Button, ...]:
    subject = subject_of(job)
    return (*resume_buttons(job, subject=subject), *more, files_button(subject=subject))


def _direct(button: Button) -> Button:
    """Return a button that, when it is pressed, tells how the notice looks that it belongs to."""
    action = button.action
    if action.verb != RUNDOWN_VERB:
        return button
    return replace(button, action=replace(action, subject=f"{action.subject}{_DIRECTLY}"))


def _show_buttons(jobs: Sequence[Job]) -> tuple[Button, ...]:
    return tuple(
        Button(
            label=shortened(f"Show {cleaned(job.name)}", _LABEL_LENGTH),
            action=ButtonAction(verb=SHOW_VERB, subject=subject_of(job)),
        )
        for job in jobs[:_MOST_BUTTONS]
    )
