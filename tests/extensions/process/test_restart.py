import pytest

from extensions.process.restart import RestartOptions, Restarts

OPTIONS = RestartOptions(most_restarts=5, window_seconds=60.0, first_wait_seconds=0.1)


def after(times: list[float], options: RestartOptions = OPTIONS, *, well: float = 0.0) -> Restarts:
    restarts = Restarts()
    for at in times:
        restarts = restarts.ended(options, at=at, well_for_seconds=well)
    return restarts


def test_a_program_is_given_up_at_the_sixth_end_within_the_window() -> None:
    assert not after([0, 1, 2, 3, 4]).is_given_up(OPTIONS)
    assert after([0, 1, 2, 3, 4, 5]).is_given_up(OPTIONS)


def test_the_window_slides_with_the_last_end() -> None:
    # Five lie within any minute, though there are ten in all.
    assert not after([0, 10, 20, 30, 40, 60, 70, 80, 90, 100]).is_given_up(OPTIONS)
    assert after([0, 10, 20, 30, 40, 59.9]).is_given_up(OPTIONS)


@pytest.mark.parametrize(
    ("ends", "wait"), [(1, 0.1), (2, 0.2), (3, 0.4), (4, 0.8), (9, 16.0), (1000, 16.0)]
)
def test_each_wait_in_a_row_is_twice_as_long_up_to_a_limit(ends: int, wait: float) -> None:
    restarts = after([number * 100.0 for number in range(ends)])

    assert restarts.wait_seconds(OPTIONS, chance=0.5) == pytest.approx(wait)


def test_a_wait_is_a_fifth_shorter_or_longer_by_chance() -> None:
    restarts = after([0.0])

    assert restarts.wait_seconds(OPTIONS, chance=0.0) == pytest.approx(0.08)
    assert restarts.wait_seconds(OPTIONS, chance=1.0) == pytest.approx(0.12)


def test_a_program_that_was_well_for_long_waits_as_if_it_had_never_ended() -> None:
    restarts = after([0, 1, 2]).ended(OPTIONS, at=100, well_for_seconds=60.0)

    assert restarts.in_a_row == 1
    assert restarts.wait_seconds(OPTIONS, chance=0.5) == pytest.approx(0.1)


def test_health_between_the_ends_does_not_hide_that_they_are_many() -> None:
    options = RestartOptions(most_restarts=2, window_seconds=300.0, healthy_seconds=60.0)

    assert after([0, 61, 122], options, well=61.0).is_given_up(options)
