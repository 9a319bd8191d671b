from dataclasses import replace

import pytest

from extensions.jobs.costs import EarlierRuns, over_all_runs
from extensions.jobs.job import JobStatus, Outcome

DONE = Outcome(status=JobStatus.COMPLETED, summary="done", cost_usd=0.5, turns=3)
EARLIER = EarlierRuns(cost_usd=0.2, cost_is_partial=False, turns=4, count_goes_on=True)


def test_a_count_that_goes_on_holds_the_earlier_runs_already() -> None:
    assert over_all_runs(DONE, EARLIER) == replace(DONE, cost_usd=0.5, turns=7)


def test_a_count_that_starts_anew_is_added_to_the_earlier_runs() -> None:
    outcome = over_all_runs(DONE, replace(EARLIER, count_goes_on=False))

    assert outcome.cost_usd == pytest.approx(0.7)
    assert not outcome.cost_is_partial


def test_a_count_that_has_become_lower_did_not_go_on() -> None:
    outcome = over_all_runs(replace(DONE, cost_usd=0.1), EARLIER)

    assert outcome.cost_usd == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("cost_usd", "earlier_usd", "total_usd"),
    [(None, 0.2, 0.2), (0.5, None, 0.5), (None, None, None)],
)
def test_what_no_run_said_makes_the_cost_a_part_of_it(
    cost_usd: float | None, earlier_usd: float | None, total_usd: float | None
) -> None:
    outcome = over_all_runs(
        replace(DONE, cost_usd=cost_usd), replace(EARLIER, cost_usd=earlier_usd)
    )

    assert (outcome.cost_usd, outcome.cost_is_partial) == (total_usd, True)


def test_what_was_a_part_once_stays_one() -> None:
    assert over_all_runs(DONE, replace(EARLIER, cost_is_partial=True)).cost_is_partial


def test_turns_are_counted_as_far_as_they_are_known() -> None:
    assert over_all_runs(replace(DONE, turns=None), EARLIER).turns == 4
    assert over_all_runs(DONE, replace(EARLIER, turns=None)).turns == 3
    assert over_all_runs(replace(DONE, turns=None), replace(EARLIER, turns=None)).turns is None
