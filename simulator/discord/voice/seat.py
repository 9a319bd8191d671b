"""A person's place in a call: their keys, the packets that they send, and those that they hear."""

from collections import deque
from collections.abc import Collection

from simulator.discord.clock import Clock
from simulator.discord.model import Account
from simulator.discord.voice.call import Call
from simulator.discord.voice.member import Frame, Member
from simulator.discord.voice.opus import PACKET_SECONDS
from simulator.discord.voice.peers import SILENCE, Peer
from simulator.discord.voice.recording import HeardPacket, Recording
from simulator.discord.voice.rtp import FRAME_TICKS

_HELD_FRAMES = 100
"""Frames kept that may be of keys which are about to be used."""
_SEQUENCES, _TIMESTAMPS = 1 << 16, 1 << 32


class Seat:
    """A person's part in one call."""

    is_remote = False

    def __init__(
        self,
        account: Account,
        call: Call,
        *,
        ssrc: int,
        peer: Peer | None,
        recording: Recording,
        clock: Clock,
    ) -> None:
        """Make one that is not in the call yet.

        Args:
            account: Who it is.
            call: In which they take part.
            ssrc: By which their packets are known.
            peer: Their side of the encryption; `None` where there is none.
            recording: Where what they hear goes.
            clock: By which that is told.
        """
        self.account = account
        self.call = call
        self.ssrc = ssrc
        self.peer = peer
        self._recording = recording
        self._clock = clock
        # Anything may come first on the wire; these wrap early, so that it is seen.
        self._sequence = _SEQUENCES - 100 + ssrc % 64
        self._timestamp = _TIMESTAMPS - 200 * FRAME_TICKS
        self._sent_at_seconds: float | None = None
        self._is_about_to_change = False
        self._held: deque[tuple[Frame, float]] = deque(maxlen=_HELD_FRAMES)

    def send(self, opus: bytes) -> bool:
        """Send 20 ms; returns whether they could: without keys nothing is sent."""
        payload = opus if self.peer is None else self.peer.encrypt(opus)
        self._advance()
        if payload is None:
            return False
        self.call.forward(
            Frame(
                sender=self.account,
                ssrc=self.ssrc,
                sequence=self._sequence,
                timestamp=self._timestamp,
                payload=payload,
            )
        )
        return True

    def hear(self, frame: Frame) -> None:
        """Record what somebody says."""
        if not self._record(frame, self._clock.seconds()):
            if self._is_about_to_change:
                self._held.append((frame, self._clock.seconds()))
            else:
                self._recording.unreadable[frame.sender.id] += 1

    def meet(self, others: Collection[Member]) -> None:
        """Need not know who is in the call: keys tell."""

    def part_from(self, other: Member) -> None:
        """Need not know who is in the call no more."""

    def notice_speaking(self, other: Member) -> None:
        """Need not know who is about to speak."""

    def begin(self, external_sender: bytes, *, is_anew: bool) -> bytes | None:
        """Be in no group, and offer a key package."""
        del is_anew
        self._is_about_to_change = False
        return None if self.peer is None else self.peer.begin(external_sender)

    def propose(self, payload: bytes, members: Collection[int]) -> bytes | None:
        """Take proposals, and answer with a commit."""
        return None if self.peer is None else self.peer.propose(payload, members)

    def announce(self, transition_id: int, commit: bytes) -> bool:
        """Take the commit that counts."""
        del transition_id
        self._is_about_to_change = True
        if self.peer is not None:
            self.peer.announce(commit)
        return True

    def welcome(self, transition_id: int, welcome: bytes, members: Collection[int]) -> bool:
        """Join a group."""
        del transition_id
        self._is_about_to_change = True
        if self.peer is not None:
            self.peer.welcome(welcome, members)
        return True

    def execute(self, transition_id: int, members: Collection[int]) -> None:
        """Use the new keys, and read what came before its time."""
        del transition_id
        if self.peer is not None:
            self.peer.execute(members)
        self._is_about_to_change = False
        while self._held:
            frame, at_seconds = self._held.popleft()
            if not self._record(frame, at_seconds):
                self._recording.unreadable[frame.sender.id] += 1

    def _record(self, frame: Frame, at_seconds: float) -> bool:
        opus: bytes | None = frame.payload
        if self.peer is not None and frame.payload != SILENCE:
            opus = self.peer.decrypt(frame.sender.id, frame.payload)
        if opus is None:
            return False
        heard = HeardPacket(
            at_seconds=at_seconds, sequence=frame.sequence, timestamp=frame.timestamp, opus=opus
        )
        self._recording.add(frame.sender, heard)
        return True

    def _advance(self) -> None:
        """Number the next packet; after a pause the timestamp has gone on with the time."""
        now = self._clock.seconds()
        ticks = 1
        if self._sent_at_seconds is not None:
            ticks = max(1, round((now - self._sent_at_seconds) / PACKET_SECONDS))
        self._sent_at_seconds = now
        self._sequence = (self._sequence + 1) % _SEQUENCES
        self._timestamp = (self._timestamp + ticks * FRAME_TICKS) % _TIMESTAMPS
