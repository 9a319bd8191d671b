"""How long is waited for somebody who may go on."""

import pytest

from voice.patience import Patience, PatienceOptions


@pytest.fixture
def patience() -> Patience:
    return Patience(PatienceOptions())


def test_at_first_it_lies_between_the_bounds(patience: Patience) -> None:
    assert patience.seconds == pytest.approx(0.8)


def test_it_grows_with_somebody_who_pauses_for_long_up_to_its_bound(patience: Patience) -> None:
    patience.went_on(0.9)
    assert patience.seconds == pytest.approx(0.8875)
    for _ in range(5):
        patience.went_on(1.1)
    assert patience.seconds == 0.9


def test_it_shrinks_with_somebody_who_hardly_pauses_down_to_its_bound(patience: Patience) -> None:
    for _ in range(20):
        patience.went_on(0.17)
    assert patience.seconds == 0.7


def test_a_pause_to_think_of_something_else_teaches_nothing(patience: Patience) -> None:
    patience.went_on(1.3)
    assert patience.seconds == pytest.approx(0.8)


def test_very_short_pauses_do_not_take_long_to_make_good_again(patience: Patience) -> None:
    for _ in range(100):
        patience.went_on(0.01)
    for _ in range(4):
        patience.went_on(0.9)
    assert patience.seconds > 0.85
