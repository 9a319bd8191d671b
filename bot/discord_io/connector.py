"""Where Discord is: the real one, or one that the configuration names."""

import asyncio
import socket
import ssl
from pathlib import Path

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult


class _OneEndpoint(AbstractResolver):
    """Leads every host name to one address; aiohttp takes the port from the answer, too."""

    def __init__(self, host: str, port: int) -> None:
        self._host = host
        self._port = port

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        del port
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(
            self._host, self._port, family=family, type=socket.SOCK_STREAM
        )
        return [
            ResolveResult(
                hostname=host,
                host=str(address[0]),
                port=int(address[1]),
                family=kind,
                proto=protocol,
                flags=0,
            )
            for kind, _, protocol, _, address in found
        ]

    async def close(self) -> None:
        """There is nothing to close."""


def discord_connector(host: str, port: int, ca_path: Path | None = None) -> aiohttp.TCPConnector:
    """Return a connector that reaches all of Discord's hosts at one place.

    Args:
        host: Where to.
        port: Where to.
        ca_path: Who signed its certificate, where that is not one of the public authorities.
    """
    trusted = ssl.create_default_context(cafile=ca_path)
    return aiohttp.TCPConnector(limit=0, resolver=_OneEndpoint(host, port), ssl=trusted)
