from dataclasses import replace

from bot.job_events import JobEvents, occasion_of
from extensions.hooks import Occasion
from extensions.jobs.job import UNKNOWN_ORIGIN, JobStatus
from tests.fakes.example_job import JOB
from tests.fakes.plugin_points import FakePlugins


def test_a_job_is_told_to_begin_once_and_to_end_once() -> None:
    plugins = FakePlugins()
    events = JobEvents(plugins)
    for status in (
        JobStatus.QUEUED,
        JobStatus.RUNNING,
        JobStatus.RUNNING,
        JobStatus.FAILED,
        JobStatus.FAILED,
    ):
        events.job_changed(replace(JOB, status=status))

    about = {"agent_id": JOB.id, "session_id": JOB.origin.session_id}
    assert plugins.told == [
        ("agent_start", about),
        ("agent_end", {**about, "outcome": "failed"}),
    ]


def test_it_works_for_whoever_asked_for_it_where_they_did() -> None:
    assert occasion_of(JOB) == Occasion(
        agent_id=JOB.id,
        session_id=JOB.origin.session_id,
        person_id=JOB.origin.person_id,
        guild_id=JOB.origin.guild_id,
        channel_id=JOB.origin.channel_id,
    )


def test_a_job_whose_record_was_lost_works_for_nobody() -> None:
    lost = replace(JOB, origin=UNKNOWN_ORIGIN)
    assert occasion_of(lost) == Occasion(agent_id=JOB.id)
