"""What a job cost over all of its runs. Pure."""

from dataclasses import dataclass, replace

from extensions.jobs.job import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierRuns:
    """What the runs of a job before its newest one came to."""

    cost_usd: float | None
    """Of all of them; `None` if none said."""
    cost_is_partial: bool
    """Whether they cost more than that."""
    turns: int | None
    count_goes_on: bool
    """Whether the count of the newest one holds theirs, too."""


def over_all_runs(outcome: Outcome, earlier: EarlierRuns) -> Outcome:
    """Return the outcome of a job's newest run with the cost and the turns of all of its runs."""
    turns = [count for count in (earlier.turns, outcome.turns) if count is not None]
    is_known = outcome.cost_usd is not None and earlier.cost_usd is not None
    return replace(
        outcome,
        cost_usd=_total(outcome.cost_usd, earlier),
        cost_is_partial=earlier.cost_is_partial or outcome.cost_is_partial or not is_known,
        turns=sum(turns) if turns else None,
    )


def _total(cost_usd: float | None, earlier: EarlierRuns) -> float | None:
    if cost_usd is None or earlier.cost_usd is None:
        return earlier.cost_usd if cost_usd is None else cost_usd
    # A count that is lower than before did not go on after all.
    if earlier.count_goes_on and cost_usd >= earlier.cost_usd:
        return cost_usd
    return earlier.cost_usd + cost_usd
