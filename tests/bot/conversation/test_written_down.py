"""Which spoken answers are also written."""

import pytest

from bot.conversation.written_down import LONGEST_SPOKEN, is_written_down
from voice.events import Heard

HEARD = Heard(text="x", is_whole=True)
CUT = Heard(text="x", is_whole=False, interrupted_by=7)
UNHEARD = Heard(text="x", is_whole=False)


@pytest.mark.parametrize(
    ("text", "is_written"),
    [
        ("It works now.", False),
        ("It costs 3 - 4 dollars. 5. That is all.", False),
        ("Run this:\n```sh\nmake\n```", True),
        ("See https://example.org/a.", True),
        ("See [the page](page.html).", True),
        ("| a | b |\n|---|---|\n| 1 | 2 |", True),
        ("Two things:\n- one\n- two", True),
        ("Two things:\n1. one\n2. two", True),
        ("a" * LONGEST_SPOKEN, False),
        ("a" * (LONGEST_SPOKEN + 1), True),
    ],
)
def test_what_cannot_be_said_or_remembered_is_written(text: str, *, is_written: bool) -> None:
    assert is_written_down(text, HEARD, came_late=False, is_warned=False) is is_written


def test_what_nobody_could_hear_is_written_and_what_was_interrupted_is_not() -> None:
    assert is_written_down("Hello.", UNHEARD, came_late=False, is_warned=False)
    assert not is_written_down("Hello.", CUT, came_late=False, is_warned=False)


def test_what_came_after_the_interruption_is_written() -> None:
    text = "Hello. The build passed."
    assert is_written_down(text, CUT, came_late=True, is_warned=False)


def test_a_warning_is_written() -> None:
    assert is_written_down("Hello.", HEARD, came_late=False, is_warned=True)
