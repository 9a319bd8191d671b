"""What was said on a line and not to the bot, until it is told of it. Pure."""

from voice.events import Remark

_KEPT = 60
"""The oldest remarks are dropped beyond so many; the listener has been told of all."""


class Remarks:
    """What was said since the last turn."""

    def __init__(self) -> None:
        self._remarks: list[Remark] = []

    def add(self, remark: Remark) -> None:
        """Keep a remark."""
        self._remarks = [*self._remarks, remark][-_KEPT:]

    def taken(self) -> tuple[Remark, ...]:
        """Return all, in the order in which people began to say them, and keep none."""
        remarks = sorted(self._remarks, key=lambda remark: remark.at)
        self._remarks = []
        return tuple(remarks)
