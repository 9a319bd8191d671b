from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.cards.job_card import job_card, progress_bar, token_words
from bot.messenger import ButtonAction
from extensions.claude.usage import Usage
from extensions.jobs.job import JobStatus, Outcome
from extensions.jobs.progress import Progress, ToolUse
from extensions.jobs.run import ResumeReason
from tests.fakes.example_job import JOB

AT_WORK = Progress(
    turns=2,
    last_tool="Bash",
    message="Testing",
    fraction=0.5,
    tools=(ToolUse("Write", "fib.py"), ToolUse("Bash", "python3"), ToolUse("Task")),
    files_written=3,
    newest_file="src/fib.py",
    usage=Usage(input_tokens=300, output_tokens=1500, cache_read_tokens=11_700),
)


def test_a_new_card_shows_the_task_in_one_line_and_can_be_cancelled() -> None:
    card = job_card(JOB, Progress())

    assert card.text.splitlines() == [
        "⏳ **fibonacci** · queued, since <t:1000:R>",
        "> Write a script that prints Fibonacci numbers",
        "`8d08ba4f`",
    ]
    assert [button.action for button in card.buttons] == [
        ButtonAction(verb="cancel", subject="8d08ba4f")
    ]


def test_a_running_card_shows_how_far_it_has_come_and_what_it_does() -> None:
    card = job_card(JOB.started(at=1010.0), AT_WORK)

    assert card.text.splitlines() == [
        "⚙️ **fibonacci** · running, since <t:1010:R>",
        "> Write a script that prints Fibonacci numbers",
        "▰▰▰▱▱▱ 50 %",
        "💬 Testing",
        "🔧 `Write fib.py` · `Bash python3` · `Task`",
        (
            "`8d08ba4f` · 2 turns · wrote 3 files, newest `src/fib.py`"
            " · 12k tokens in (12k cached), 1.5k out"
        ),
    ]


def test_what_a_turn_has_cost_is_shown_before_the_job_has_settled() -> None:
    running = JOB.started(at=1010.0)

    assert job_card(running, Progress(cost_usd=0.184)).text.endswith("`8d08ba4f` · $0.18")
    resumed = replace(running, run_number=2)
    assert job_card(resumed, Progress(cost_usd=0.184)).text.endswith("· at least $0.18")


def test_a_settled_card_shows_what_is_left_of_it_and_brings_files_and_log() -> None:
    job = JOB.started(at=1010.0).settled(
        Outcome(status=JobStatus.COMPLETED, summary="done", cost_usd=0.184, turns=3), at=1250.0
    )

    card = job_card(job, replace(AT_WORK, files_written=1))

    assert card.text.splitlines() == [
        "✅ **fibonacci** · completed after 4 minutes, <t:1250:R>",
        "> Write a script that prints Fibonacci numbers",
        "`8d08ba4f` · 3 turns · wrote `src/fib.py` · 12k tokens in (12k cached), 1.5k out · $0.18",
    ]
    assert [button.action for button in card.buttons] == [
        ButtonAction(verb="files", subject="8d08ba4f"),
        ButtonAction(verb="log", subject="8d08ba4f"),
    ]


def test_an_interrupted_job_can_be_resumed_and_its_card_says_why_it_goes_on() -> None:
    lost = Outcome(status=JobStatus.INTERRUPTED, cost_usd=0.184, cost_is_partial=True)
    stopped = JOB.started(at=1010.0).settled(lost, at=1250.0)
    resumed = stopped.resumed(ResumeReason.BOT_AWAY)

    card, next_card = job_card(stopped, Progress()), job_card(resumed, Progress())

    assert card.text.splitlines()[2:] == ["`8d08ba4f` · at least $0.18"]
    assert [button.label for button in card.buttons] == ["Resume", "Files", "Log"]
    assert next_card.text.splitlines()[-1] == (
        "🔁 Run 2: it goes on where it had to stop, as Papercup was away for too long."
    )
    assert [button.label for button in next_card.buttons] == ["Cancel"]


def test_without_a_jail_the_card_warns() -> None:
    card = job_card(replace(JOB, jail="none"), Progress())

    assert card.text.endswith("⚠️ It runs without a jail, so it has no Bash.")


def test_what_a_job_calls_its_files_formats_nothing_and_mentions_nobody() -> None:
    nasty = "`**@everyone** [x](https://e.example)\n# big"
    progress = Progress(
        message=nasty, tools=(ToolUse(nasty, nasty),), files_written=1, newest_file=nasty
    )

    text = job_card(JOB.started(at=1010.0), progress).text

    assert "@everyone" not in text
    assert "\n# big" not in text
    assert text.replace("\\`", "").count("`") % 2 == 0
    assert len(text.splitlines()) == 5


@pytest.mark.parametrize(
    ("fraction", "bar"),
    [
        (0.0, "▱▱▱▱▱▱ 0 %"),
        (0.5, "▰▰▰▱▱▱ 50 %"),
        (0.999, "▰▰▰▰▰▱ 99 %"),
        (1.0, "▰▰▰▰▰▰ 100 %"),
        (7.0, "▰▰▰▰▰▰ 100 %"),
        (-1.0, "▱▱▱▱▱▱ 0 %"),
        (float("nan"), "▱▱▱▱▱▱ 0 %"),
        (float("inf"), "▰▰▰▰▰▰ 100 %"),
    ],
)
def test_the_bar_is_full_only_when_all_is_done(fraction: float, bar: str) -> None:
    assert progress_bar(fraction) == bar


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        (0, "0 tokens in, 0 out"),
        (999, "999 tokens in, 999 out"),
        (1000, "1.0k tokens in, 1.0k out"),
        (9949, "9.9k tokens in, 9.9k out"),
        (9950, "10k tokens in, 10k out"),
        (999_499, "999k tokens in, 999k out"),
        (999_500, "1.0M tokens in, 1.0M out"),
        (12_300_000, "12M tokens in, 12M out"),
    ],
)
def test_tokens_are_told_as_briefly_as_tells_something(tokens: int, words: str) -> None:
    assert token_words(Usage(input_tokens=tokens, output_tokens=tokens)) == words


_TEXTS = st.text(alphabet=st.sampled_from("a`*_@[]()<>\\|~#- \n\u202e"), max_size=3000)
_JOBS = [
    JOB,
    replace(JOB.started(at=1e9), run_number=9, resumed_because=ResumeReason.ADDRESS_LOST),
    JOB.started(at=1e9).settled(
        Outcome(
            status=JobStatus.INTERRUPTED, turns=10**6, cost_usd=12_345.67, cost_is_partial=True
        ),
        at=2e9,
    ),
]


@given(text=_TEXTS, fraction=st.none() | st.floats())
def test_whatever_a_job_says_its_card_is_no_longer_than_promised(
    text: str, fraction: float | None
) -> None:
    progress = Progress(
        turns=10**6,
        message=text,
        fraction=fraction,
        tools=(ToolUse(text, text),) * 4,
        files_written=1000,
        newest_file=text,
        usage=Usage(input_tokens=10**9, output_tokens=10**9, cache_read_tokens=10**9),
        cost_usd=12_345.67,
    )
    for each in _JOBS:
        long = replace(each, name=text, task=text, jail="none")
        assert len(job_card(long, progress).text) <= 1400
