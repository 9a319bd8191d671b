"""The buttons of a job that stand in several places. Pure."""

from bot.messenger import Button, ButtonAction
from extensions.jobs.job import Job

RESUME_VERB = "resume"


def resume_buttons(job: Job, *, subject: str) -> tuple[Button, ...]:
    """Return what a job is told to go on with: a button if it can, else none.

    Args:
        job: The job.
        subject: What the button names as the job.
    """
    if not job.can_be_resumed:
        return ()
    return (Button(label="Resume", action=ButtonAction(verb=RESUME_VERB, subject=subject)),)
