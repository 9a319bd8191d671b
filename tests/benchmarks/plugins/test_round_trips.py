import pytest

from benchmarks.plugins.loads import Contender, Load, best_rates
from benchmarks.plugins.round_trips import contenders, loads, rows_of

ONE = Load(name="one", seconds=0.01)
SOME = Load(name="some", in_flight=8, seconds=0.01)
LARGE = Load(name="large", text_bytes=200_000, seconds=0.01)


class Scripted:
    """A contender that is faster or slower each time."""

    def __init__(self, name: str, *rates: float) -> None:
        self.name = name
        self._rates = list(rates)

    def rates(self, loads: object) -> dict[str, float]:
        del loads
        return {"one": self._rates.pop(0)}


@pytest.mark.parametrize("contender", contenders(), ids=lambda each: each.name)
def test_each_contender_carries_every_load_that_it_can(contender: Contender) -> None:
    rates = contender.rates([ONE, SOME, LARGE])

    expected = {"one", "some", "large"}
    if contender.name == "raw pipe echo":
        expected -= {"some"}
    if contender.name == "smooth-operator-core":
        expected -= {"large"}
    assert set(rates) == expected
    assert all(rate > 0 for rate in rates.values())


def test_the_best_of_the_rounds_counts() -> None:
    fast, slow = Scripted("fast", 10, 30, 20), Scripted("slow", 3, 1, 2)

    assert best_rates([fast, slow], [ONE], 3) == {"fast": {"one": 30}, "slow": {"one": 3}}


def test_the_rows_hold_ours_against_the_others() -> None:
    names = [contender.name for contender in contenders()]
    rates = {
        name: {load.name: 100.0 * number for load in loads(1)}
        for number, name in enumerate(names, start=1)
    }
    del rates["smooth-operator-core"]["1 MB, 1 in flight"]
    rows = rows_of(rates)

    assert [(row.value, str(row.target), row.ok) for row in rows[:3]] == [
        (3.0, "≥ 0.45", True),
        (2.0, "≥ 0.8", True),
        (pytest.approx(1 / 3), "≥ 2", False),
    ]
    (unable,) = [row for row in rows if row.value == 0]
    assert (unable.name, unable.against) == (
        "1 MB, 1 in flight: smooth-operator-core",
        "it cannot: a line of more than 64 KiB ends its connection",
    )
