"""What is said of a job that has settled. Pure."""

from bot.messenger import Button, ButtonAction, MessageContent
from bot.wording import cost_words, duration_words, in_quotation, shortened
from extensions.jobs.job import Job, JobStatus, Outcome

SHOW_VERB = "show"
FILES_VERB = "files"

SUMMARY_LENGTH = 400


def notice(job: Job) -> MessageContent:
    """Return the notice of a settled job: how it ended, what it cost, and its first words."""
    outcome = job.outcome
    assert outcome is not None, "only a settled job has a notice"
    lines = [f"🔔 {ending_sentence(job)}{_cost(outcome)}"]
    lines.extend(_shortcomings(outcome))
    if outcome.summary:
        lines.append(in_quotation(shortened(outcome.summary, SUMMARY_LENGTH)))
    return MessageContent(text="\n".join(lines), buttons=_buttons(job, outcome))


def ending_sentence(job: Job) -> str:
    """Return how the job ended, in one sentence."""
    name = f"**{job.name}**"
    took = duration_words(job.duration_seconds(now=job.finished_at or 0.0))
    outcome = job.outcome
    assert outcome is not None, "only a settled job has ended"
    reason = f" {outcome.error}" if outcome.error else ""
    match outcome.status:
        case JobStatus.COMPLETED if outcome.refused_actions or outcome.failed_servers:
            return f"{name} finished after {took}, but {_but(outcome)}."
        case JobStatus.COMPLETED:
            return f"{name} just finished after {took}."
        case JobStatus.CANCELLED:
            return f"{name} was cancelled after {took}."
        case JobStatus.INTERRUPTED:
            return f"{name} was interrupted before it finished.{reason}"
        case _:
            return f"{name} failed after {took}.{reason}"


def whole_text(job: Job) -> str:
    """Return everything that the job said at its end."""
    outcome = job.outcome
    if outcome is None:
        return f"**{job.name}** has not ended yet."
    parts = [ending_sentence(job), *_shortcomings(outcome), outcome.summary or "It left no words."]
    return "\n\n".join(parts)


def _but(outcome: Outcome) -> str:
    troubles: list[str] = []
    if number := len(outcome.refused_actions):
        troubles.append(f"{number} {'action was' if number == 1 else 'actions were'} refused")
    if number := len(outcome.failed_servers):
        troubles.append(f"{number} MCP {'server' if number == 1 else 'servers'} could not be used")
    return " and ".join(troubles)


def _shortcomings(outcome: Outcome) -> list[str]:
    lines: list[str] = []
    if outcome.refused_actions:
        lines.append(f"Refused: {_listed(outcome.refused_actions)}")
    if outcome.failed_servers:
        lines.append(f"Not reached: {_listed(outcome.failed_servers)}")
    return lines


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{shortened(name, 40)}`" for name in dict.fromkeys(names[:10]))


def _cost(outcome: Outcome) -> str:
    return "" if outcome.cost_usd is None else f" ({cost_words(outcome.cost_usd)})"


def _buttons(job: Job, outcome: Outcome) -> tuple[Button, ...]:
    files = Button(label="Files", action=ButtonAction(verb=FILES_VERB, subject=job.id))
    if not outcome.summary:
        return (files,)
    return (
        Button(label="Show all", action=ButtonAction(verb=SHOW_VERB, subject=job.id)),
        files,
    )
