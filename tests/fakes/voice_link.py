"""A link to a voice channel that leads nowhere: tests say what comes in, and see what goes out."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from voice.events import SILENCE, HeardPacket
from voice.link import PACKET_SECONDS, LinkReport


@dataclass(frozen=True)
class SentPacket:
    """What went out."""

    opus: bytes
    at: float
    """The loop's time."""


@dataclass
class FakeLink:
    """Implements `VoiceLink`: sends a packet every 20 ms of the loop's time, virtual or not."""

    people: list[int] = field(default_factory=list)
    listeners: list[int] = field(default_factory=list)
    packet_seconds: float = PACKET_SECONDS
    """Make it 0 to have all sent as fast as can be."""
    is_connected: bool = True
    """Set it to False, and call `restore`, to have the connection break for a while."""
    is_paused: bool = False
    sent_packets: list[SentPacket] = field(default_factory=list)
    """All that went out that was given to `play`, in order."""
    drops: list[float] = field(default_factory=list)
    """When what waited was dropped."""
    sent_count: int = 0
    heard_count: int = 0
    counts: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._waiting = deque[bytes]()
        self._hear: Callable[[HeardPacket], None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._changed = asyncio.Event()

    def hear(self, *packets: HeardPacket) -> None:
        """Have packets of people arrive."""
        assert self._hear is not None, "nobody listens"
        for packet in packets:
            self._hear(packet)

    def restore(self) -> None:
        """Have the connection stand again."""
        self.is_connected = True
        self._go_on()

    @property
    def is_listened_to(self) -> bool:
        return self._hear is not None

    def listen(self, hear: Callable[[HeardPacket], None]) -> None:
        assert self._hear is None, "one takes all"
        self._hear = hear

    def play(self, packets: Sequence[bytes]) -> None:
        self._waiting.extend(packets)
        self._go_on()

    def pause(self) -> None:
        self.is_paused = True

    def resume(self) -> None:
        self.is_paused = False
        self._go_on()

    def drop(self) -> None:
        self._waiting.clear()
        self.is_paused = False
        self.drops.append(asyncio.get_running_loop().time())
        self._tell()

    @property
    def waiting_count(self) -> int:
        return len(self._waiting)

    async def sent(self, count: int) -> None:
        drops = len(self.drops)
        while self.sent_count < count and len(self.drops) == drops:
            await self._changed.wait()

    def report(self) -> LinkReport:
        return LinkReport(
            is_connected=self.is_connected,
            is_encrypted=True,
            transport_mode="none",
            counts=self.counts,
        )

    def _go_on(self) -> None:
        if self._timer is None:
            self._send_one()

    def _send_one(self) -> None:
        self._timer = None
        if not self._waiting or self.is_paused or not self.is_connected:
            return
        loop = asyncio.get_running_loop()
        self.sent_packets.append(SentPacket(self._waiting.popleft(), loop.time()))
        self.sent_count += 1
        self.heard_count += bool(self.listeners)
        self._timer = loop.call_later(self.packet_seconds, self._send_one)
        self._tell()

    def _tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


def packets_of(
    person_id: int, opus: Sequence[bytes], *, at: float = 0.0, sequence: int = 0
) -> list[HeardPacket]:
    """Return audio of a person as it would arrive, one packet every 20 ms, then silence."""
    audio = [*opus, *[SILENCE] * 5]
    return [
        HeardPacket(
            person_id=person_id,
            sequence=(sequence + number) % 65_536,
            timestamp=960 * (sequence + number) % 2**32,
            opus=packet,
            at=at + number * PACKET_SECONDS,
        )
        for number, packet in enumerate(audio)
    ]
