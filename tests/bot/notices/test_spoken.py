from dataclasses import replace

import pytest

from bot.notices.spoken import note_of, spoken_name, spoken_notice
from extensions.jobs.job import Job, JobStatus, Outcome
from tests.fakes.example_job import JOB
from voice.events import Heard

COMPLETED, FAILED = JobStatus.COMPLETED, JobStatus.FAILED
CANCELLED, INTERRUPTED = JobStatus.CANCELLED, JobStatus.INTERRUPTED


def job(
    name: str = "fibonacci-script",
    status: JobStatus = COMPLETED,
    summary: str | None = "It is made.",
    *,
    seconds: float = 240.0,
    refused: tuple[str, ...] = (),
) -> Job:
    """Return a settled job."""
    outcome = Outcome(status=status, summary=summary, refused_actions=refused, error="Oh, no.")
    began = replace(JOB, name=name).started(at=1000.0)
    return began.settled(outcome, at=1000.0 + seconds)


@pytest.mark.parametrize(
    ("settled", "said"),
    [
        (
            job(),
            "Heads up — fibonacci script just finished after 4 minutes. Want the rundown?",
        ),
        (job(summary=None), "Heads up — fibonacci script just finished after 4 minutes."),
        (
            job(refused=("Bash", "Write")),
            (
                "Heads up — fibonacci script finished after 4 minutes, but 2 actions were refused."
                " Want the rundown?"
            ),
        ),
        (job(status=FAILED, seconds=42), "Heads up — fibonacci script failed after 42 seconds."),
        (
            job(status=CANCELLED, seconds=3900),
            "Heads up — fibonacci script was cancelled after 1 hour 5 minutes.",
        ),
        (
            job(status=INTERRUPTED),
            "Heads up — fibonacci script was interrupted before it finished.",
        ),
    ],
)
def test_each_outcome_has_one_sentence(settled: Job, said: str) -> None:
    assert spoken_notice([settled]) == said


@pytest.mark.parametrize(
    ("settled", "said"),
    [
        (
            [job("auth"), job("docs")],
            "Heads up — auth and docs just finished. Want the rundown?",
        ),
        (
            [job("auth", FAILED), job("docs"), job("lint", CANCELLED), job("site")],
            (
                "Heads up — docs and site just finished, auth failed, and lint was cancelled."
                " Want the rundown?"
            ),
        ),
        (
            [job("auth", FAILED), job("docs", CANCELLED), job("lint", CANCELLED)],
            "Heads up — auth failed, and docs and lint were cancelled.",
        ),
        (
            [job(f"task-{number}") for number in range(5)] + [job("auth", FAILED)],
            "Heads up — 6 jobs have ended: 5 just finished and 1 failed. Want the rundown?",
        ),
        (
            [job("job-8d08ba4f", INTERRUPTED), job("job-8d08ba50", INTERRUPTED)],
            "Heads up — 2 jobs have ended: 2 were interrupted.",
        ),
    ],
)
def test_several_are_one_sentence(settled: list[Job], said: str) -> None:
    assert spoken_notice(settled) == said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("auth", "auth"),
        ("report-2", "report 2"),
        ("a-b-c-d-e-f-g-h-i-j", "a b c d e f g h"),
        ("job-8d08ba4f", "a job"),
        ("job-8d08ba4f-2", "a job"),
        ("job-search", "job search"),
        ('"] **ping** @everyone', "ping everyone"),
        ("—", "a job"),
    ],
)
def test_a_name_is_said_as_words(name: str, said: str) -> None:
    assert spoken_name(name) == said


def test_the_speaker_is_told_what_was_said_and_of_which_job() -> None:
    settled = job()
    text = spoken_notice([settled])
    assert note_of([settled], Heard(text=text, is_whole=True)) == (
        '[You have just said on the line: "Heads up — fibonacci script just finished after 4'
        ' minutes. Want the rundown?" The id of that job: 8d08ba4f (fibonacci script). For the'
        " rundown call check_extension with it; what it does not find, whoever asks may not see.]"
    )


def test_the_speaker_is_told_how_much_of_it_was_heard() -> None:
    both = [job("auth"), replace(job("docs"), id="00000002")]
    note = note_of(both, Heard(text="Heads up — auth and", is_whole=False, interrupted_by=7))
    assert note == (
        '[You began to say on the line: "Heads up — auth and", but were not heard to the end; it'
        " stands in the chat. The ids of these jobs: 8d08ba4f (auth), 00000002 (docs). For the"
        " rundown call check_extension with each; what it does not find, whoever asks may not see.]"
    )
