"""The Claude session that a speaker goes on with, and what is still to be charged for it."""

from collections.abc import Callable
from dataclasses import replace

from bot.speaker.cost_counts import CostCounts
from extensions.claude.command import MCP_SERVER
from extensions.claude.events import Event, TurnBegan, TurnEnded


class ClaudeSession:
    """Follows what one process after the other tells of the session."""

    def __init__(
        self, claude_session_id: str | None, *, began: Callable[[str], None], costs: CostCounts
    ) -> None:
        """Take what is known of it.

        Args:
            claude_session_id: What the first process goes on with; `None` to begin afresh.
            began: Told the id under which Claude keeps the session, in each turn.
            costs: Tells what a turn cost.
        """
        self.id = claude_session_id
        """What the next process goes on with; `None` to begin afresh."""
        self.was_resumed = False
        """Whether the process that runs now went on with a session from before."""
        self._began = began
        self._costs = costs
        self._owed_usd = 0.0
        self._failed_servers: frozenset[str] = frozenset()
        """Those of which this process has told."""

    def process_begins(self) -> None:
        """Take note that a new process goes on with it."""
        self.was_resumed = self.id is not None
        self._failed_servers = frozenset()

    def heard(self, event: Event) -> Event:
        """Take note of what the process tells, and return it without what it told before."""
        match event:
            case TurnBegan():
                self.id = event.claude_session_id
                self._began(event.claude_session_id)
                return self._news(event)
            case TurnEnded():
                self._owed_usd += self._costs.cost_usd(event, was_resumed=self.was_resumed)
                return event
            case _:
                return event

    def take_owed_usd(self) -> float:
        """Return what is to be charged since this was asked last."""
        owed, self._owed_usd = self._owed_usd, 0.0
        return owed

    def _news(self, began: TurnBegan) -> TurnBegan:
        """Leave out the servers that are known to have failed: each is told of once."""
        # Without the bot's own tools it can only talk, which is worth a word in each turn.
        known = self._failed_servers - {MCP_SERVER}
        self._failed_servers = frozenset(began.failed_servers)
        news = tuple(name for name in began.failed_servers if name not in known)
        return replace(began, failed_servers=news)
