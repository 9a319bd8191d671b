from hypothesis import given
from hypothesis import strategies as st

from bot.speaker.thoughts import Thoughts


def pieces_of(text: str, *, at_once: int) -> list[str]:
    thoughts = Thoughts()
    pieces = [thoughts.add(text[at : at + at_once]) for at in range(0, len(text), at_once)]
    return [piece for piece in [*pieces, thoughts.rest()] if piece is not None]


def test_a_thought_comes_in_sentences_of_some_length() -> None:
    text = "Hm. The person wants a picture of a cat that sleeps. I have none. So I say so."

    assert pieces_of(text, at_once=1) == [
        "Hm. The person wants a picture of a cat that sleeps.",
        " I have none. So I say so.",
    ]


def test_a_thought_without_an_end_comes_all_the_same() -> None:
    assert [len(piece) for piece in pieces_of("x" * 900, at_once=10)] == [400, 400, 100]


def test_an_empty_thought_is_none() -> None:
    assert pieces_of("  ", at_once=1) == []


@given(st.text(alphabet="ab. \n", max_size=2000), st.integers(1, 50))
def test_nothing_of_a_thought_is_lost_or_told_twice(text: str, at_once: int) -> None:
    assert "".join(pieces_of(text, at_once=at_once)).rstrip() == text.rstrip()
