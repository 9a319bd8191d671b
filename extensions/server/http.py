"""The listening side that the MCP server and the model gateway share."""

import asyncio
import logging
import socket
from dataclasses import dataclass
from typing import Any

# The loop accepts at most this many connections before it reads from any, so this stays well
# under DoorstepOptions.limit: a flood cannot push out a caller before its request was read.
BACKLOG = 100
KEEP_ALIVE_SECONDS = 75

_LOOPBACK = "127.0.0.1"

logger = logging.getLogger(__name__)


def loopback_socket(preferred_port: int | None = None) -> socket.socket:
    """Return a socket that listens on 127.0.0.1.

    Args:
        preferred_port: The port to take if it is free; any other is taken if it is not.
    """
    if preferred_port is not None:
        try:
            return _listening(preferred_port)
        except OSError as error:
            logger.info("port %d is not to be had (%s); taking another", preferred_port, error)
    return _listening(0)


def _listening(port: int) -> socket.socket:
    # asyncio sets TCP_NODELAY only where the protocol number says TCP; without it the peer's
    # delayed acknowledgement makes every call take 40 ms longer.
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((_LOOPBACK, port))
        # At once, since two sockets that do not listen yet may share one port.
        sock.listen(BACKLOG)
        sock.settimeout(0)
    except BaseException:
        sock.close()
        raise
    return sock


@dataclass(frozen=True, slots=True, kw_only=True)
class DoorstepOptions:
    """How long strangers may stand at the door."""

    limit: int = 256
    """Connections without a token that are held at most; the oldest goes first."""
    seconds: float = 10.0
    """How long a connection may be open before it has shown a token."""


class Doorstep:
    """The connections that have not shown a token yet: few of them, and none for long.

    So connections that are opened and left alone cost no caller anything.
    """

    def __init__(self, options: DoorstepOptions | None = None) -> None:
        self._options = options or DoorstepOptions()
        self._waiting: dict[Any, tuple[asyncio.Transport, asyncio.TimerHandle]] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def arrived(self, transport: asyncio.Transport) -> None:
        """Note a new connection; it is closed unless it is let in in time."""
        peer = transport.get_extra_info("peername")
        timer = asyncio.get_running_loop().call_later(self._options.seconds, self._expel, peer)
        self._waiting[peer] = (transport, timer)
        if len(self._waiting) > self._options.limit:
            self._expel(next(iter(self._waiting)))

    def let_in(self, peer: Any) -> None:
        """The connection from `peer` has shown a token, or is gone."""
        waiting = self._waiting.pop(peer, None)
        if waiting is not None:
            waiting[1].cancel()

    def _expel(self, peer: Any) -> None:
        transport, timer = self._waiting.pop(peer)
        timer.cancel()
        transport.abort()
