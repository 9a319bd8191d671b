from dataclasses import replace

import pytest

from extensions.claude.events import (
    ActionRefused,
    AssistantMessage,
    LimitReported,
    ToolCalled,
)
from extensions.jobs.job import JobStatus, Outcome
from extensions.jobs.outcome import (
    LONGEST_SUMMARY,
    EndReason,
    RunEvidence,
    outcome_of,
    resume_reason,
)
from extensions.jobs.run import ResumeReason
from extensions.jobs.trace import RunTrace
from tests.fakes.job_events import BEGAN, ENDED, NO_SUCH_KEY, traced

DONE = RunEvidence(
    trace=traced(BEGAN, AssistantMessage("Created."), ENDED),
    reason=EndReason.EXITED,
    exit_code=0,
    answer_was_cut=False,
)


def test_a_run_with_a_whole_result_completed() -> None:
    assert outcome_of(DONE) == Outcome(
        status=JobStatus.COMPLETED, summary="Created `hello.txt`.", cost_usd=0.184, turns=2
    )


@pytest.mark.parametrize("code", [143, -9, 1])
def test_how_the_program_exits_after_its_result_does_not_matter(code: int) -> None:
    assert outcome_of(replace(DONE, exit_code=code)) == outcome_of(DONE)


def test_a_result_from_a_cut_answer_is_no_result() -> None:
    outcome = outcome_of(replace(DONE, answer_was_cut=True))

    assert (outcome.status, outcome.summary) == (JobStatus.FAILED, None)
    assert outcome.error == (
        "The model's last answer was cut off, so that what it says cannot be relied on."
    )
    assert outcome.cost_usd == 0.184


def test_a_run_without_a_result_failed_though_it_exits_with_0() -> None:
    evidence = replace(DONE, trace=traced(BEGAN, AssistantMessage("I begin.")))

    assert outcome_of(evidence) == Outcome(
        status=JobStatus.FAILED,
        error="Claude stopped unexpectedly, before it had a result.",
        turns=1,
    )


def test_an_error_of_the_api_is_told_in_words_for_people() -> None:
    outcome = outcome_of(replace(DONE, trace=traced(BEGAN, NO_SUCH_KEY), exit_code=1))

    assert outcome.status is JobStatus.FAILED
    assert outcome.error is not None
    assert "API key" in outcome.error
    assert outcome.summary is None


def test_a_usage_limit_is_told_with_its_end() -> None:
    turn = replace(NO_SUCH_KEY, text="usage limit reached", api_error_status=429)
    limit = LimitReported(is_reached=True, resets_at=1_777_700_000.0)

    outcome = outcome_of(replace(DONE, trace=traced(BEGAN, limit, turn), exit_code=1))

    assert outcome.error == "Claude's usage limit is reached; it resets at 05:33 UTC on 2 May."


def test_too_many_steps_are_told_in_the_words_of_a_job() -> None:
    turn = replace(
        ENDED, text="", is_error=True, subtype="error_max_turns", terminal_reason="max_turns"
    )

    outcome = outcome_of(replace(DONE, trace=traced(BEGAN, turn), exit_code=1))

    assert outcome.error == "It took as many steps as a job may; divide it into smaller tasks."


@pytest.mark.parametrize(
    "trace", [traced(BEGAN, ENDED, BEGAN), traced(BEGAN, replace(ENDED, queued_turns=1))]
)
def test_a_run_that_had_something_left_to_do_failed(trace: RunTrace) -> None:
    outcome = outcome_of(replace(DONE, trace=trace))

    assert outcome.status is JobStatus.FAILED
    assert outcome.error == "Claude ended while it still had something to do."


@pytest.mark.parametrize(
    ("reason", "status"),
    [
        (EndReason.CANCELLED, JobStatus.CANCELLED),
        (EndReason.TIMEOUT, JobStatus.FAILED),
        (EndReason.OUTPUT, JobStatus.FAILED),
        (EndReason.TERMINATED, JobStatus.INTERRUPTED),
        (EndReason.LOST, JobStatus.INTERRUPTED),
    ],
)
def test_a_run_that_was_ended_did_not_complete_even_with_a_result(
    reason: EndReason, status: JobStatus
) -> None:
    outcome = outcome_of(replace(DONE, reason=reason))

    assert (outcome.status, outcome.summary) == (status, None)
    assert (outcome.error is None) == (status is JobStatus.CANCELLED)


