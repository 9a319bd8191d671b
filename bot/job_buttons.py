"""The buttons of a job that stand in several places. Pure."""

from bot.messenger import Button, ButtonAction, ButtonStyle
from extensions.jobs.job import Job

CANCEL_VERB = "cancel"
RESUME_VERB = "resume"
FILES_VERB = "files"
LOG_VERB = "log"


def cancel_button(job: Job) -> Button:
    """Return what a job is stopped with."""
    action = ButtonAction(verb=CANCEL_VERB, subject=job.id)
    return Button(label="Cancel", action=action, style=ButtonStyle.DANGER)


def resume_buttons(job: Job, *, subject: str) -> tuple[Button, ...]:
    """Return what a job is told to go on with: a button if it can, else none.

    Args:
        job: The job.
        subject: What the button names as the job.
    """
    if not job.can_be_resumed:
        return ()
    return (Button(label="Resume", action=ButtonAction(verb=RESUME_VERB, subject=subject)),)


def files_button(*, subject: str) -> Button:
    """Return what brings the files of the job that `subject` names."""
    return Button(label="Files", action=ButtonAction(verb=FILES_VERB, subject=subject))


def log_button(*, subject: str) -> Button:
    """Return what brings the log of the job that `subject` names."""
    return Button(label="Log", action=ButtonAction(verb=LOG_VERB, subject=subject))


def job_buttons(job: Job) -> tuple[Button, ...]:
    """Return what can be done with a job as it stands."""
    if not job.status.is_settled:
        return (cancel_button(job),)
    fetch = files_button(subject=job.id), log_button(subject=job.id)
    return (*resume_buttons(job, subject=job.id), *fetch)
