"""Whether something grows: a trend over looks that were taken one after another. Pure."""

from collections.abc import Sequence
from statistics import median


def slope(times: Sequence[float], values: Sequence[float]) -> float:
    """Return by how much `values` grow in a second: the median over all pairs (Theil and Sen).

    One look that happened to be at a bad moment does not change it.
    """
    pairs = [
        (values[later] - values[earlier]) / (times[later] - times[earlier])
        for earlier in range(len(times))
        for later in range(earlier + 1, len(times))
    ]
    return median(pairs) if pairs else 0.0
