from benchmarks.rows import Row, Target
from benchmarks.voice.conversation import pair


def test_both_percentiles_have_their_limits() -> None:
    rows = pair("wait", [0.1, 0.2, 0.4], limits_ms=(250.0, None), against="by hand")

    assert rows == [
        Row(
            name="wait, p50",
            value=200.0,
            unit="ms",
            target=Target("≤", 250.0),
            against="n = 3; by hand",
        ),
        Row(name="wait, p95", value=400.0, unit="ms", against="n = 3"),
    ]
