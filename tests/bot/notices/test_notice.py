import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.notices.notice import (
    TOLD_DIRECTLY,
    WANT_IT,
    is_told_directly,
    job_id_of,
    notice,
    notice_of_many,
    notice_with_rundown,
    run_number_of,
    subject_of,
    told_directly,
    whole_text,
)
from extensions.jobs.job import Job, JobStatus, Outcome
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

    first, quoted, question = content.text.splitlines()
    assert first.endswith("($0.20)")
    assert quoted == "> " + "x" * 399 + "…"
    assert question == "Want the rundown?"
    assert [button.label for button in content.buttons] == ["Rundown", "Files"]


def test_a_notice_without_a_summary_offers_the_files_alone() -> None:
    job = RUNNING.settled(Outcome(status=JobStatus.CANCELLED), at=1240.0)

    assert [button.label for button in notice(job).buttons] == ["Files"]
    assert "rundown" not in notice(job).text


def test_a_notice_whose_rundown_was_given_says_for_whom_and_does_not_ask_again() -> None:
    job = RUNNING.settled(Outcome(status=JobStatus.COMPLETED, summary="done"), at=1240.0)

    content = notice_with_rundown(job, "@everyone **bob**")

    assert content.text.splitlines() == [
        "🔔 **fibonacci** just finished after 4 minutes.",
        "> done",
        "Rundown below, for @@\u200beveryone \\*\\*bob\\*\\*.",
    ]
    assert [button.label for button in content.buttons] == ["Files"]


def test_the_button_of_a_notice_that_goes_to_a_person_tells_so() -> None:
    job = RUNNING.settled(Outcome(status=JobStatus.COMPLETED, summary="done"), at=1240.0)

    subjects = [
        content.buttons[0].action.subject for content in (notice(job), told_directly(notice(job)))
    ]

    assert subjects == ["8d08ba4f-1", "8d08ba4f-1-direct"]
    assert [is_told_directly(subject) for subject in subjects] == [False, True]
    assert {job_id_of(subject) for subject in subjects} == {JOB.id}
    assert {run_number_of(subject) for subject in subjects} == {1}


def test_the_whole_text_holds_all_that_the_job_said() -> None:
    job = RUNNING.settled(Outcome(status=JobStatus.COMPLETED, summary="y" * 5000), at=1240.0)

    assert "y" * 5000 in whole_text(job)


PARTS = ["@everyone", "<@123>", "[a](https://e.example)", "```", "**", "\n", "\u202e", "word "]
WORDS = st.builds(
    lambda parts, times: "".join(parts) * times,
    st.lists(st.sampled_from(PARTS) | st.text(max_size=5), max_size=5),
    st.sampled_from([1, 100]),
)
NAMES = st.lists(WORDS, max_size=3).map(lambda names: tuple(names * 5))
MISLEADING = re.compile(r"@(?:everyone|here|[0-9])|(?<!\\)\]\(|\u202e")
SETTLED = (JobStatus.COMPLETED, JobStatus.FAILED, JobStatus.CANCELLED, JobStatus.INTERRUPTED)
OUTCOMES = st.builds(
    Outcome,
    status=st.sampled_from(SETTLED),
    summary=st.none() | WORDS,
    error=st.none() | WORDS,
    cost_usd=st.none() | st.floats(min_value=0, max_value=1e12),
    cost_is_partial=st.booleans(),
    refused_actions=NAMES,
    failed_servers=NAMES,
)


def ended(outcome: Outcome, *, name: str = "fibonacci", at: float = 1e9) -> Job:
    return replace(RUNNING, name=name).settled(outcome, at=at)


@given(OUTCOMES, WORDS, st.floats(min_value=1000.0, max_value=1e15))
def test_a_notice_fits_into_a_message_and_mentions_nobody_whatever_the_job_wrote(
    outcome: Outcome, name: str, at: float
) -> None:
    job = ended(outcome, name=name, at=at)
    text = told_directly(notice(job)).text

    assert len(text) <= 2000
    assert len(told_directly(notice_with_rundown(job, name)).text) <= 2000
    # Code may hold anything: it is shown as it is.
    without_code = re.sub(r"(?m)^(?:Refused|Not reached): .*", "", text)
    assert not MISLEADING.search(without_code)
    # What the bot says itself stands first and last, and what the job said stays a quotation.
    *lines, last = text.splitlines()[1:]
    assert last == TOLD_DIRECTLY
    if outcome.summary:
        assert lines.pop() == WANT_IT
    quoted = [line.startswith("> ") for line in lines]
    assert quoted == sorted(quoted)


