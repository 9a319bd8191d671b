from dataclasses import replace

import pytest

from extensions.jobs.extensions_json import ShownJob
from extensions.jobs.job import UNKNOWN_ORIGIN, Job, JobStatus, Outcome
from extensions.jobs.record import JobRecord
from extensions.jobs.recovery import (
    LOST,
    Knowledge,
    Recovered,
    Standing,
    is_database_behind,
    recovered,
)
from extensions.jobs.run import Run
from extensions.jobs.sheet import JobSheet, sheet_of
from tests.fakes.example_job import JOB

FOLDER, NOW = "/data/extensions/8d08ba4f", 2000.0
RUN = Run(job_id=JOB.id, number=1, claude_session_id="first-session")
RUNNING, RUNNING_RUN = JOB.started(at=1001.0), RUN.started(token_hash="ab" * 32, at=1001.0)
DONE = Outcome(status=JobStatus.COMPLETED, summary="1 1 2 3 5", cost_usd=0.02)
SETTLED, SETTLED_RUN = RUNNING.settled(DONE, at=1010.0), RUNNING_RUN.ended(at=1010.0)
SECOND_RUN = Run(job_id=JOB.id, number=2, claude_session_id="first-session")
QUEUED_SHEET, STARTED_SHEET = sheet_of(JOB, RUN), sheet_of(RUNNING, RUNNING_RUN)
SHOWN = ShownJob(
    id=JOB.id,
    name=JOB.name,
    task=JOB.task,
    status=JobStatus.RUNNING,
    pid=None,
    started_at=1001.0,
    finished_at=None,
    summary=None,
    error=None,
    cost_usd=None,
)
SHOWN_DONE = replace(
    SHOWN,
    status=JobStatus.COMPLETED,
    pid=4711,
    finished_at=1010.0,
    summary="1 1 2 3 5",
    cost_usd=0.02,
)


def known(
    *,
    stored: tuple[Job, Run] | None = None,
    sheet: JobSheet | None = None,
    shown: ShownJob | None = None,
    has_begun: bool = False,
) -> Knowledge:
    record = standing = None
    if stored is not None:
        job, run = stored
        record = JobRecord(sequence=1, job=job, run=run)
        times = [at for at in (job.created_at, run.started_at, run.ended_at) if at is not None]
        standing = Standing(status=job.status, latest_at=max(times))
    return Knowledge(
        record=record, standing=standing, sheet=sheet, shown=shown, has_begun=has_begun
    )


def decided(knowledge: Knowledge) -> Recovered | None:
    return recovered(knowledge, folder=FOLDER, now=NOW)


class TestNothingToDo:
    @pytest.mark.parametrize("stored", [(JOB, RUN), (RUNNING, RUNNING_RUN), (SETTLED, SETTLED_RUN)])
    def test_what_the_database_has_and_no_file_knows_better_stays(
        self, stored: tuple[Job, Run]
    ) -> None:
        assert decided(known(stored=stored)) is None
        assert decided(known(stored=stored, sheet=QUEUED_SHEET)) is None

    def test_a_settled_job_stays_settled_whatever_the_files_still_say(self) -> None:
        stored = (SETTLED, SETTLED_RUN)

        assert decided(known(stored=stored, sheet=STARTED_SHEET, shown=SHOWN)) is None
        assert decided(known(stored=stored, sheet=STARTED_SHEET, shown=SHOWN_DONE)) is None

    def test_a_running_job_is_left_to_whoever_follows_its_run(self) -> None:
        stored = (RUNNING, RUNNING_RUN)

        assert (
            decided(known(stored=stored, sheet=STARTED_SHEET, shown=SHOWN, has_begun=True)) is None
        )


