"""The events that wait until a peer reads: the oldest are lost when there are too many. Pure."""

from collections import deque
from collections.abc import Callable


class EventLane:
    """Lines of events in their order; where some were lost stands one line that says so."""

    def __init__(self, *, limit: int, limit_bytes: int, lost_line: Callable[[int], bytes]) -> None:
        self._limit = limit
        self._limit_bytes = limit_bytes
        self._lost_line = lost_line
        self._lines: deque[bytes] = deque()
        self._bytes = 0
        self._untold = 0
        self.lost = 0
        """How many were lost in all."""

    def __len__(self) -> int:
        return len(self._lines)

    def put(self, line: bytes) -> None:
        """Append a line; the oldest go, if there is no room."""
        self._lines.append(line)
        self._bytes += len(line)
        while len(self._lines) > self._limit or self._bytes > self._limit_bytes:
            self._bytes -= len(self._lines.popleft())
            self._untold += 1
            self.lost += 1

    def take(self) -> bytes | None:
        """Return the next line; `None` if there is none."""
        if self._untold:
            lost, self._untold = self._untold, 0
            return self._lost_line(lost)
        if not self._lines:
            return None
        line = self._lines.popleft()
        self._bytes -= len(line)
        return line
