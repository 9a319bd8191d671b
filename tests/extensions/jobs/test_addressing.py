"""Which jobs people mean. Each row: what is said, the jobs that there are, and what is meant."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.jobs.addressing import (
    Addressed,
    Meant,
    NotMeant,
    Purpose,
    Unclear,
    address_jobs,
)
from extensions.jobs.job import Job, JobStatus
from tests.fakes.example_job import JOB

HERE = JOB.origin.session_id
ENDED = JobStatus.COMPLETED


def jobs(text: str) -> list[Job]:
    """Return jobs, newest first: `auth` runs, `auth!` has ended, `auth@` is of another session."""
    return [_job(number, word) for number, word in enumerate(text.split())]


def _job(number: int, word: str) -> Job:
    origin = replace(JOB.origin, session_id="e15e0000") if "@" in word else JOB.origin
    return replace(
        JOB,
        id=f"{number:08x}",
        name=word.strip("!@"),
        task="Write a letter to Tom.",
        origin=origin,
        status=ENDED if "!" in word else JobStatus.RUNNING,
    )


def told(addressed: Addressed) -> str:
    """Return names of those that are meant; with a question mark, of those that could be."""
    match addressed:
        case Meant(found):
            return " ".join(job.name for job in found)
        case Unclear(found):
            return "? " + " ".join(job.name for job in found)
        case NotMeant():
            return "-"


def looked_at(said: str, there: str) -> str:
    return told(address_jobs(said, jobs(there), session_id=HERE))


def stopped(said: str, there: str) -> str:
    return told(address_jobs(said, jobs(there), session_id=HERE, purpose=Purpose.STOP))


@pytest.mark.parametrize(
    ("said", "there", "meant"),
    [
        ("it", "docs", "docs"),
        ("it", "lint! docs auth!", "docs"),
        ("it", "", "? "),
        ("it", "docs auth", "? docs auth"),
        ("that one", "docs! auth!", "docs"),
        ("the job", "docs", "docs"),
        ("both", "docs auth lint!", "docs auth"),
        ("both of them", "docs! auth lint!", "docs auth"),
        ("those two", "docs! auth! lint!", "docs auth"),
        ("both", "docs auth lint", "? docs auth lint"),
        ("both", "docs! lint! auth", "? auth"),
        ("both", "docs", "? docs"),
        ("all", "docs auth lint!", "docs auth"),
        ("all jobs", "docs! auth!", "docs auth"),
        ("they", "docs auth lint!", "docs auth"),
        ("everything", "", "? "),
        ("the last one", "docs! auth", "docs"),
        ("the newest", "docs auth", "docs"),
        ("my most recent job", "docs auth", "docs"),
    ],
)
def test_words_without_a_name_mean_what_is_under_way_or_has_just_ended(
    said: str, there: str, meant: str
) -> None:
    assert looked_at(said, there) == meant


@pytest.mark.parametrize(
    ("said", "there", "meant"),
    [
        ("the auth one", "docs auth-refactor", "auth-refactor"),
        ("auth", "docs auth-refactor!", "auth-refactor"),
        ("the auth refactor", "auth-tests auth-refactor", "auth-refactor"),
        ("the auth one", "auth-tests auth-refactor", "? auth-tests auth-refactor"),
        ("the auth one", "auth-tests! auth-refactor", "auth-refactor"),
        ("the auth one", "auth-tests! auth-docs!", "? auth-tests auth-docs"),
        ("the report", "report-3! report-2! report!", "report-3"),
        ("report two", "report-3 report-2 report", "report-2"),
        ("the fibonacchi script", "docs fibonacci-script", "fibonacci-script"),
        ("the tests' job", "docs auth-test", "auth-test"),
        ("the kitchen one", "docs auth", "-"),
        ("DOCS", "docs auth", "docs"),
        ("The Auth's one.", "docs auth", "auth"),
        ("../docs", "docs auth", "-"),
        ("docs%", "docs auth", "-"),
        ("d?cs", "docs auth", "-"),
        (".*", "docs auth", "-"),
        ("the letter to Tom", "docs", "docs"),
        ("all the auth jobs", "auth-tests auth-docs lint", "auth-tests auth-docs"),
        ("both auth ones", "auth-tests lint auth-docs", "auth-tests auth-docs"),
        ("the two auth jobs", "auth-tests lint auth-docs", "auth-tests auth-docs"),
        ("the last report", "docs report-2! report!", "report-2"),
    ],
)
def test_some_words_of_its_name_are_enough(said: str, there: str, meant: str) -> None:
    assert looked_at(said, there) == meant


@pytest.mark.parametrize(
    ("said", "there", "meant"),
    [
        ("auth and docs", "docs auth lint", "auth docs"),
        ("both auth and docs", "docs auth lint", "auth docs"),
        ("the auth one, the docs one and lint", "docs auth lint", "auth docs lint"),
        ("the search and replace one", "search-and-replace docs", "search-and-replace"),
        ("auth and the last one", "docs auth lint", "auth docs"),
        ("both, please", "docs auth", "docs auth"),
        ("auth and the kitchen", "docs auth", "-"),
        ("auth and docs", "docs auth-a auth-b", "? auth-a auth-b"),
        ("all but auth", "docs auth lint", "docs lint"),
        ("everything except the last one", "docs auth lint", "auth lint"),
        ("all but the kitchen", "docs auth", "-"),
        ("all except for auth", "auth", "? "),
    ],
)
def test_several_are_put_together_and_left_out(said: str, there: str, meant: str) -> None:
    assert looked_at(said, there) == meant


@pytest.mark.parametrize(
    ("said", "there", "meant"),
    [
        ("it", "docs@ auth lint@", "auth"),
        ("all", "docs@ auth lint", "auth lint"),
        ("it", "docs@", "docs"),
        ("the auth one", "auth-tests@ auth-docs", "auth-docs"),
        ("the lint one", "docs lint@", "lint"),
    ],
)
def test_those_of_the_conversation_are_meant_first(said: str, there: str, meant: str) -> None:
    assert looked_at(said, there) == meant


@pytest.mark.parametrize(
    ("said", "there", "meant"),
    [
        ("both", "docs auth", "docs auth"),
        ("all", "docs auth lint@", "docs auth"),
        ("all", "lint@ docs@", "? lint docs"),
        ("it", "lint@", "? lint"),
        ("the last one", "docs! auth lint", "auth"),
        ("it", "docs!", "docs"),
        ("everything", "docs!", "? "),
        ("the lint one", "docs lint@", "lint"),
        ("the fibonacchi one", "docs fibonacci", "? fibonacci"),
        ("the kitchen one", "docs", "-"),
        ("the letter to Tom", "docs", "? docs"),
        ("all but the fibonacchi one", "docs fibonacci", "? fibonacci"),
        ("the auth one", "auth-tests auth-docs", "? auth-tests auth-docs"),
        ("the report", "report-2 report", "? report-2 report"),
        ("the report", "report-2 report!", "report-2"),
    ],
)
def test_before_one_is_stopped_more_is_unclear(said: str, there: str, meant: str) -> None:
    assert stopped(said, there) == meant


@given(said=st.text(max_size=60), there=st.lists(st.sampled_from(["docs", "auth!", "a@", "b-2"])))
def test_whatever_is_said_only_jobs_that_there_are_can_be_meant(
    said: str, there: list[str]
) -> None:
    among = jobs(" ".join(there))
    for purpose in Purpose:
        addressed = address_jobs(said, among, session_id=HERE, purpose=purpose)
        if isinstance(addressed, Meant):
            assert addressed.jobs
            assert set(addressed.jobs) <= set(among)
