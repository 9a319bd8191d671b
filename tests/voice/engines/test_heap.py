import numpy as np

from voice.engines.heap import tidy_heap


def test_what_is_in_use_survives_that_the_heap_is_tidied() -> None:
    audio = np.arange(500_000, dtype=np.float32)

    tidy_heap()

    assert float(audio.sum(dtype=np.float64)) == 499_999 * 500_000 / 2