def test_refused_actions_and_failed_servers_stand_in_the_outcome_of_a_completed_run() -> None:
    began = replace(BEGAN, failed_servers=("papercup",))
    ended = replace(ENDED, refused_actions=("Bash", "Write"))

    outcome = outcome_of(replace(DONE, trace=traced(began, ActionRefused("Bash", "t1"), ended)))

    assert outcome.status is JobStatus.COMPLETED
    assert outcome.refused_actions == ("Bash", "Write")
    assert outcome.failed_servers == ("papercup",)


def test_only_so_much_is_kept_of_what_a_run_says_in_the_end() -> None:
    ended = replace(ENDED, text="x" * 10_000_000)
    outcome = outcome_of(replace(DONE, trace=traced(BEGAN, ended)))

    assert outcome.status is JobStatus.COMPLETED
    assert outcome.summary == "x" * (LONGEST_SUMMARY - 1) + "…"


def test_a_run_that_says_nothing_in_the_end_completed_without_a_summary() -> None:
    outcome = outcome_of(replace(DONE, trace=traced(BEGAN, replace(ENDED, text=" \n"))))

    assert (outcome.status, outcome.summary) == (JobStatus.COMPLETED, None)


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        (EndReason.MEMORY, "It used more memory than a job may, and was stopped."),
        (EndReason.PROCESSES, "It started more processes than a job may, and was stopped."),
    ],
)
def test_a_run_beyond_its_limits_failed_and_says_which(reason: EndReason, sentence: str) -> None:
    outcome = outcome_of(replace(DONE, reason=reason, exit_code=-9))

    assert (outcome.status, outcome.error) == (JobStatus.FAILED, sentence)


REFUSED = replace(
    ENDED,
    text="API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)",
    is_error=True,
    terminal_reason="api_error",
)
CUT_OFF = replace(DONE, trace=traced(BEGAN, REFUSED), exit_code=1)
HELD = replace(
    DONE,
    trace=traced(BEGAN, AssistantMessage("I begin.")),
    reason=EndReason.TIMEOUT,
    silent_seconds=900.0,
)
AT_WORK = traced(BEGAN, ToolCalled("t1", "Bash", {}))
REPORTING = traced(BEGAN, ToolCalled("t1", "mcp__papercup__report_progress", {}))


@pytest.mark.parametrize("evidence", [CUT_OFF, HELD, replace(HELD, trace=REPORTING)])
def test_a_run_that_only_lacked_the_bot_was_interrupted_and_is_worth_another(
    evidence: RunEvidence,
) -> None:
    away = replace(evidence, bot_was_away=True)

    assert resume_reason(away) is ResumeReason.BOT_AWAY
    assert outcome_of(away).status is JobStatus.INTERRUPTED
    assert outcome_of(away).error == "Papercup was away for so long that it could not go on."
    # With the bot there, the same is a failure.
    assert resume_reason(evidence) is None
    assert outcome_of(evidence).status is JobStatus.FAILED


@pytest.mark.parametrize(
    "evidence",
    [
        DONE,
        replace(CUT_OFF, trace=traced(BEGAN, NO_SUCH_KEY)),
        replace(CUT_OFF, trace=traced(BEGAN, replace(REFUSED, api_error_status=502))),
        replace(HELD, silent_seconds=5.0),
        replace(HELD, trace=AT_WORK),
        replace(HELD, reason=EndReason.CANCELLED),
        replace(HELD, reason=EndReason.MEMORY),
    ],
)
def test_what_would_have_ended_the_run_in_any_case_is_no_reason_for_another(
    evidence: RunEvidence,
) -> None:
    assert resume_reason(replace(evidence, bot_was_away=True)) is None


def test_a_run_that_was_stopped_for_its_address_is_worth_another() -> None:
    for evidence in (replace(DONE, reason=EndReason.CANCELLED), CUT_OFF):
        moved = replace(evidence, address_was_lost=True)

        assert resume_reason(moved) is ResumeReason.ADDRESS_LOST
        assert outcome_of(moved).status is JobStatus.INTERRUPTED
    assert resume_reason(replace(DONE, address_was_lost=True)) is None
