import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.engines.loops import without_loops


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("", ""),
        ("It was the best of times.", "It was the best of times."),
        ("no, no, no, no", "no, no, no, no"),
        ("no no no no no no", "no no"),
        ("Stop it. Stop it.", "Stop it. Stop it."),
        ("Stop it. stop it, stop it!", "Stop it."),
        ("We go to heaven, we go to heaven, we go to heaven, we", "We go to heaven, we"),
        ("In short, a b c a b c a b c and so on", "In short, a b c and so on"),
    ],
)
def test_what_is_repeated_too_often_stands_once(said: str, kept: str) -> None:
    assert without_loops(said) == kept


@given(st.lists(st.sampled_from("abc"), max_size=40))
def test_only_words_are_left_out_and_none_is_added(words: list[str]) -> None:
    kept = without_loops(" ".join(words)).split()
    rest = iter(words)
    assert all(word in rest for word in kept)


@given(st.lists(st.integers(), unique=True, max_size=30))
def test_without_repetition_nothing_changes(words: list[int]) -> None:
    said = " ".join(map(str, words))
    assert without_loops(said) == said
