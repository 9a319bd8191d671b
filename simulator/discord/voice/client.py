"""A client in a call over its wires: what it is told, and the audio that it gets."""

import json
import struct
from collections import deque
from collections.abc import Callable, Collection
from random import Random
from typing import Any

from simulator.discord.model import Account
from simulator.discord.voice.call import Call
from simulator.discord.voice.member import Frame, Member
from simulator.discord.voice.opcodes import Op
from simulator.discord.voice.rtp import (
    AUDIO_LEVEL,
    RtpHeader,
    body_of,
    header_size,
    payload_of,
    read_header,
)
from simulator.discord.voice.settings import VoiceSettings
from simulator.discord.voice.transport import Transport
from simulator.discord.voice.voice_socket import VoiceSocket
from simulator.discord.voice.voice_state import VoiceState

EARLY_FRAMES = 50
"""Frames kept of a client that has not said yet that it speaks; the oldest are forgotten first."""
RESUMABLE_MESSAGES = 500
"""Messages kept for a client that resumes; the oldest are forgotten first."""
_LONGEST_PADDING = 15
_NUMBERS = 1 << 16

SendDatagram = Callable[[bytes, tuple[str, int]], None]


class Client:
    """A client that is identified; it outlives its websocket, so that it can be resumed."""

    is_remote = True

    def __init__(
        self, state: VoiceState, call: Call, *, token: str, ssrc: int, settings: VoiceSettings
    ) -> None:
        """Make one that has no connection yet.

        Args:
            state: Where it is, and with which session.
            call: In which it will take part, once packets can be exchanged.
            token: With which it identified itself.
            ssrc: By which its packets are known.
            settings: How voice behaves.
        """
        self._account = state.account
        self.session_id = state.session_id
        self.call = call
        self.token = token
        self.ssrc = ssrc
        self.socket: VoiceSocket | None = None
        self._transport: Transport | None = None
        self.address: tuple[str, int] | None = None
        """Where its packets come from."""
        self._has_announced = False
        self._early: deque[Frame] = deque(maxlen=EARLY_FRAMES)
        self.send_datagram: SendDatagram | None = None
        self._settings = settings
        self._random = Random(ssrc)  # noqa: S311 - padding is no secret
        self._number = -1
        self._sent: deque[tuple[int, str | bytes]] = deque(maxlen=RESUMABLE_MESSAGES)

    @property
    def account(self) -> Account:
        """Whose it is."""
        return self._account

    @property
    def mode(self) -> str:
        """How packets are encrypted on their way; empty while that is not settled."""
        return "" if self._transport is None else self._transport.mode

    def encrypt_with(self, mode: str, key: bytes) -> None:
        """Exchange packets with it, encrypted so on their way."""
        self._transport = Transport(mode, key)

    @property
    def is_connected(self) -> bool:
        """Whether it has a websocket that is open."""
        return self.socket is not None and self.socket.is_open

    def tell(self, op: Op, data: Any) -> None:
        """Send a message that a client which resumes gets again if it missed it."""
        number = self._next_number()
        self._keep(number, json.dumps({"op": op, "d": data, "seq": number}))

    def tell_once(self, op: Op, data: Any) -> None:
        """Send a message that belongs to this connection alone."""
        if self.socket is not None:
            self.socket.put(json.dumps({"op": op, "d": data}))

    def resume(self, socket: VoiceSocket, *, after: int) -> None:
        """Go on over another websocket behind the message with that number."""
        self.socket = socket
        for number, message in self._sent:
            if number > after:
                socket.put(message)
        self.tell_once(Op.RESUMED, None)

    def start_sending(self, *, is_speaking: bool) -> None:
        """Forward its audio from now on, and what came before; a datagram may be the faster."""
        self._has_announced = True
        if is_speaking:
            self.call.announce_speaking(self)
        while self._early:
            self.call.forward(self._early.popleft())

    def say(self, frame: Frame) -> bool:
        """Forward its audio; `False`: it has to say first that it speaks."""
        if self._has_announced:
            self.call.forward(frame)
        else:
            self._early.append(frame)
        return self._has_announced

    def opened(self, packet: bytes) -> Frame | None:
        """Return the audio in a packet that it sent; `None` if it is none."""
        header = read_header(packet)
        if header is None or header.ssrc != self.ssrc or self._transport is None:
            return None
        body = self._transport.open(packet, header_bytes=header_size(header))
        payload = None if body is None else payload_of(header, body)
        if payload is None:
            return None
        return Frame(
            sender=self.account,
            ssrc=header.ssrc,
            sequence=header.sequence,
            timestamp=header.timestamp,
            payload=payload,
        )

    def hear(self, frame: Frame) -> None:
        """Send it somebody's audio."""
        if self._transport is None or self.address is None or self.send_datagram is None:
            return
        is_padded = self._random.random() < self._settings.padded_share
        padding_bytes = self._random.randint(1, _LONGEST_PADDING) if is_padded else 0
        extension = AUDIO_LEVEL if self._settings.has_extension else b""
        header = RtpHeader(
            sequence=frame.sequence,
            timestamp=frame.timestamp,
            ssrc=frame.ssrc,
            is_padded=is_padded,
            extension_bytes=len(extension) or None,
        )
        body = body_of(frame.payload, extension=extension, padding_bytes=padding_bytes)
        self.send_datagram(self._transport.seal(header.encoded(), body), self.address)

    def meet(self, others: Collection[Member]) -> None:
        """Tell it who is in the call."""
        if not others:
            return
        self.tell(Op.CLIENTS_CONNECT, {"user_ids": [str(one.account.id) for one in others]})
        for one in others:
            user_id = str(one.account.id)
            self.tell(Op.CLIENT_FLAGS, {"user_id": user_id, "flags": 0})
            self.tell(Op.CLIENT_PLATFORM, {"user_id": user_id, "platform": 0})

    def part_from(self, other: Member) -> None:
        """Tell it who is in the call no more."""
        self.tell(Op.CLIENT_DISCONNECT, {"user_id": str(other.account.id)})

    def notice_speaking(self, other: Member) -> None:
        """Tell it who is about to speak, and by which SSRC."""
        told = {"speaking": 1, "delay": 0, "ssrc": other.ssrc, "user_id": str(other.account.id)}
        self.tell(Op.SPEAKING, told)

    def begin(self, external_sender: bytes, *, is_anew: bool) -> bytes | None:
        """Tell it who proposes; its key package comes later."""
        if is_anew:
            version = self.call.dave_version
            told = {"protocol_version": version, "transition_id": 0}
            self.tell(Op.DAVE_PREPARE_EPOCH, told | {"epoch": 1})
            self.tell(Op.DAVE_PREPARE_TRANSITION, told)
        self._tell_bytes(Op.MLS_EXTERNAL_SENDER, external_sender)
        return None

    def propose(self, payload: bytes, members: Collection[int]) -> bytes | None:
        """Bring it proposals; its commit comes later."""
        del members
        self._tell_bytes(Op.MLS_PROPOSALS, payload)
        return None

    def announce(self, transition_id: int, commit: bytes) -> bool:
        """Bring it the commit that counts; it says later that it is ready."""
        self._tell_bytes(Op.MLS_ANNOUNCE_COMMIT, struct.pack(">H", transition_id) + commit)
        return not self.is_connected

    def welcome(self, transition_id: int, welcome: bytes, members: Collection[int]) -> bool:
        """Let it join a group; it says later that it is ready."""
        del members
        self._tell_bytes(Op.MLS_WELCOME, struct.pack(">H", transition_id) + welcome)
        return not self.is_connected

    def execute(self, transition_id: int, members: Collection[int]) -> None:
        """Tell it to use the new keys."""
        del members
        self.tell(Op.DAVE_EXECUTE_TRANSITION, {"transition_id": transition_id})

    def _tell_bytes(self, op: Op, payload: bytes) -> None:
        number = self._next_number()
        self._keep(number, struct.pack(">HB", number, op) + payload)

    def _next_number(self) -> int:
        self._number = (self._number + 1) % _NUMBERS
        return self._number

    def _keep(self, number: int, message: str | bytes) -> None:
        self._sent.append((number, message))
        if self.socket is not None:
            self.socket.put(message)
