"""What a peer writes that is no message: lines of its standard error, and garbage."""

import logging

from extensions.rpc.budgets import Tally
from extensions.rpc.complaints import Complaints
from extensions.rpc.options import PeerOptions, PeerOwner

logger = logging.getLogger(__name__)


class Grumbling:
    """Hands lines on to the owner, and tells of the rest in the log, once in a while."""

    def __init__(self, options: PeerOptions, owner: PeerOwner, *, now: float) -> None:
        self._name = options.name
        self._owner = owner
        self._complaints = Complaints(options.stderr_bytes_per_minute, now=now)
        self._dropped = Tally()
        self._garbage = Tally()
        self._last_reason = ""

    @property
    def dropped_bytes(self) -> int:
        """How much of its standard error was not kept."""
        return self._complaints.dropped_bytes

    def garbage(self, reason: str, *, now: float) -> None:
        """Count a line on its standard output that is no message."""
        self._last_reason = reason
        self._tell_garbage(self._garbage.add(1, now=now))

    def complained(self, data: bytes, *, now: float) -> None:
        """Take what it wrote to its standard error."""
        dropped = self._complaints.dropped_bytes
        self._hand_on(self._complaints.feed(data, now=now))
        if more := self._complaints.dropped_bytes - dropped:
            self._tell_dropped(self._dropped.add(more, now=now))

    def close(self) -> None:
        """Tell what has not been told yet."""
        self._hand_on(self._complaints.rest())
        self._tell_dropped(self._dropped.rest())
        self._tell_garbage(self._garbage.rest())

    def _hand_on(self, lines: list[str]) -> None:
        for line in lines:
            try:
                self._owner.stderr(line)
            except Exception:
                logger.exception("%s: taking a line of its standard error failed", self._name)

    def _tell_dropped(self, count: int) -> None:
        if count:
            logger.warning("%s: dropped %d bytes of its standard error", self._name, count)

    def _tell_garbage(self, count: int) -> None:
        if count:
            logger.warning(
                "%s: %d lines on its standard output are no messages (the last: %s)",
                self._name,
                count,
                self._last_reason,
            )
