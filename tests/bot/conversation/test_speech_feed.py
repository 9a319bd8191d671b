"""What of an answer is spoken, and when."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.conversation.speech_feed import SpeechFeed
from bot.speaker.speaker import (
    Answered,
    Delayed,
    Failed,
    ParagraphDropped,
    ParagraphEnded,
    SpeakerEvent,
    Spent,
    TextCame,
    Thought,
    ToolFinished,
    ToolUsed,
    Warned,
)


def spoken(*events: SpeakerEvent) -> list[str]:
    feed = SpeechFeed()
    return [piece for event in events if (piece := feed.add(event))]


def test_text_is_spoken_as_it_comes_and_thoughts_are_not() -> None:
    events: tuple[SpeakerEvent, ...] = (
        Thought("hm"),
        TextCame("I am "),
        TextCame("well."),
        Spent(0.1),
        Warned("odd"),
        ToolFinished("Read"),
        Answered(),
    )
    assert spoken(*events) == ["I am ", "well."]


def test_what_is_said_before_a_tool_is_spoken_while_it_works() -> None:
    events = (ToolUsed("Read"), TextCame("Let me look."), ToolUsed("Read"), ToolUsed("Grep"))
    assert spoken(*events, TextCame("Done.")) == ["Let me look.", "\n\n", "Done."]


@pytest.mark.parametrize(
    ("pieces", "whole", "said"),
    [
        (("One", " two"), "One two three.", "One two three.\n\n"),
        ((), "All at once.", "All at once.\n\n"),
        (("One two.", "One two."), "One two.", "One two.One two.\n\n"),
        (("One two.",), None, "One two.\n\n"),
        ((), None, ""),
    ],
)
def test_a_paragraph_is_spoken_to_its_end(
    pieces: tuple[str, ...], whole: str | None, said: str
) -> None:
    assert "".join(spoken(*map(TextCame, pieces), ParagraphEnded(whole))) == said


@pytest.mark.parametrize(
    ("before", "again", "said"),
    [
        ("I will", ("I will", " look."), "I will look."),
        ("I will", ("I wi", "ll look."), "I will look."),
        ("I will look.", ("I will check.",), "I will look. check."),
        ("I will", ("Now", " then."), "I will Now then."),
        ("", ("Hello.",), "Hello."),
    ],
)
def test_what_is_said_anew_is_not_spoken_twice(
    before: str, again: tuple[str, ...], said: str
) -> None:
    events: tuple[SpeakerEvent, ...] = (TextCame(before), ParagraphDropped(), *map(TextCame, again))
    assert "".join(spoken(*events)) == said


def test_a_paragraph_that_is_said_anew_and_ends_at_once_is_spoken_to_its_end() -> None:
    events = (TextCame("I will"), ParagraphDropped(), ParagraphEnded("I will look."))
    assert "".join(spoken(*events)) == "I will look.\n\n"


def test_why_there_is_no_answer_is_spoken() -> None:
    assert spoken(TextCame("Well"), Failed("Cancelled.")) == ["Well", "\n\nCancelled."]
    assert spoken(Failed("I could not start.")) == ["I could not start."]


def test_that_it_takes_a_while_is_spoken_once() -> None:
    busy = Delayed("I am busy.")
    assert spoken(busy, busy, TextCame("Now.")) == ["I am busy.\n\n", "Now."]


@given(st.lists(st.text(), max_size=20))
def test_all_text_is_spoken_however_it_is_cut(pieces: list[str]) -> None:
    assert "".join(spoken(*map(TextCame, pieces))) == "".join(pieces)


@given(st.text(), st.lists(st.text(min_size=1), max_size=5))
def test_whatever_is_said_anew_its_end_is_spoken(before: str, again: list[str]) -> None:
    text = "".join(again)
    said = "".join(spoken(TextCame(before), ParagraphDropped(), *map(TextCame, again)))
    assert said.startswith(before)
    last_word = text.rpartition(" ")[2]
    assert before.startswith(text) or said.endswith(last_word)
