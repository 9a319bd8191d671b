"""How much plugins may have posted and drawn. Pure."""

from collections import OrderedDict, deque
from collections.abc import Hashable

_MOST_KEYS = 1000


class FloodLimit:
    """Lets so many pass in a while, of each kind.

    Args:
        most: How many.
        seconds: In how long.
    """

    def __init__(self, most: int, seconds: float) -> None:
        self._most = most
        self._seconds = seconds
        self._passed: OrderedDict[Hashable, deque[float]] = OrderedDict()
        self._refused_at: OrderedDict[Hashable, float] = OrderedDict()

    def passes(self, key: Hashable, *, now: float) -> bool:
        """Let one pass if not too many of its kind did, and say whether it did."""
        passed = self._passed.setdefault(key, deque(maxlen=self._most))
        self._passed.move_to_end(key)
        if len(self._passed) > _MOST_KEYS:
            self._passed.popitem(last=False)
        if len(passed) == self._most and now - passed[0] < self._seconds:
            return False
        passed.append(now)
        return True

    def is_news(self, key: Hashable, *, now: float) -> bool:
        """Say whether it is to be told that one was refused; that is once in a while."""
        before = self._refused_at.get(key)
        if before is not None and now - before < self._seconds:
            return False
        self._refused_at[key] = now
        self._refused_at.move_to_end(key)
        if len(self._refused_at) > _MOST_KEYS:
            self._refused_at.popitem(last=False)
        return True


class DrawPace:
    """Says when something may be drawn: one after another, first come, first served.

    Args:
        seconds: Between two of one plugin.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._free_at: dict[str, float] = {}

    def wait(self, plugin_id: str, *, now: float) -> float:
        """Take the next turn of a plugin, and return in how many seconds it comes."""
        at = max(now, self._free_at.get(plugin_id, now))
        self._free_at[plugin_id] = at + self._seconds
        return at - now