@given(st.lists(OUTCOMES, min_size=2, max_size=3).map(lambda few: few * 9), WORDS)
def test_a_notice_of_many_fits_into_a_message(outcomes: list[Outcome], name: str) -> None:
    content = told_directly(notice_of_many([ended(outcome, name=name) for outcome in outcomes]))

    assert len(content.text) <= 2000
    assert not MISLEADING.search(content.text)
    assert all(1 <= len(button.label) <= 80 for button in content.buttons)


def test_many_jobs_are_told_of_in_a_line_each() -> None:
    done = ended(Outcome(status=JobStatus.COMPLETED, cost_usd=0.2), at=1240.0)
    failed = ended(Outcome(status=JobStatus.FAILED, error="No turns left."), name="b", at=1240.0)

    content = notice_of_many([done, failed])

    assert content.text.splitlines() == [
        "🔔 2 jobs have settled: 1 completed, 1 failed.",
        "✅ **fibonacci** just finished after 4 minutes. ($0.20) · `8d08ba4f`",
        "❌ **b** failed after 4 minutes. No turns left. · `8d08ba4f`",
    ]
    assert [button.label for button in content.buttons] == ["Show fibonacci", "Show b"]
    assert content.files == ()


def test_what_finds_no_room_in_a_notice_of_many_is_in_a_file() -> None:
    content = notice_of_many([ended(Outcome(status=JobStatus.COMPLETED))] * 500)

    first, *lines, last = content.text.splitlines()
    assert first == "🔔 500 jobs have settled: 500 completed."
    assert last == f"… and {500 - len(lines)} more: the whole list is in the file."
    assert [len(file.content.splitlines()) for file in content.files] == [500]
    assert len(content.buttons) == 10


def test_what_a_job_wrote_is_shown_as_it_is() -> None:
    outcome = Outcome(
        status=JobStatus.FAILED,
        error="**[click](https://e.example)**",
        summary="# Done\n\n```sh\nrm -rf /\n```",
        refused_actions=("`Bash`",),
    )

    assert notice(ended(outcome, at=1240.0)).text.splitlines() == [
        r"🔔 **fibonacci** failed after 4 minutes. \*\*\[click\](https://e.example)\*\*",
        "Refused: `'Bash'`",
        r"> \# Done",
        r"> \`\`\`sh",
        "> rm -rf /",
        r"> \`\`\`",
        "Want the rundown?",
    ]


def test_the_whole_text_hides_no_address_behind_other_words() -> None:
    job = ended(Outcome(status=JobStatus.COMPLETED, summary="**[bank](https://e.example)**"))

    assert whole_text(job).endswith("**bank (https://e.example)**")


def test_a_cost_that_is_not_known_whole_is_a_least_one() -> None:
    outcome = Outcome(status=JobStatus.COMPLETED, cost_usd=0.2, cost_is_partial=True)

    assert "(at least $0.20)" in notice(ended(outcome)).text


def test_a_button_is_about_one_run_and_leads_to_its_job() -> None:
    second = replace(RUNNING, run_number=2).settled(Outcome(status=JobStatus.CANCELLED), at=1240.0)

    (button,) = notice(second).buttons
    assert button.action.subject == subject_of(second) == "8d08ba4f-2"
    assert job_id_of(button.action.subject) == job_id_of("8d08ba4f") == "8d08ba4f"


def test_a_notice_that_goes_to_a_person_says_why() -> None:
    content = told_directly(notice(ended(Outcome(status=JobStatus.CANCELLED))))

    assert content.text.splitlines()[-1] == TOLD_DIRECTLY


def test_the_notice_of_an_interrupted_job_offers_to_resume_it() -> None:
    outcome = Outcome(status=JobStatus.INTERRUPTED, error="The machine stopped.")
    content = notice(JOB.started(at=1010.0).settled(outcome, at=1250.0))

    assert content.text == (
        "🔔 **fibonacci** was interrupted before it finished. The machine stopped."
    )
    assert [(button.label, button.action.verb) for button in content.buttons] == [
        ("Resume", "resume"),
        ("Files", "files"),
    ]
