import pytest

from bot.notices.notice import notice, whole_text
from extensions.jobs.job import JobStatus, Outcome
from tests.fakes.example_job import JOB

RUNNING = JOB.started(at=1000.0)


@pytest.mark.parametrize(
    ("outcome", "sentence"),
    [
        (Outcome(status=JobStatus.COMPLETED), "**fibonacci** just finished after 4 minutes."),
        (
            Outcome(status=JobStatus.COMPLETED, refused_actions=("Bash", "Bash")),
            "**fibonacci** finished after 4 minutes, but 2 actions were refused.",
        ),
        (
            Outcome(status=JobStatus.COMPLETED, refused_actions=("W",), failed_servers=("git",)),
            (
                "**fibonacci** finished after 4 minutes, but 1 action was refused"
                " and 1 MCP server could not be used."
            ),
        ),
        (
            Outcome(status=JobStatus.FAILED, error="It ran out of turns."),
            "**fibonacci** failed after 4 minutes. It ran out of turns.",
        ),
        (Outcome(status=JobStatus.CANCELLED), "**fibonacci** was cancelled after 4 minutes."),
        (
            Outcome(status=JobStatus.INTERRUPTED, error="Its runner was killed."),
            "**fibonacci** was interrupted before it finished. Its runner was killed.",
        ),
    ],
)
def test_each_outcome_has_a_sentence_of_its_own(outcome: Outcome, sentence: str) -> None:
    first_line = notice(RUNNING.settled(outcome, at=1240.0)).text.splitlines()[0]

    assert first_line == f"🔔 {sentence}"


def test_a_notice_holds_the_cost_and_the_first_400_characters_as_a_quotation() -> None:
    outcome = Outcome(status=JobStatus.COMPLETED, summary="x" * 401, cost_usd=0.2)

    content = notice(RUNNING.settled(outcome, at=1240.0))

    first, quoted = content.text.splitlines()
    assert first.endswith("($0.20)")
    assert quoted == "> " + "x" * 399 + "…"
    assert [button.label for button in content.buttons] == ["Show all", "Files"]


def test_a_notice_without_a_summary_offers_the_files_alone() -> None:
    job = RUNNING.settled(Outcome(status=JobStatus.CANCELLED), at=1240.0)

    assert [button.label for button in notice(job).buttons] == ["Files"]


def test_the_whole_text_holds_all_that_the_job_said() -> None:
    job = RUNNING.settled(Outcome(status=JobStatus.COMPLETED, summary="y" * 5000), at=1240.0)

    assert "y" * 5000 in whole_text(job)
