import math

import pytest

from bot.speaker.cost_counts import CostCounts
from extensions.claude.events import TurnEnded
from extensions.claude.usage import Usage


def ended(cost_usd: float, turn_cost_usd: float | None = None, *, session: str = "s") -> TurnEnded:
    return TurnEnded(
        text="",
        is_error=False,
        subtype="success",
        terminal_reason="completed",
        api_error_status=None,
        turns=1,
        cost_usd=cost_usd,
        turn_cost_usd=turn_cost_usd,
        usage=Usage(),
        refused_actions=(),
        queued_turns=0,
        errors=(),
        claude_session_id=session,
        duration_seconds=0.1,
    )


def test_what_the_command_tells_of_a_turn_counts() -> None:
    costs = CostCounts()
    assert costs.cost_usd(ended(5.0, 0.5), was_resumed=True) == 0.5
    # After it was killed, the count goes on from what it was earlier.
    assert costs.cost_usd(ended(4.5, 0.25), was_resumed=True) == 0.25


def test_of_a_command_that_tells_only_the_sum_its_growth_counts() -> None:
    costs = CostCounts()
    turns = [costs.cost_usd(ended(cost), was_resumed=False) for cost in (0.5, 0.75)]
    resumed = costs.cost_usd(ended(1.0), was_resumed=True)
    assert [*turns, resumed] == [0.5, 0.25, 0.25]


def test_what_a_session_cost_before_is_not_charged_again() -> None:
    costs = CostCounts()
    assert costs.cost_usd(ended(5.0), was_resumed=True) == 0.0
    assert costs.cost_usd(ended(5.5), was_resumed=True) == 0.5


def test_a_count_that_went_back_is_no_income() -> None:
    costs = CostCounts()
    costs.cost_usd(ended(5.0), was_resumed=False)
    assert costs.cost_usd(ended(0.5), was_resumed=True) == 0.0
    assert costs.cost_usd(ended(0.75), was_resumed=True) == 0.25


def test_each_session_has_a_count_of_its_own() -> None:
    costs = CostCounts()
    costs.cost_usd(ended(5.0), was_resumed=False)
    assert costs.cost_usd(ended(0.5, session="other"), was_resumed=False) == 0.5


@pytest.mark.parametrize("odd", [math.nan, math.inf, -1.0])
def test_what_cannot_be_a_cost_is_none(odd: float) -> None:
    assert CostCounts().cost_usd(ended(odd, odd), was_resumed=False) == 0.0
    assert CostCounts().cost_usd(ended(odd), was_resumed=False) == 0.0
