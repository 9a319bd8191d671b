"""Connects to a voice channel, once."""

import asyncio
import logging

import aiohttp
import discord

from bot.access import Place
from bot.discord_io.voice.close_codes import Sequel, sequel_of
from bot.discord_io.voice.connection import Connection
from bot.discord_io.voice.options import VoiceOptions
from bot.discord_io.voice.permissions import check_entry
from bot.discord_io.voice.reach import Reach, VoiceChannel
from bot.voice_door import JoinTrouble, VoiceJoinError

logger = logging.getLogger(__name__)


async def dial(reach: Reach, place: Place, connection: Connection, options: VoiceOptions) -> None:
    """Connect; if that fails, nothing is left of it.

    Raises:
        VoiceJoinError: If it was not possible.
    """
    channel = await _entered(reach, place)
    try:
        await _connect(channel, connection, options)
    except BaseException:
        await connection.close()
        raise


async def leave(channel: VoiceChannel) -> None:
    """Ask to be let out of a channel; whether it was heard is told by the voice state."""
    try:
        await channel.guild.change_voice_state(channel=None)
    except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
        logger.info("a voice channel could not be left: %r", error)


async def _entered(reach: Reach, place: Place) -> VoiceChannel:
    """Return the channel, if it can be entered."""
    if not reach.is_online:
        raise VoiceJoinError(JoinTrouble.OFFLINE)
    await reach.until_told_of(place)
    channel = reach.channel(place)
    if channel is None:
        is_told = reach.has_told_of(place)
        raise VoiceJoinError(JoinTrouble.GONE if is_told else JoinTrouble.OFFLINE)
    check_entry(channel, channel.guild.me)
    return channel


async def _connect(channel: VoiceChannel, connection: Connection, options: VoiceOptions) -> None:
    try:
        left_over = channel.guild.voice_client
        if left_over is not None:
            await left_over.disconnect(force=True)
        # Not `reconnect`: it is done by the supervisor, which does not wait first.
        await channel.connect(cls=connection.open, timeout=options.dial_seconds, reconnect=False)
    except discord.ConnectionClosed as error:
        trouble = JoinTrouble.TIMED_OUT
        if sequel_of(error.code) is Sequel.NO_ENCRYPTION:
            trouble = JoinTrouble.NO_ENCRYPTION
        detail = f"Discord's voice server closed the connection ({error.code})"
        raise VoiceJoinError(trouble, detail) from error
    except TimeoutError as error:
        raise VoiceJoinError(JoinTrouble.TIMED_OUT) from error
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        # discord.py gives up a handshake by cancelling it when it gets another server meanwhile.
        raise VoiceJoinError(JoinTrouble.TIMED_OUT) from None
    except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
        logger.warning("a voice server could not be reached: %r", error)
        raise VoiceJoinError(JoinTrouble.TIMED_OUT, "its server cannot be reached") from error
