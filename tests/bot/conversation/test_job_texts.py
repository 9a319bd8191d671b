from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.conversation.job_texts import (
    NO_FILES,
    NO_JOBS,
    detail_content,
    files_content,
    list_text,
    log_content,
    refusal_text,
    started_text,
    suggestion,
    total_text,
    unknown_text,
    whole_content,
)
from bot.messenger import File, MessageRef
from extensions.errors import (
    ExtensionsError,
    JobFilesGoneError,
    JobsClosedError,
    QueueFullError,
    SpawnRateError,
)
from extensions.jobs.files import JobFile, JobFiles
from extensions.jobs.job import JobStatus, Outcome
from extensions.jobs.progress import Progress
from tests.fakes.example_job import JOB

DONE = Outcome(status=JobStatus.COMPLETED, summary="It prints 1 1 2 3.", cost_usd=0.184, turns=3)
FAILED = Outcome(
    status=JobStatus.FAILED,
    error="It took longer than a job may.",
    refused_actions=("Bash", "WebFetch", "Bash"),
    failed_servers=("papercup",),
)
RUNNING = JOB.started(at=1010.0)
SETTLED = RUNNING.settled(DONE, at=1250.0)


def test_each_job_is_a_line_with_how_it_stands_and_since_when() -> None:
    assert list_text([RUNNING, SETTLED], now=1300.0).splitlines() == [
        (
            "`8d08ba4f` **fibonacci** · running since <t:1010:R>"
            " · Write a script that prints Fibonacci numbers"
        ),
        (
            "`8d08ba4f` **fibonacci** · completed after 4 minutes, <t:1250:R>"
            " · Write a script that prints Fibonacci numbers"
        ),
    ]
    assert list_text([], now=0.0) == NO_JOBS


def test_a_list_of_long_jobs_leaves_room_for_what_stands_around_it() -> None:
    long = replace(SETTLED, name="n" * 60, task="*" * 500)

    lines = list_text([long] * 20, now=1300.0).splitlines()

    assert 5 < len(lines) <= 10
    assert sum(map(len, lines)) + len(lines) <= 1601


def test_the_total_counts_jobs_by_state_and_adds_up_what_they_cost() -> None:
    jobs = [JOB, RUNNING, RUNNING, SETTLED, RUNNING.settled(FAILED, at=1250.0), SETTLED]

    assert total_text(jobs) == ("-# 6 jobs in all: 1 queued, 2 running, 3 settled; $0.37 together.")
    assert total_text([RUNNING]) == "-# 1 job in all: 1 running."
    assert total_text([JOB] * 1000) == "-# The newest 1,000 jobs: 1,000 queued."


def test_a_running_job_is_shown_with_its_times_and_can_be_cancelled() -> None:
    shown = detail_content(RUNNING, Progress(turns=2))

    assert shown.text.splitlines()[-2:] == [
        "`8d08ba4f` · 2 turns",
        "Asked for by <@1> <t:1000:f> · began <t:1010:f>",
    ]
    assert [button.label for button in shown.buttons] == ["Cancel"]


def test_a_settled_job_is_shown_with_what_came_of_it() -> None:
    shown = detail_content(SETTLED, Progress())

    assert shown.text.splitlines()[-3:] == [
        "`8d08ba4f` · 3 turns · $0.18",
        "Asked for by <@1> <t:1000:f> · began <t:1010:f> · ended <t:1250:f>",
        "> It prints 1 1 2 3.",
    ]
    assert [button.label for button in shown.buttons] == ["Files", "Log"]
    assert shown.files == ()


def test_a_job_that_failed_is_shown_with_why_and_what_it_was_refused() -> None:
    shown = detail_content(RUNNING.settled(FAILED, at=1250.0), Progress())

    assert shown.text.splitlines()[-3:] == [
        "It took longer than a job may.",
        "Refused: `Bash` (2 times), `WebFetch`",
        "Not reached: `papercup`",
    ]


def test_a_long_summary_comes_whole_as_a_file() -> None:
    long = replace(SETTLED, outcome=replace(DONE, summary="word " * 500))

    shown = detail_content(long, Progress())

    (file,) = shown.files
    assert file.name == "fibonacci.md"
    assert b"word " * 499 in file.content
    assert whole_content(long).files == (file,)
    assert whole_content(SETTLED).files == ()


@given(
    text=st.text(alphabet=st.sampled_from("a`*_@[]()<>\\|~#- \n"), min_size=1, max_size=3000),
    status=st.sampled_from([status for status in JobStatus if status.is_settled]),
)
def test_whatever_a_job_wrote_what_is_shown_fits_a_message(text: str, status: JobStatus) -> None:
    outcome = Outcome(
        status=status,
        summary=text,
        error=text,
        cost_usd=12_345.67,
        cost_is_partial=True,
        turns=10**6,
        refused_actions=tuple(text[:40] + str(number) for number in range(20)),
        failed_servers=tuple(text[:40] + str(number) for number in range(20)),
    )
    job = replace(RUNNING, name=text, task=text, jail="none").settled(outcome, at=1e9)

    shown = detail_content(job, Progress(files_written=9, newest_file=text))

    assert len(shown.text) <= 2000


def test_files_have_flat_names_and_those_left_out_are_named() -> None:
    found = JobFiles(
        files=(JobFile(path="src/a.py", content=b"x"),),
        left_out=tuple(f"big{number}.bin" for number in range(17)),
    )

    content = files_content(JOB, found)

    assert content.files == (File(name="src_a.py", content=b"x"),)
    assert content.text.startswith("Files of **fibonacci**:\nLeft out, as they are too many")
    assert "`big0.bin`, `big1.bin`" in content.text
    assert content.text.endswith("… and 2 more.")
    assert files_content(JOB, JobFiles(files=(), left_out=())).text == NO_FILES


def test_a_log_is_a_text_file_named_after_the_job() -> None:
    content = log_content(SETTLED, "a log")

    assert content.text == "What **fibonacci** did:"
    assert content.files == (File(name="fibonacci-log.txt", content=b"a log"),)
    assert log_content(RUNNING, "a log").text == "What **fibonacci** has done so far:"


def test_a_started_job_is_told_with_a_link_to_its_card() -> None:
    card = MessageRef(channel_id=11, message_id=99)

    assert started_text(RUNNING, card) == (
        "Started **fibonacci**. Its card: https://discord.com/channels/10/11/99"
    )
    private = replace(RUNNING, origin=replace(RUNNING.origin, guild_id=None))
    assert started_text(private, card).endswith("/channels/@me/11/99")
    assert started_text(JOB, None) == (
        "**fibonacci** waits for a place, and then starts by itself."
    )
    assert "has no Bash" in started_text(replace(RUNNING, jail="none"), None)


def test_a_suggestion_tells_name_state_and_age() -> None:
    found = suggestion(RUNNING, now=1240.0)

    assert (found.label, found.value) == ("fibonacci · running · 4 minutes ago", "8d08ba4f")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            SpawnRateError(5, 12),
            "Too many jobs were started within a minute. Try again in 12 seconds.",
        ),
        (QueueFullError(100), "100 jobs are waiting already; let some end first."),
        (JobsClosedError(), "Papercup is shutting down and takes no more jobs."),
        (JobFilesGoneError("fib"), "The files of job 'fib' have been removed since."),
    ],
)
def test_a_refusal_is_a_sentence(error: ExtensionsError, text: str) -> None:
    assert refusal_text(error) == text


def test_what_is_not_there_is_named_as_it_was_asked_for() -> None:
    assert unknown_text("`@everyone") == "There is no job `'@\u200beveryone` that you may see."
