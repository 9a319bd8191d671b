import pytest

from simulator.demo.wording import letters_of, share_wrong, sounds_like


@pytest.mark.parametrize(
    ("meant", "heard"),
    [
        ("Hi, this is Papercup.", "hi this is paper cup"),
        ("It printed fifteen numbers.", "It printed 15 numbers."),
        ("Want the rundown?", "Want the run down"),
        ("A **book** in the *library*", "A book in the library."),
        ("One, two, three.", "1 2 3"),
    ],
)
def test_what_sounds_the_same_is_the_same(meant: str, heard: str) -> None:
    assert share_wrong(meant, heard) == 0


def test_a_word_that_is_left_out_counts_with_all_its_letters() -> None:
    assert letters_of("The soup is hot") == "thesoupishot"
    assert share_wrong("The soup is hot", "The soup is") == 3 / 12


def test_a_word_too_much_counts_as_well() -> None:
    assert share_wrong("hot soup", "hot hot soup") == 3 / 7


def test_of_nothing_nothing_can_be_heard() -> None:
    assert share_wrong("", "") == 0
    assert share_wrong("", "you") == 1


def test_small_errors_of_a_listener_are_forgiven() -> None:
    meant = "Heads up — fibonacci just finished. Want the rundown?"

    assert sounds_like(meant, "Heads up, fibonacci just finished. Want to run down?")
    assert not sounds_like(meant, "Heads up, that is finished.")
    assert not sounds_like(meant, "")
