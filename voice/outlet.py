"""Counts what is given to a link, so that it is known when it has been sent."""

from collections.abc import Sequence

from voice.link import VoiceLink


class Outlet:
    """All that one line speaks goes through here; positions are those of `sent_count`."""

    def __init__(self, link: VoiceLink) -> None:
        self._link = link
        self._given = link.sent_count + link.waiting_count

    def play(self, packets: Sequence[bytes]) -> int:
        """Have packets sent, and return how many were given before them."""
        if not self._link.waiting_count:
            # A packet that was under way while the rest was dropped has been counted since.
            self._given = max(self._given, self._link.sent_count)
        start = self._given
        self._given += len(packets)
        self._link.play(packets)
        return start

    def drop(self) -> None:
        """Forget what waits."""
        self._link.drop()
        self._given = self._link.sent_count

    @property
    def sent_count(self) -> int:
        """How many packets have been sent."""
        return self._link.sent_count

    @property
    def heard_count(self) -> int:
        """How many of them somebody could hear."""
        return self._link.heard_count

    async def sent(self, position: int) -> bool:
        """Wait until so many packets have been sent; false if they were dropped."""
        await self._link.sent(position)
        return self._link.sent_count >= position
