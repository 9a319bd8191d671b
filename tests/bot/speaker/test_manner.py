from bot.speaker.manner import SPOKEN_PROMPT, WRITTEN_PROMPT, Manner, Usual, manner_of
from bot.speaker.speaker import Knobs


def manner(knobs: Knobs) -> Manner:
    return manner_of(knobs, Usual(mcp={}, environment={}), refusal_of=lambda _: None)


def test_on_a_line_it_is_told_to_answer_as_on_the_phone() -> None:
    assert manner(Knobs()).prompt == WRITTEN_PROMPT
    assert manner(Knobs(is_spoken=True)).prompt == SPOKEN_PROMPT


def test_on_a_line_it_works_with_the_same_tools_as_in_writing() -> None:
    assert manner(Knobs(is_spoken=True)).tools == manner(Knobs()).tools
