"""Tells the plugins which jobs begin and end."""

from extensions.hooks import Observers, Occasion
from extensions.jobs.job import Job, JobStatus


class JobEvents:
    """Tells of each job once that it has begun, and once that it has ended."""

    def __init__(self, observers: Observers) -> None:
        self._observers = observers
        self._running: set[str] = set()

    def job_changed(self, job: Job) -> None:
        """Take a job as it is by now."""
        is_running = job.status is JobStatus.RUNNING
        if is_running == (job.id in self._running):
            return
        about = {"agent_id": job.id, "session_id": job.origin.session_id}
        if is_running:
            self._running.add(job.id)
            self._observers.tell("agent_start", about, occasion_of(job))
        else:
            self._running.discard(job.id)
            self._observers.tell(
                "agent_end", {**about, "outcome": str(job.status)}, occasion_of(job)
            )


def occasion_of(job: Job) -> Occasion:
    """Return on whose behalf a job works."""
    if not job.origin.is_known:
        return Occasion(agent_id=job.id)
    return Occasion(
        agent_id=job.id,
        session_id=job.origin.session_id,
        person_id=job.origin.person_id,
        guild_id=job.origin.guild_id,
        channel_id=job.origin.channel_id,
    )