class TestAnOldDatabase:
    def test_a_job_that_has_started_since_is_running(self) -> None:
        found = decided(known(stored=(JOB, RUN), sheet=STARTED_SHEET, has_begun=True))

        assert found == Recovered(job=RUNNING, run=RUNNING_RUN)

    def test_a_job_that_has_settled_since_is_settled_and_told_already(self) -> None:
        for stored in ((JOB, RUN), (RUNNING, RUNNING_RUN)):
            found = decided(known(stored=stored, sheet=STARTED_SHEET, shown=SHOWN_DONE))

            assert found == Recovered(job=SETTLED.with_pid(4711), run=SETTLED_RUN, is_end_told=True)

    def test_a_job_that_was_resumed_since_runs_again(self) -> None:
        resumed = SECOND_RUN.started(token_hash="cd" * 32, at=1500.0)
        sheet = replace(STARTED_SHEET, run=resumed)

        found = decided(
            known(stored=(SETTLED, SETTLED_RUN), sheet=sheet, shown=SHOWN_DONE, has_begun=True)
        )

        assert found is not None
        assert (found.job.status, found.job.outcome) == (JobStatus.RUNNING, None)
        assert found.run == resumed


class TestAnEmptyDatabase:
    def test_a_job_that_waits_waits_again_with_all_that_was_known_of_it(self) -> None:
        assert decided(known(sheet=QUEUED_SHEET)) == Recovered(job=JOB, run=RUN)

    def test_a_job_that_runs_or_has_ended_unseen_is_left_to_whoever_follows_its_run(self) -> None:
        found = decided(known(sheet=STARTED_SHEET, shown=SHOWN, has_begun=True))

        assert found == Recovered(job=RUNNING, run=RUNNING_RUN)

    def test_a_job_that_is_shown_as_settled_is_settled_and_belongs_to_whoever_asked_for_it(
        self,
    ) -> None:
        found = decided(known(sheet=STARTED_SHEET, shown=SHOWN_DONE, has_begun=True))

        assert found == Recovered(job=SETTLED.with_pid(4711), run=SETTLED_RUN, is_end_told=True)

    def test_a_job_whose_sheet_is_lost_is_nobodys(self) -> None:
        found = decided(known(shown=SHOWN_DONE))

        assert found is not None
        assert found.job == replace(
            SETTLED.with_pid(4711), origin=UNKNOWN_ORIGIN, jail="none", created_at=1001.0
        )

    def test_a_job_of_which_nothing_is_left_but_that_it_ran_was_interrupted(self) -> None:
        found = decided(known(shown=SHOWN))

        assert found is not None
        assert (found.job.outcome, found.job.finished_at) == (LOST, NOW)
        assert found.is_end_told

    def test_a_job_whose_sheet_is_lost_but_whose_run_is_there_is_followed(self) -> None:
        found = decided(known(shown=SHOWN, has_begun=True))

        assert found is not None
        assert found.job.status is JobStatus.RUNNING
        assert found.job.origin == UNKNOWN_ORIGIN

    def test_what_a_file_says_of_its_folder_and_its_name_is_not_believed(self) -> None:
        found = decided(known(shown=replace(SHOWN_DONE, name="../@everyone `x`")))

        assert found is not None
        assert found.job.name == "everyone-x"
        assert found.job.folder == FOLDER


class TestWhetherTheDatabaseIsBehind:
    def test_it_is_if_it_lacks_a_job(self) -> None:
        assert is_database_behind([SHOWN], {})

    def test_it_is_if_it_has_not_heard_of_an_end(self) -> None:
        standing = Standing(status=JobStatus.RUNNING, latest_at=1001.0)

        assert is_database_behind([SHOWN_DONE], {JOB.id: standing})

    def test_it_is_not_if_the_file_is_as_old_or_older(self) -> None:
        for status in JobStatus:
            assert not is_database_behind(
                [SHOWN_DONE], {JOB.id: Standing(status=status, latest_at=1010.0)}
            )
            assert not is_database_behind(
                [SHOWN], {JOB.id: Standing(status=status, latest_at=1001.0)}
            )
        assert not is_database_behind([], {})
