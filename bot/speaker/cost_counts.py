"""What each turn cost, told from what a `claude` counts. Pure."""

import math

from extensions.claude.events import TurnEnded


class CostCounts:
    """Keeps the last count of each Claude session, so that nothing is charged twice.

    A command that does not tell the cost of a turn tells only that of all turns, which a process
    that resumes a session goes on from, or from what it was some turns earlier. What cannot be
    told for sure then is not charged.
    """

    def __init__(self) -> None:
        self._counts: dict[str, float] = {}

    def cost_usd(self, ended: TurnEnded, *, was_resumed: bool) -> float:
        """Return what a turn cost that has just ended.

        Args:
            ended: Its end.
            was_resumed: Whether its process went on with a session from before.
        """
        unknown = ended.cost_usd if was_resumed else 0.0
        earlier = self._counts.get(ended.claude_session_id, unknown)
        self._counts[ended.claude_session_id] = ended.cost_usd
        cost = ended.cost_usd - earlier if ended.turn_cost_usd is None else ended.turn_cost_usd
        return cost if math.isfinite(cost) and cost > 0 else 0.0
