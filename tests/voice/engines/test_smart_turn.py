import numpy as np
import pytest

from tests.fakes.real_models import real_models, two_cities
from voice.samples import HEARING_RATE

PAUSE = np.zeros(HEARING_RATE // 5, np.float32)


@pytest.mark.parametrize(
    ("from_seconds", "to_seconds", "is_over"),
    [
        (1.0, 3.0, True),  # It was the best of times
        (1.0, 3.5, False),  # It was the best of times, it was
        (1.0, 4.7, True),
        (17.2, 19.4, False),  # It was the spring of hope, it was the
        (21.0, 23.0, False),  # We had everything before us, we had
        (21.0, 24.3, True),
    ],
)
def test_a_whole_sentence_sounds_over_and_half_of_one_does_not(
    from_seconds: float, to_seconds: float, *, is_over: bool
) -> None:
    said = two_cities()[int(from_seconds * HEARING_RATE) : int(to_seconds * HEARING_RATE)]

    probability = real_models().end_of_turn.probability(np.concatenate([said, PAUSE]))

    assert (probability >= 0.5) is is_over


def test_any_length_can_be_judged() -> None:
    for samples in (0, 1, 160, 8 * HEARING_RATE, 20 * HEARING_RATE):
        assert 0 <= real_models().end_of_turn.probability(two_cities()[:samples]) <= 1
