"""A person in a voice channel: they speak, hear, mute themselves, and go elsewhere."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np

from simulator.discord.core import Core
from simulator.discord.errors import NotAllowedError, NotHeardError
from simulator.discord.model import Account, Channel
from simulator.discord.sight import WAIT_SECONDS
from simulator.discord.voice.channel import VoiceChannel
from simulator.discord.voice.opus import PACKET_SECONDS, Samples, encoded
from simulator.discord.voice.peers import SILENCE, DaveyPeer, PeerMaker
from simulator.discord.voice.recording import HeardPacket, HeardSpeech, Recording
from simulator.discord.voice.seat import Seat
from simulator.discord.voice.speech import read_wav, synthesised
from simulator.discord.voice.voice_state import VoiceState

_SILENCE_PACKETS = 5
"""What a client sends when somebody stops talking, before it sends nothing."""

Utterance: TypeAlias = str | Path | Samples | Sequence[bytes]
"""A text to be spoken, a WAV file, samples at 48 kHz, or Opus packets of 20 ms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """When somebody spoke; monotonic."""

    started_at_seconds: float
    ended_at_seconds: float
    """When the last 20 ms were over; the silence that a client sends afterwards is not counted."""
    packet_count: int
    """How many packets could be sent."""


class Talker:
    """A person in a voice channel."""

    def __init__(self, core: Core, account: Account, make_peer: PeerMaker = DaveyPeer) -> None:
        """Make somebody who is in no channel yet.

        Args:
            core: The Discord that they are on.
            account: Who it is.
            make_peer: Makes their side of the encryption.
        """
        self._core = core
        self.account = account
        self.recording = Recording()
        """What they heard, since they joined first."""
        self._make_peer = make_peer
        self._seat: Seat | None = None
        self._session_id = f"person-{account.id}"
        self._is_speaking = asyncio.Lock()

    @property
    def id(self) -> int:
        """The id of the account."""
        return self.account.id

    @property
    def state(self) -> VoiceState | None:
        """Where they are; `None`: they left or were put out."""
        return self._core.calls.states.of(self.account)

    @property
    def seat(self) -> Seat | None:
        """Their part in the call, if they are in one."""
        return self._seat if self.state is not None else None

    def join(self, channel: Channel, *, is_muted: bool = False, is_deafened: bool = False) -> None:
        """Join a channel, or go over to it.

        Raises:
            NotAllowedError: If they may not, or it is full.
        """
        states = self._core.calls.states
        if states.refusal(self.account, channel) is not None:
            raise NotAllowedError(self.account.name, "join", channel.name)
        self._leave_call()
        states.enter(
            self.account,
            channel,
            session_id=self._session_id,
            is_self_muted=is_muted,
            is_self_deafened=is_deafened,
        )
        self._seat = self._seat_in(channel)
        self._seat.call.join(self._seat)

    def leave(self) -> None:
        """Leave the channel."""
        self._core.calls.put_out(self.account)
        self._seat = None

    def move_to(self, channel: VoiceChannel) -> None:
        """Go over to another channel."""
        state = self.state
        self.join(
            channel.channel,
            is_muted=state is not None and state.is_self_muted,
            is_deafened=state is not None and state.is_self_deafened,
        )

    def mute(self, *, is_muted: bool = True) -> None:
        """Let nobody hear what they say, or let them again."""
        self._core.calls.states.change(self.account, is_self_muted=is_muted)

    def deafen(self, *, is_deafened: bool = True) -> None:
        """Hear nobody, or hear again."""
        self._core.calls.states.change(self.account, is_self_deafened=is_deafened)

    def raise_hand(self) -> None:
        """Ask to speak on a stage."""
        now = self._core.clock.seconds()
        self._core.calls.states.change(self.account, asked_to_speak_at_seconds=now)

    async def speak(self, what: Utterance, *, speed: float = 1.0) -> Said:
        """Say something, and return when it is said.

        Args:
            what: A text, a WAV file, samples at 48 kHz, or Opus packets.
            speed: How fast packets are sent; 1 is as they are heard, 20 a packet a millisecond.
        """
        packets = await asyncio.to_thread(packets_of, what)
        async with self._is_speaking:
            self.announce()
            started_at = self._core.clock.seconds()
            sent_count = await self._send(packets, speed=speed)
            ended_at = self._core.clock.seconds()
            await self._send([SILENCE] * _SILENCE_PACKETS, speed=speed)
        return Said(
            started_at_seconds=started_at, ended_at_seconds=ended_at, packet_count=sent_count
        )

    def announce(self) -> None:
        """Tell the others that they are about to send packets, as a client does before."""
        if self.seat is not None:
            self.seat.call.announce_speaking(self.seat)

    def send_packet(self, opus: bytes) -> bool:
        """Send 20 ms at once; returns whether they could."""
        return self.seat is not None and self.seat.send(opus)

    async def hears_start(
        self,
        speaker: Account,
        *,
        after_seconds: float = 0.0,
        timeout_seconds: float = WAIT_SECONDS,
    ) -> HeardPacket:
        """Wait for the first packet of somebody since a moment that is not silence.

        Raises:
            NotHeardError: If there was none in time.
        """
        try:
            async with asyncio.timeout(timeout_seconds):
                while not (found := self.recording.packets(speaker, after_seconds=after_seconds)):
                    await self.recording.changed()
        except TimeoutError:
            raise NotHeardError(
                self.account.name, speaker.name, self._unreadable(speaker)
            ) from None
        return found[0]

    async def hears(
        self,
        speaker: Account,
        *,
        after_seconds: float = 0.0,
        pause_seconds: float = 0.5,
        timeout_seconds: float = WAIT_SECONDS,
    ) -> HeardSpeech:
        """Wait until somebody has spoken and stopped, and return what they said.

        Args:
            speaker: Whom to listen to.
            after_seconds: Only what is heard from this moment on counts; monotonic.
            pause_seconds: How long nothing must be heard for it to be the end.
            timeout_seconds: How long to wait for the start.

        Raises:
            NotHeardError: If they did not start in time.
        """
        first = await self.hears_start(
            speaker, after_seconds=after_seconds, timeout_seconds=timeout_seconds
        )
        while True:
            packets = self.recording.packets(speaker, after_seconds=first.at_seconds)
            left = packets[-1].at_seconds + pause_seconds - self._core.clock.seconds()
            if left <= 0:
                break
            await asyncio.sleep(left)
        return HeardSpeech(packets=_first_speech(packets, pause_seconds=pause_seconds))

    def _seat_in(self, channel: Channel) -> Seat:
        call, ssrc = self._core.calls.call_in(channel), self._core.calls.next_ssrc()
        is_encrypted = call.dave_version > 0
        return Seat(
            self.account,
            call,
            ssrc=ssrc,
            peer=self._make_peer(self.account.id, channel.id, ssrc) if is_encrypted else None,
            recording=self.recording,
            clock=self._core.clock,
        )

    def _leave_call(self) -> None:
        if state := self.state:
            self._core.calls.call_in(state.channel).drop(self.account)

    async def _send(self, packets: Sequence[bytes], *, speed: float) -> int:
        """Send packets, each at its time; returns how many could be sent."""
        loop = asyncio.get_running_loop()
        started_at = loop.time()
        count = 0
        for number, packet in enumerate(packets, start=1):
            count += self.send_packet(packet)
            late = loop.time() - (started_at + number * PACKET_SECONDS / speed)
            await asyncio.sleep(max(0.0, -late))
        return count

    def _unreadable(self, speaker: Account) -> int:
        return self.recording.unreadable[speaker.id]


def packets_of(what: Utterance) -> Sequence[bytes]:
    """Return something that is said as Opus packets."""
    if isinstance(what, str):
        return _packets_of_text(what)
    if isinstance(what, Path):
        return encoded(read_wav(what))
    return encoded(what) if isinstance(what, np.ndarray) else what


def _packets_of_text(text: str) -> Sequence[bytes]:
    return encoded(synthesised(text))


def _first_speech(
    packets: Sequence[HeardPacket], *, pause_seconds: float
) -> tuple[HeardPacket, ...]:
    for number in range(1, len(packets)):
        if packets[number].at_seconds - packets[number - 1].at_seconds >= pause_seconds:
            return tuple(packets[:number])
    return tuple(packets)
