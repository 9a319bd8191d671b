import pytest

from benchmarks.text.many_jobs import p99


@pytest.mark.parametrize(
    ("values", "expected"),
    [([3.0], 3.0), ([float(n) for n in range(1, 101)], 99.0), ([1.0] * 198 + [9.0] * 2, 1.0)],
)
def test_99_of_100_do_not_exceed_the_p99(values: list[float], expected: float) -> None:
    assert p99(values) == expected
