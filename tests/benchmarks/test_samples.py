import pytest

from benchmarks.rows import Row, Target
from benchmarks.samples import Samples


def test_of_many_times_the_median_and_the_95th_percentile_are_told() -> None:
    samples = Samples([number / 2 for number in range(100, 0, -1)])

    assert samples.rows("call", against="by hand", limit_ms=60_000) == [
        Row(
            name="call, median",
            value=25250.0,
            unit="ms",
            target=Target("≤", 60_000),
            against="n = 100; by hand",
        ),
        Row(name="call, p95", value=47500.0, unit="ms", against="n = 100"),
    ]


def test_of_few_times_the_95th_percentile_is_the_longest() -> None:
    assert Samples([0.3, 0.1, 0.2]).p95 == 0.3
    assert Samples([0.1]).p95 == 0.1


def test_what_was_never_measured_has_no_samples() -> None:
    with pytest.raises(ValueError, match="nothing was measured"):
        Samples([])
