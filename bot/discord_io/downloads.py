"""Fetches files that people attached to their messages, from where Discord keeps them."""

import asyncio

import aiohttp
import discord
from yarl import URL

from bot.conversation.incoming import Attachment
from bot.messenger import MessengerError

_HOSTS = frozenset({"cdn.discordapp.com", "media.discordapp.net"})
_SECONDS = 60.0
_CHUNK_BYTES = 1 << 16
_FOUND = 200
_GONE = frozenset({403, 404, 410})
"""The address was good for a day, or the file is deleted."""


class DiscordDownloads:
    """Implements `AttachmentSource`; outlives the clients whose connections it uses."""

    def __init__(self) -> None:
        self._client: discord.Client | None = None

    def use(self, client: discord.Client) -> None:
        """Fetch over the connections of `client` from now on; it is logged in."""
        self._client = client

    def pause(self) -> None:
        """Fetch nothing until there is a client again."""
        self._client = None

    async def read(self, attachment: Attachment, *, most_bytes: int) -> bytes:
        """Return what a file holds.

        Args:
            attachment: The file.
            most_bytes: A larger one is not fetched.

        Raises:
            MessengerError: If it cannot be had.
        """
        client = self._client
        if client is None:
            raise MessengerError("there is no connection to it")
        if attachment.size_bytes > most_bytes:
            raise _too_large(most_bytes)
        url = _checked(attachment.url)
        try:
            async with asyncio.timeout(_SECONDS), _session(client) as session:
                return await _fetched(session, client, url, most_bytes)
        except TimeoutError as error:
            raise MessengerError("a file did not come in time") from error
        except (aiohttp.ClientError, OSError, RuntimeError) as error:
            # Not its words: the address in them has the name of the file, which its author chose.
            kind = type(error).__name__
            raise MessengerError(f"a file could not be fetched: {kind}") from error


def _checked(address: str) -> URL:
    """Return an address of Discord's own; a message must not lead the bot anywhere else."""
    try:
        url = URL(address)
        is_discords = url.scheme == "https" and url.host in _HOSTS and url.explicit_port is None
    except ValueError:
        is_discords, url = False, URL()
    if not is_discords or url.user is not None:
        raise MessengerError("a file is not where Discord keeps them", is_final=True)
    return url


def _session(client: discord.Client) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(connector=client.http.connector, connector_owner=False)


async def _fetched(
    session: aiohttp.ClientSession, client: discord.Client, url: URL, most_bytes: int
) -> bytes:
    answer = session.get(
        url,
        allow_redirects=False,
        # What is counted is then what comes.
        headers={"Accept-Encoding": "identity"},
        proxy=client.http.proxy,
        proxy_auth=client.http.proxy_auth,
    )
    async with answer as response:
        if response.status != _FOUND:
            raise MessengerError(
                f"a file could not be fetched: status {response.status}",
                is_final=response.status in _GONE,
            )
        content = bytearray()
        async for chunk in response.content.iter_chunked(_CHUNK_BYTES):
            content += chunk
            if len(content) > most_bytes:
                raise _too_large(most_bytes)
        return bytes(content)


def _too_large(most_bytes: int) -> MessengerError:
    return MessengerError(f"a file is larger than {most_bytes} bytes", is_final=True)
