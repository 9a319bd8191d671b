"""Makes a request to Discord, and says what it means if that fails."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import aiohttp
import discord

from bot.messenger import MessengerError

T = TypeVar("T")

_CALL_SECONDS = 60.0
"""discord.py itself tries five times in 25 seconds where Discord's servers are in trouble."""
_TRIED_BY_DISCORD_PY = frozenset({500, 502, 504, 524})
_PAUSES_SECONDS = (0.5, 1.0, 2.0)
"""Between the attempts while Discord says that it is overloaded, as with status 503."""
_TRIED_LATER = frozenset({401, 408, 429})
"""Refusals that say nothing about the message or the place."""
_UNKNOWN_CHANNEL = 10003

FAULTS = (
    discord.DiscordException,
    aiohttp.ClientError,
    OSError,
    TimeoutError,
    RuntimeError,  # aiohttp says so of a session that was closed meanwhile
    KeyError,  # discord.py says so of an answer that lacks something
)
"""How a request can fail."""


async def carried(request: Callable[[], Awaitable[T]]) -> T:
    """Do what discord.py does not: try again while Discord is overloaded.

    Raises:
        MessengerError: If it failed.
    """
    try:
        async with asyncio.timeout(_CALL_SECONDS):
            for seconds in _PAUSES_SECONDS:
                try:
                    return await request()
                except discord.DiscordServerError as error:
                    if error.status in _TRIED_BY_DISCORD_PY:
                        raise
                await asyncio.sleep(seconds)
            return await request()
    except FAULTS as error:
        raise messenger_error(error) from error


async def carried_unless(codes: frozenset[int], request: Callable[[], Awaitable[object]]) -> None:
    """Do the same, where some refusals say that there is nothing left to do.

    Args:
        codes: Discord's own numbers of these refusals.
        request: What is asked of it.

    Raises:
        MessengerError: If it failed for another reason.
    """

    async def attempt() -> None:
        try:
            await request()
        except discord.HTTPException as error:
            if error.code not in codes:
                raise

    await carried(attempt)


def messenger_error(error: Exception) -> MessengerError:
    """Return what a fault of a request means for the message in it."""
    if isinstance(error, TimeoutError):
        return MessengerError("it did not answer in time", fate_unknown=True)
    refused = isinstance(error, discord.DiscordException) and not isinstance(
        error, discord.DiscordServerError
    )
    never_left = isinstance(error, aiohttp.ClientConnectorError)
    return MessengerError(
        str(error) or repr(error),
        fate_unknown=not (refused or never_left),
        is_final=isinstance(error, discord.HTTPException) and _is_final(error),
        is_gone=isinstance(error, discord.NotFound) and error.code == _UNKNOWN_CHANNEL,
        retry_after_seconds=error.retry_after if isinstance(error, discord.RateLimited) else 0.0,
    )


def _is_final(error: discord.HTTPException) -> bool:
    # Without a code of its own it is not Discord that refuses, but something on the way to it.
    is_refusal = 400 <= error.status < 500 and error.code != 0  # noqa: PLR2004 - of HTTP
    return is_refusal and error.status not in _TRIED_LATER
