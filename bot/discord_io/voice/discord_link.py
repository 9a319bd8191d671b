"""Audio to and from one voice channel of Discord, over as many connections as it takes."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager

from bot.discord_io.voice.connection import Connection
from bot.discord_io.voice.playing import Playing
from bot.discord_io.voice.playlist import TAIL_FRAMES
from voice.events import HeardPacket
from voice.link import LinkReport


class DiscordVoiceLink:
    """Implements `VoiceLink`; made by the door, and looked after by a supervisor."""

    def __init__(self) -> None:
        self.counts = Counter[str]()
        """Of packets, by what became of them."""
        self.rejoins = 0
        self.speaking_changed = asyncio.Event()
        """Set when speech begins, and when it is over."""
        self.is_speaking = False
        self._playing = Playing(self._set_speaking)
        self._hear: Callable[[HeardPacket], None] | None = None
        self.connection: Connection | None = None
        """The one that stands at the moment."""
        self._people: tuple[int, ...] = ()
        self._listeners: tuple[int, ...] = ()
        self._silent_ones: frozenset[int] = frozenset()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Send packets while the block lasts; after that, nothing comes or goes any more."""
        async with self._playing.running():
            yield
        self._hear = None

    def attach(self, connection: Connection) -> None:
        """Go on by a connection that stands."""
        self.connection = connection
        self._playing.use(connection.voice)
        # Discord forwards nothing to whoever has never sent anything.
        self.breathe()
        self.speaking_changed.set()

    def detach(self) -> None:
        """Let all wait for another connection."""
        self._playing.use(None)
        self.connection = None

    def breathe(self, frames: int = TAIL_FRAMES) -> None:
        """Send frames of silence, unless there is speech: a sign of life."""
        self._playing.breathe(frames)

    def set_people(
        self,
        people: Sequence[int],
        listeners: Sequence[int],
        *,
        is_heard: bool,
        bots: Sequence[int],
    ) -> None:
        """Know who is in the channel.

        Args:
            people: Who are no bots.
            listeners: Those of them who can hear.
            is_heard: Whether the bot itself is let speak.
            bots: The others, to whom nobody listens.
        """
        self._people = tuple(people)
        self._listeners = tuple(listeners)
        self._silent_ones = frozenset(bots)
        self._playing.has_listener = is_heard and bool(listeners)

    def take(self, packet: HeardPacket) -> None:
        """Hand over what somebody said."""
        if packet.person_id in self._silent_ones:
            self.counts["of bots"] += 1
        elif self._hear is not None:
            self._hear(packet)

    def session_began(self) -> None:
        """Know that the voice server knows nothing of what it was told before."""
        self.speaking_changed.set()

    def listen(self, hear: Callable[[HeardPacket], None]) -> None:
        """Have what people say handed over; see `VoiceLink`."""
        self._hear = hear

    @property
    def people(self) -> Sequence[int]:
        """Who is in the channel; see `VoiceLink`."""
        return self._people

    @property
    def listeners(self) -> Sequence[int]:
        """Who of them can hear; see `VoiceLink`."""
        return self._listeners

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
        connection = self.connection
        if connection is None:
            return LinkReport(
                is_connected=False,
                is_encrypted=False,
                rejoins=self.rejoins,
                counts=dict(self.counts),
            )
        return LinkReport(
            is_connected=connection.voice.is_connected(),
            is_encrypted=connection.is_encrypted,
            transport_mode=str(connection.voice.mode),
            latency_seconds=connection.round_trip_seconds,
            rejoins=self.rejoins,
            counts=dict(self.counts),
        )

    def _set_speaking(self, is_speaking: bool) -> None:  # noqa: FBT001 - what it sets is all that it says
        self.is_speaking = is_speaking
        self.speaking_changed.set()
