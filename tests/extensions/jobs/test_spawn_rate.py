import pytest

from extensions.errors import LocalProtocolError, SpawnRateError
from extensions.jobs.spawn_rate import SpawnRate

UWE, UTE = 7, 8


def counted(rate: SpawnRate, person_id: int, *times: float) -> list[int | None]:
    """Return for each start how long to wait; `None` where it was let through."""
    waits: list[int | None] = []
    for at_seconds in times:
        try:
            rate.count(person_id, at_seconds=at_seconds)
        except SpawnRateError as error:
            waits.append(error.wait_seconds)
        else:
            waits.append(None)
    return waits


def test_more_than_the_limit_within_a_minute_is_refused_until_the_first_is_a_minute_old() -> None:
    starts = [100.0, 110.0, 120.0, 159.5, 160.0, 161.0, 170.0]
    assert counted(SpawnRate(2), UWE, *starts) == [None, None, 40, 1, None, 9, None]


def test_what_is_refused_does_not_count() -> None:
    starts = [0.0, *(float(second) for second in range(1, 60)), 60.0]
    assert counted(SpawnRate(1), UWE, *starts)[-1] is None


def test_each_person_has_a_count_of_their_own() -> None:
    rate = SpawnRate(1)
    assert counted(rate, UWE, 1.0, 2.0) == [None, 59]
    assert counted(rate, UTE, 2.0) == [None]


def test_a_clock_that_is_set_back_locks_nobody_out() -> None:
    assert counted(SpawnRate(1), UWE, 5000.0, 100.0) == [None, None]


def test_a_clock_that_jumps_ahead_frees_everybody() -> None:
    assert counted(SpawnRate(1), UWE, 100.0, 5000.0) == [None, None]


@pytest.mark.parametrize(
    ("limit", "wait", "sentence"),
    [(5, 23, "5 jobs within a minute"), (1, 1, "one job within a minute")],
)
def test_the_refusal_says_when_to_try_again(limit: int, wait: int, sentence: str) -> None:
    said = str(SpawnRateError(limit, wait))
    assert sentence in said
    assert f"in {wait} second" in said


def test_a_rate_that_lets_nothing_through_is_a_mistake() -> None:
    with pytest.raises(LocalProtocolError):
        SpawnRate(0)
