"""What has happened with a peer so far, in numbers."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass


@dataclass(slots=True, kw_only=True)
class Counts:
    """Is counted up as it happens."""

    calls: int = 0
    timeouts: int = 0
    shed: int = 0
    """Calls that were not sent, as too much waited."""
    requests: int = 0
    notifications: int = 0
    unmatched: int = 0
    """Answers to nothing, or to what was answered, or given up, before."""
    garbage: int = 0
    oversized: int = 0
    throttled: int = 0
    """How often it was not read for a while."""
    unsent: int = 0
    """Answers and notifications of ours that it did not read in time."""

    def by_name(self) -> Mapping[str, int]:
        """Return them as they are now."""
        return asdict(self)
