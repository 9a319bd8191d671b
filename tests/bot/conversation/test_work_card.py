import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.conversation.session import Streaming
from bot.conversation.work_card import LONGEST_CARD, Work, WorkEnd
from bot.speaker.speaker import (
    Answered,
    ParagraphEnded,
    SpeakerEvent,
    Spent,
    TextCame,
    Thought,
    ToolFinished,
    ToolUsed,
)


def work_of(*events: SpeakerEvent) -> Work:
    work = Work(began_at=100.0)
    for event in events:
        work.add(event)
    return work


def in_short(*events: SpeakerEvent, now: float = 112.5) -> str:
    return work_of(*events).card(Streaming.SUMMARY, now=now).text


def in_full(*events: SpeakerEvent, now: float = 112.5) -> list[str]:
    return work_of(*events).card(Streaming.FULL, now=now).text.split("\n")


def test_a_short_card_is_one_line_with_what_is_done_how_many_tools_and_how_long() -> None:
    used: list[SpeakerEvent] = [
        ToolUsed("Read", "foo.py"),
        ToolFinished("Read"),
        ToolUsed("Edit", "foo.py"),
    ]
    assert in_short(*used) == "🤔 Edit: foo.py · 2 tools · 12 s"
    assert in_short(*used, Thought("Hm.")) == "🤔 Thinking · 2 tools · 12 s"
    assert in_short(*used, TextCame("So")) == "✍️ Writing · 2 tools · 12 s"
    assert in_short(now=100.2) == "🤔 Thinking"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (59.9, "59 s"),
        (60, "1 min 0 s"),
        (185, "3 min 5 s"),
        (3600, "1 h 0 min"),
        (7384, "2 h 3 min"),
    ],
)
def test_the_time_is_in_few_words(seconds: float, words: str) -> None:
    assert in_short(now=100 + seconds) == f"🤔 Thinking · {words}"


def test_a_tool_of_a_server_is_shown_by_its_own_name() -> None:
    assert in_short(ToolUsed("mcp__papercup__spawn_extension")).startswith(
        "🤔 spawn\\_extension · 1 tool"
    )


def test_a_full_card_shows_tools_thoughts_and_that_something_was_said() -> None:
    assert in_full(
        Thought("I had better "),
        Thought("look.\n\nFirst."),
        TextCame("Let me"),
        TextCame(" look."),
        ParagraphEnded("Let me look."),
        ToolUsed("Read", "a.py"),
        Spent(0.01),
        ToolUsed("Read", "a.py"),
        ToolFinished("Read"),
        ToolUsed("Read", "b.py"),
        ToolUsed("Bash", "make"),
        ToolFinished("Bash", is_error=True),
    ) == [
        "🤔 Bash: make · 4 tools · 12 s",
        "> I had better look. First.",
        "✍️ Wrote some of the answer",
        "🔧 Read: a.py ×2",  # noqa: RUF001 - the sign is meant
        "🔧 Read: b.py",
        "❌ Bash: make",
    ]


def test_a_full_card_shows_the_newest_eight_steps() -> None:
    lines = in_full(*(ToolUsed("Read", f"{number}.py") for number in range(100)))
    assert lines[1:] == [f"🔧 Read: {number}.py" for number in range(92, 100)]
    assert lines[0] == "🤔 Read: 99.py · 100 tools · 12 s"


def test_what_models_wrote_formats_nothing_and_mentions_nobody() -> None:
    lines = in_full(ToolUsed("Bash", "**x** @everyone\n# y"), Thought("# Oh <@1> [a](https://b.c)"))
    assert lines[1:] == [
        "🔧 Bash: \\*\\*x\\*\\* @\u200beveryone # y",
        "> \\# Oh \\<@\u200b1> \\[a\\](https://b.c)",
    ]


def test_a_long_thought_is_shortened() -> None:
    (line,) = in_full(Thought("word " * 500))[1:]
    assert line.endswith("word…")
    assert len(line) < 300


def test_how_the_turn_ended_is_one_line() -> None:
    work = work_of(ToolUsed("Read"), ToolUsed("Edit"), Answered())
    assert [work.last_card(end, now=107).text for end in WorkEnd] == [
        "✅ Done · 2 tools · 7 s",
        "🚫 Cancelled · 2 tools · 7 s",
        "⚠️ Failed · 2 tools · 7 s",
    ]


def test_nobody_is_disturbed_by_a_card() -> None:
    work = work_of()
    assert work.card(Streaming.FULL, now=100).is_silent
    assert work.last_card(WorkEnd.DONE, now=100).is_silent


def test_it_tells_whether_a_card_shows_something_new() -> None:
    work = Work(began_at=0)
    events: list[SpeakerEvent] = [
        Thought("Hm"),
        Thought(", well."),
        ToolUsed("Read"),
        ToolFinished("Read"),
        ToolUsed("Bash"),
        ToolFinished("Bash", is_error=True),
        TextCame("So"),
        TextCame(" it is."),
        Spent(0.1),
    ]
    short, full = (Work(began_at=0), Streaming.SUMMARY), (work, Streaming.FULL)
    seen = [[each.add(event, kind) for event in events] for each, kind in (short, full)]
    assert seen == [
        [True, False, True, False, True, False, True, False, False],
        [True, True, True, False, True, True, True, False, False],
    ]


def test_what_only_said_something_is_told_apart() -> None:
    assert work_of(TextCame("So")).is_only_said
    assert not work_of().is_only_said
    assert not work_of(Thought("Hm"), TextCame("So")).is_only_said


_events = st.one_of(
    st.builds(ToolUsed, st.text(max_size=80), st.text(max_size=300)),
    st.builds(ToolFinished, st.text(max_size=80), st.booleans()),
    st.builds(Thought, st.text(max_size=600)),
    st.builds(TextCame, st.text(max_size=50)),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(_events, max_size=30))
def test_a_card_is_never_too_long(events: list[SpeakerEvent]) -> None:
    assert len("\n".join(in_full(*events))) <= LONGEST_CARD
