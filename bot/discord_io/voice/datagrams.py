"""The socket of a voice connection, read on the loop."""

import asyncio
import socket
from collections.abc import Callable

_RECEIVE_BUFFER_BYTES = 1 << 20
"""For several seconds of many people, should the loop be busy."""
_LONGEST = 2048
_MOST_AT_ONCE = 128


class DatagramSocket(socket.socket):
    """Hands over all that has come in whenever the loop gets to it, many at once.

    discord.py reads in a thread of its own, which goes on to wait for as much as 30 s at a socket
    that another thread has closed: after a reconnection, the bot is deaf. This way there is no
    such thread. Open and close it on the loop's thread.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, take: Callable[[bytes], None]) -> None:
        super().__init__(socket.AF_INET, socket.SOCK_DGRAM)
        self.settimeout(0)
        self.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BUFFER_BYTES)
        self._loop = loop
        self._take = take
        loop.add_reader(self.fileno(), self._read)

    def close(self) -> None:
        """Read no more."""
        if self.fileno() >= 0:
            self._loop.remove_reader(self.fileno())
        super().close()

    def _read(self) -> None:
        # No more at once than that, so that a flood does not keep the loop from all else.
        for _ in range(_MOST_AT_ONCE):
            try:
                datagram = self.recv(_LONGEST)
            except OSError:
                # Nothing more is there, or a router has said that nobody listens over there.
                return
            self._take(datagram)
