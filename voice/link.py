"""The interface between a voice line and whatever carries its audio: Discord, or a fake. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from voice.events import HeardPacket

PACKET_SECONDS = 0.02
"""How much audio one packet carries that the bot sends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkReport:
    """How the connection is doing, for `/voice doctor`."""

    is_connected: bool
    is_encrypted: bool
    """Whether all that is sent can be read by the people in the channel alone (DAVE)."""
    transport_mode: str = ""
    """How packets are encrypted on their way to Discord."""
    latency_seconds: float | None = None
    rejoins: int = 0
    """How often the connection had to be made anew."""
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    """Of packets, by what became of them: `received`, `undecryptable`, `unknown speaker` ..."""


class VoiceLink(Protocol):
    """One voice channel, in which people are heard and spoken to. Use it on the loop's thread.

    It outlives breaks of the connection: meanwhile nobody is heard, and nothing is sent.
    """

    def listen(self, hear: Callable[[HeardPacket], None]) -> None:
        """Have each packet of each person handed over, on the loop's thread; one takes all."""
        ...

    @property
    def people(self) -> Sequence[int]:
        """The ids of the people in the channel, bots left out."""
        ...

    @property
    def listeners(self) -> Sequence[int]:
        """The ids of those of them who can hear: who have not deafened themselves."""
        ...

    def play(self, packets: Sequence[bytes]) -> None:
        """Have Opus packets of 20 ms sent, one every 20 ms, after those that wait already."""
        ...

    def pause(self) -> None:
        """Send no more until `resume`; what waits is kept."""
        ...

    def resume(self) -> None:
        """Go on with the very packet that would have been next."""
        ...

    def drop(self) -> None:
        """Forget what waits, and send silence at once; also ends a pause."""
        ...

    @property
    def sent_count(self) -> int:
        """How many packets that were given to `play` have been sent, since the link was made."""
        ...

    @property
    def heard_count(self) -> int:
        """How many of those were sent while connected, with a listener in the channel."""
        ...

    @property
    def waiting_count(self) -> int:
        """How many wait to be sent."""
        ...

    async def sent(self, count: int) -> None:
        """Return once `sent_count` is at least `count`, or what waited was dropped."""
        ...

    def report(self) -> LinkReport:
        """Return how the connection is doing."""
        ...
