from dataclasses import replace

import pytest

from extensions.errors import LocalProtocolError
from extensions.jobs.job import Job, JobStatus, Origin, Outcome
from extensions.jobs.run import ResumeReason

QUEUED = Job(
    id="8d08ba4f",
    name="fibonacci",
    task="print fibonacci",
    origin=Origin(session_id="5e551011", person_id=7, guild_id=None, channel_id=2),
    folder="/data/extensions/8d08ba4f",
    jail="bubblewrap",
    created_at=90.0,
)
RUNNING = QUEUED.started(at=100.0)
DONE = Outcome(status=JobStatus.COMPLETED, summary="done")


def test_a_settled_job_keeps_when_it_ended_and_how() -> None:
    job = RUNNING.settled(DONE, at=112.5)

    assert (job.status, job.finished_at, job.outcome) == (JobStatus.COMPLETED, 112.5, DONE)
    assert job.duration_seconds(now=999.0) == 12.5


@pytest.mark.parametrize("status", list(JobStatus))
def test_a_job_settles_once(status: JobStatus) -> None:
    settled = RUNNING.settled(DONE, at=112.5)

    with pytest.raises(LocalProtocolError):
        settled.settled(Outcome(status=status), at=113.0)


@pytest.mark.parametrize(
    "status", [JobStatus.QUEUED, JobStatus.RUNNING, JobStatus.WAITING, JobStatus.PARKED]
)
def test_a_state_that_is_no_ending_settles_nothing(status: JobStatus) -> None:
    with pytest.raises(LocalProtocolError):
        RUNNING.settled(Outcome(status=status), at=112.5)


def test_a_queued_job_can_end_without_ever_starting() -> None:
    job = QUEUED.settled(Outcome(status=JobStatus.CANCELLED), at=95.0)

    assert (job.started_at, job.duration_seconds(now=200.0)) == (None, 0.0)


def test_only_a_queued_job_starts() -> None:
    with pytest.raises(LocalProtocolError):
        RUNNING.started(at=101.0)


def test_a_job_whose_start_came_to_nothing_is_as_it_was_before() -> None:
    assert RUNNING.with_pid(4711).queued_again() == QUEUED

    with pytest.raises(LocalProtocolError):
        RUNNING.settled(DONE, at=112.5).queued_again()


def test_a_running_job_has_run_until_now() -> None:
    assert RUNNING.duration_seconds(now=103.0) == 3.0


def test_a_clock_that_was_set_back_gives_no_negative_duration() -> None:
    assert replace(RUNNING, finished_at=50.0).duration_seconds(now=0.0) == 0.0


def test_an_interrupted_job_goes_on_as_one_that_waits() -> None:
    lost = Outcome(status=JobStatus.INTERRUPTED)
    stopped = QUEUED.started(at=2.0).with_pid(7).settled(lost, at=3.0)

    assert stopped.resumed(ResumeReason.ASKED) == replace(
        QUEUED, run_number=2, resumed_because=ResumeReason.ASKED
    )


@pytest.mark.parametrize("status", [JobStatus.COMPLETED, JobStatus.FAILED, JobStatus.CANCELLED])
def test_a_job_that_ended_otherwise_does_not_go_on(status: JobStatus) -> None:
    ended = QUEUED.started(at=2.0).settled(Outcome(status=status), at=3.0)

    assert not ended.can_be_resumed
    with pytest.raises(LocalProtocolError):
        ended.resumed(ResumeReason.ASKED)
