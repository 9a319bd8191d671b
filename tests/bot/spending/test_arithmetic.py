import math
import time
from collections.abc import Generator
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.spending.arithmetic import EndedRun, cost_since, midnight_before

SINCE = 1000.0


def run(job_id: str, ended_at: float, cost_usd: float) -> EndedRun:
    return EndedRun(job_id=job_id, ended_at=ended_at, cost_usd=cost_usd)


@pytest.fixture
def in_berlin(monkeypatch: pytest.MonkeyPatch) -> Generator[ZoneInfo, None, None]:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Europe/Berlin")
        time.tzset()
        yield ZoneInfo("Europe/Berlin")
    time.tzset()


def test_without_runs_nothing_was_spent() -> None:
    assert cost_since([], SINCE) == 0.0


def test_a_job_that_began_and_ended_today_counts_whole() -> None:
    assert cost_since([run("a", 1001.0, 0.5)], SINCE) == 0.5


def test_of_a_job_from_yesterday_only_what_its_runs_of_today_added_counts() -> None:
    runs = [run("a", 900.0, 0.5), run("a", 1001.0, 0.7), run("a", 1002.0, 1.0)]
    assert cost_since(runs, SINCE) == 0.5


def test_jobs_are_added_up() -> None:
    runs = [run("a", 900.0, 0.5), run("a", 1001.0, 0.75), run("b", 1002.0, 1.0)]
    assert cost_since(runs, SINCE) == 1.25


@pytest.mark.parametrize("odd", [math.nan, math.inf, -1.0])
def test_what_cannot_be_a_cost_is_left_out(odd: float) -> None:
    assert cost_since([run("a", 1001.0, odd), run("b", 1001.0, 0.5)], SINCE) == 0.5


@given(
    st.lists(
        st.builds(
            EndedRun,
            job_id=st.sampled_from("abc"),
            ended_at=st.floats(0, 2000),
            cost_usd=st.floats(-1e9, 1e9) | st.sampled_from([math.nan, math.inf]),
        )
    )
)
def test_what_was_spent_is_never_negative_nor_nonsense(runs: list[EndedRun]) -> None:
    spent = cost_since(runs, SINCE)
    assert math.isfinite(spent)
    assert spent >= 0


@pytest.mark.parametrize("hour", [0, 1, 3, 12, 23])
@pytest.mark.parametrize("day", [(2026, 3, 29), (2026, 10, 25), (2026, 6, 1)])
def test_the_day_begins_at_midnight_on_days_of_any_length(
    in_berlin: ZoneInfo, day: tuple[int, int, int], hour: int
) -> None:
    now = datetime(*day, hour, 30, tzinfo=in_berlin).timestamp()
    midnight = datetime(*day, tzinfo=in_berlin).timestamp()
    assert midnight_before(now) == midnight
