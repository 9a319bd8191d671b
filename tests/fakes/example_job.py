"""A job to look at."""

from extensions.jobs.job import Job, Origin

JOB = Job(
    id="8d08ba4f",
    name="fibonacci",
    task="Write a script\nthat prints Fibonacci numbers",
    origin=Origin(session_id="5e551011", person_id=1, guild_id=10, channel_id=11),
    folder="/data/extensions/8d08ba4f",
    jail="bubblewrap",
    created_at=1000.0,
)
