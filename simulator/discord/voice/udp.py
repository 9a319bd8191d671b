"""The UDP side of the voice server: finding one's address, signs of life, and packets of audio."""

import asyncio
import struct
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from random import Random
from typing import Any, cast

from simulator.discord.voice.client import Client
from simulator.discord.voice.network import delays_of
from simulator.discord.voice.rtp import OPUS_PAYLOAD_TYPE, read_header
from simulator.discord.voice.settings import Network, VoiceSettings

_DISCOVERY = struct.Struct(">HHI64sH")
_DISCOVERY_BODY_BYTES = 70
_REQUEST, _RESPONSE = 1, 2
_KEEPALIVE_BYTES = 8
_SEED = 5

Address = tuple[str, int]


class VoiceUdp(asyncio.DatagramProtocol):
    """Takes and sends the packets of all clients over one port."""

    def __init__(self, settings: VoiceSettings) -> None:
        self._settings = settings
        self._transport: asyncio.DatagramTransport | None = None
        self._clients: dict[int, Client] = {}
        self._random = Random(_SEED)  # noqa: S311 - what is lost must be the same each time
        self.discoveries_to_lose = 0
        """How many of the next requests for one's address get no answer."""
        self.counts: Counter[str] = Counter()
        """Datagrams, by what became of them."""

    @property
    def port(self) -> int:
        """Where clients send to."""
        assert self._transport is not None, "not open"
        address: Address = self._transport.get_extra_info("sockname")
        return address[1]

    def add(self, client: Client) -> None:
        """Exchange packets with a client."""
        self._clients[client.ssrc] = client
        client.send_datagram = self._send_to_client

    def remove(self, client: Client) -> None:
        """Exchange packets with it no more."""
        self._clients.pop(client.ssrc, None)
        client.send_datagram = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take note of the socket."""
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: Address) -> None:
        """Take a datagram."""
        if len(data) == _DISCOVERY.size and data[:2] == struct.pack(">H", _REQUEST):
            self._discover(data, addr)
        elif len(data) == _KEEPALIVE_BYTES:
            self.counts["keepalive"] += 1
            self._send(data, addr)
        else:
            self._on_its_way(self._settings.from_bot, self._take, data)

    def _discover(self, data: bytes, address: Address) -> None:
        _, _, ssrc, _, _ = _DISCOVERY.unpack(data)
        client = self._clients.get(ssrc)
        if client is None or self.discoveries_to_lose > 0:
            self.discoveries_to_lose = max(0, self.discoveries_to_lose - 1)
            self.counts["discovery lost"] += 1
            return
        client.address = address
        self.counts["discovery"] += 1
        host, port = address
        answer = (_RESPONSE, _DISCOVERY_BODY_BYTES, ssrc, host.encode(), port)
        self._send(_DISCOVERY.pack(*answer), address)

    def _take(self, data: bytes) -> None:
        header = read_header(data)
        client = None if header is None else self._clients.get(header.ssrc)
        if header is None or header.payload_type != OPUS_PAYLOAD_TYPE or client is None:
            self.counts["not audio"] += 1
            return
        frame = client.opened(data)
        if frame is None:
            self.counts["unreadable"] += 1
        else:
            self.counts["received" if client.say(frame) else "not announced"] += 1

    def _send_to_client(self, data: bytes, address: Address) -> None:
        self.counts["sent"] += 1
        self._on_its_way(self._settings.to_bot, self._send, data, address)

    def _on_its_way(self, network: Network, arrive: Callable[..., None], *what: Any) -> None:
        delays = delays_of(network, self._random)
        if not delays:
            self.counts["lost"] += 1
        for delay in delays:
            if delay:
                asyncio.get_running_loop().call_later(delay, arrive, *what)
            else:
                arrive(*what)

    def _send(self, data: bytes, address: Address) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.sendto(data, address)


@asynccontextmanager
async def open_udp(udp: VoiceUdp) -> AsyncGenerator[None]:
    """Let it listen on loopback while the block lasts."""
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(lambda: udp, local_addr=("127.0.0.1", 0))
    try:
        yield
    finally:
        transport.close()
