from hypothesis import given
from hypothesis import strategies as st

from bot.discord_io.session_starts import DAY_SECONDS, SessionPace, SessionStarts

NOW = 1_000_000.0
SLOW = SessionPace(free_starts=3, spacing_seconds=60.0, scarce_starts=10)


def test_a_few_sessions_a_day_are_not_slowed_down() -> None:
    starts = SessionStarts([NOW - 2, NOW - 1], SLOW)
    assert starts.wait_seconds(now=NOW) == 0


def test_many_sessions_a_day_are_spaced() -> None:
    starts = SessionStarts([NOW - 30, NOW - 20, NOW - 10], SLOW)
    assert starts.wait_seconds(now=NOW) == 50
    assert starts.wait_seconds(now=NOW + 50) == 0


def test_what_is_a_day_old_does_not_count() -> None:
    starts = SessionStarts([NOW - DAY_SECONDS, NOW - 20, NOW - 10], SLOW)
    assert starts.wait_seconds(now=NOW) == 0


def test_a_clock_that_was_set_back_locks_nobody_out() -> None:
    starts = SessionStarts([NOW + 1e6] * 5, SLOW)
    assert starts.wait_seconds(now=NOW) == 0


def test_nothing_is_started_when_discord_has_none_left() -> None:
    starts = SessionStarts(pace=SLOW)
    starts.learn(0, resets_at=NOW + 500)
    assert starts.wait_seconds(now=NOW) == 500
    assert starts.wait_seconds(now=NOW + 500) == 0


def test_the_few_that_are_left_are_spread_until_the_count_begins_anew() -> None:
    starts = SessionStarts([NOW - 40], SLOW)
    starts.learn(5, resets_at=NOW + 500)
    assert starts.wait_seconds(now=NOW) == 60
    starts.count(now=NOW + 60)
    # One less is left: 440 seconds for four.
    assert starts.wait_seconds(now=NOW + 60) == 110


def test_a_first_start_with_few_left_is_not_held_up() -> None:
    starts = SessionStarts(pace=SLOW)
    starts.learn(1, resets_at=NOW + 500)
    assert starts.wait_seconds(now=NOW) == 0


@given(st.lists(st.floats(min_value=0, max_value=600), max_size=1500))
def test_no_day_has_more_than_discord_allows_however_often_one_is_wanted(
    pauses: list[float],
) -> None:
    starts, now, started = SessionStarts(), NOW, list[float]()
    for pause in pauses or [0.0] * 1500:
        now += pause + starts.wait_seconds(now=now + pause)
        starts.count(now=now)
        started.append(now)
    busiest = max(
        sum(1 for other in started if one <= other < one + DAY_SECONDS) for one in started[:50]
    )
    assert busiest <= 100 + DAY_SECONDS / 120 + 1
