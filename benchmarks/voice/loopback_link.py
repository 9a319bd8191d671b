"""Carries audio between a line and people on this machine, as the bot's link to Discord does."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager

from benchmarks.voice.people_program import HEADER
from bot.discord_io.voice.datagrams import DatagramSocket
from bot.discord_io.voice.playing import Playing
from voice.events import SILENCE, HeardPacket
from voice.link import LinkReport

_LOCALHOST = "127.0.0.1"


class LoopbackLink:
    """Implements `VoiceLink` over plain UDP: the bot's own socket and pacing, but no encryption.

    Get it from `running_link`.
    """

    def __init__(self, person_id: int, people_port: int) -> None:
        self.sent_at: list[float] = []
        """When each packet of speech went out, of `time.monotonic`."""
        self.spoke = asyncio.Event()
        """Set when a packet of speech went out; for whoever waits for it, who clears it."""
        self._person_id = person_id
        self._people = (_LOCALHOST, people_port)
        self._loop = asyncio.get_running_loop()
        self._hear: Callable[[HeardPacket], None] | None = None
        self._playing = Playing(lambda _: None)
        self._playing.has_listener = True
        self._socket = DatagramSocket(self._loop, self._take)
        self._socket.bind((_LOCALHOST, 0))

    @property
    def port(self) -> int:
        """Where its person's packets are awaited."""
        return int(self._socket.getsockname()[1])

    def send(self, opus: bytes) -> bool:
        """Send a packet; see `Wire`."""
        self._socket.sendto(opus, self._people)
        if opus != SILENCE:
            self.sent_at.append(time.monotonic())
            if not self.spoke.is_set():
                self._loop.call_soon_threadsafe(self.spoke.set)
        return True

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None, None]:
        """Carry packets while the block lasts."""
        async with self._playing.running():
            self._playing.use(self)
            try:
                yield
            finally:
                self._playing.use(None)
                self._socket.close()

    def _take(self, datagram: bytes) -> None:
        person_id, sequence, timestamp = HEADER.unpack_from(datagram)
        if self._hear is not None:
            self._hear(
                HeardPacket(
                    person_id=person_id,
                    sequence=sequence,
                    timestamp=timestamp,
                    opus=datagram[HEADER.size :],
                    at=self._loop.time(),
                )
            )

    def listen(self, hear: Callable[[HeardPacket], None]) -> None:
        """Have what people say handed over; see `VoiceLink`."""
        self._hear = hear

    @property
    def people(self) -> Sequence[int]:
        """Its one person; see `VoiceLink`."""
        return (self._person_id,)

    @property
    def listeners(self) -> Sequence[int]:
        """Its one person; see `VoiceLink`."""
        return (self._person_id,)

    def play(self, packets: Sequence[bytes]) -> None:
        """Have packets sent; see `VoiceLink`."""
        self._playing.add(packets)

    def pause(self) -> None:
        """Send no more for now; see `VoiceLink`."""
        self._playing.pause()

    def resume(self) -> None:
        """Go on; see `VoiceLink`."""
        self._playing.resume()

    def drop(self) -> None:
        """Forget what waits; see `VoiceLink`."""
        self._playing.drop()

    @property
    def sent_count(self) -> int:
        """How much was sent; see `VoiceLink`."""
        return self._playing.sent_count

    @property
    def heard_count(self) -> int:
        """How much of it somebody could hear; see `VoiceLink`."""
        return self._playing.heard_count

    @property
    def waiting_count(self) -> int:
        """How much waits; see `VoiceLink`."""
        return self._playing.waiting_count

    async def sent(self, count: int) -> None:
        """Return once so much was sent; see `VoiceLink`."""
        await self._playing.sent(count)

    def report(self) -> LinkReport:
        """Return how it is doing; see `VoiceLink`."""
        return LinkReport(is_connected=True, is_encrypted=False)


@asynccontextmanager
async def running_link(person_id: int, people_port: int) -> AsyncGenerator[LoopbackLink, None]:
    """Have a link to one person while the block lasts."""
    link = LoopbackLink(person_id, people_port)
    async with link.running():
        yield link
