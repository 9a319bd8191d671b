"""A job with its newest run, as they are stored. Pure."""

from dataclasses import dataclass

from extensions.jobs.job import Job
from extensions.jobs.run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRecord:
    """A job as it is stored."""

    sequence: int
    """The newer of two jobs has the higher number."""
    job: Job
    run: Run
    """Its newest run."""
