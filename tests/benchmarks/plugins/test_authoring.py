import pytest

from benchmarks.plugins.authoring import WAY, Authoring, measure
from benchmarks.plugins.house import HouseStuckError
from benchmarks.samples import Samples


def test_commands_are_run_one_after_the_other_and_measured() -> None:
    measured = measure(rounds=1, way={name: WAY[name] for name in ("new", "validate")})

    assert list(measured.times) == ["new", "validate"]
    assert all(times.median > 0 for times in measured.times.values())


def test_a_command_that_fails_is_not_measured() -> None:
    with pytest.raises(HouseStuckError, match=r"validate` ended with 1: .*nowhere"):
        measure(rounds=1, way={"validate": ("nowhere",)})


def test_the_rows_tell_the_sum_and_each_command() -> None:
    times = {"new": Samples([1.0, 2.0, 9.0]), "test": Samples([3.0])}
    rows = Authoring(times=times).rows()

    assert [(row.value, row.unit, row.ok) for row in rows] == [
        (5.0, "s", True),
        (2000.0, "ms", True),
        (3000.0, "ms", True),
    ]
