"""How an unmodified client reaches the simulator: every host name leads to one loopback port."""

import socket
import ssl
from pathlib import Path

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult


class _OnePort(AbstractResolver):
    """Gives one address for every name; aiohttp takes the port from the answer, too."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        del port, family
        return [
            ResolveResult(
                hostname=host,
                host="127.0.0.1",
                port=self._port,
                family=socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
        ]

    async def close(self) -> None:
        """Nothing is held."""


def loopback_connector(*, port: int, ca_path: Path) -> aiohttp.TCPConnector:
    """Return a connector for `discord.Client(connector=...)`.

    Args:
        port: The simulator's TLS port.
        ca_path: The authority that it shows a certificate of.
    """
    context = ssl.create_default_context(cafile=ca_path)
    return aiohttp.TCPConnector(limit=0, resolver=_OnePort(port), ssl=context)
