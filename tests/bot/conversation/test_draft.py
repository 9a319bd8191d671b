from bot.conversation.draft import NOTHING_SAID, Draft
from bot.speaker.speaker import (
    Answered,
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


def draft_of(*events: SpeakerEvent) -> Draft:
    draft = Draft()
    for event in events:
        draft.add(event)
    return draft


def test_pieces_of_text_are_put_together_and_what_follows_a_tool_is_a_new_paragraph() -> None:
    draft = draft_of(
        TextCame("On "), TextCame("it."), ParagraphEnded(), ToolUsed("spawn"), TextCame("Started.")
    )

    assert (draft.text, draft.is_whole) == ("On it.\n\nStarted.", False)


def test_a_whole_paragraph_counts_for_more_than_the_pieces_that_came() -> None:
    twice = draft_of(
        TextCame("No, it "), TextCame("No, it failed."), ParagraphEnded("No, it failed.")
    )
    in_part = draft_of(TextCame("No, it"), ParagraphDropped(), ParagraphEnded("No, it failed."))

    assert (twice.text, in_part.text) == ("No, it failed.", "No, it failed.")


def test_a_failure_stands_below_what_was_said_and_ends_the_answer() -> None:
    draft = draft_of(TextCame("I think"), Failed("The model is overloaded."))

    assert (draft.text, draft.is_whole) == ("I think\n\n⚠️ The model is overloaded.", True)


def test_the_same_warning_is_shown_once() -> None:
    draft = draft_of(Warned("No tools."), Warned("No tools."), TextCame("Hi"), Answered())

    assert draft.text == "Hi\n\n⚠️ No tools."


def test_an_answer_without_words_says_so() -> None:
    assert draft_of(Answered()).text == NOTHING_SAID


def test_it_thinks_from_the_use_of_a_tool_until_it_says_more() -> None:
    assert draft_of(TextCame("Let me look."), ToolUsed("Read")).is_thinking
    assert not draft_of(ToolUsed("Read"), TextCame("It")).is_thinking
    assert not draft_of(ToolUsed("Read"), Answered()).is_thinking


def test_what_it_thinks_and_what_tools_give_back_is_not_said_but_it_goes_on_thinking() -> None:
    thinking = draft_of(TextCame("One."), ToolUsed("Read"), ToolFinished("Read"), Thought("Hm"))
    assert (thinking.text, thinking.is_thinking) == ("One.", True)


def test_what_a_turn_costs_changes_nothing() -> None:
    assert draft_of(ToolUsed("Read"), Spent(0.1)).is_thinking
    assert not draft_of(TextCame("One."), Spent(0.1)).is_thinking
    assert draft_of(TextCame("One"), Spent(0.1), TextCame(" two.")).text == "One two."
