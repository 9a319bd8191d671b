"""Speaking on a stage, where one has to be let."""

import logging

import aiohttp
import discord

logger = logging.getLogger(__name__)


async def ask_to_speak(channel: discord.StageChannel) -> bool:
    """Become a speaker, or ask to become one; return whether that could be asked for."""
    me = channel.guild.me
    allowed = channel.permissions_for(me)
    try:
        if allowed.mute_members:
            # Whoever moderates a stage needs nobody's leave.
            await me.edit(suppress=False)
        elif allowed.request_to_speak:
            await me.request_to_speak()
        else:
            return False
    except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
        logger.warning("it could not be asked to speak on a stage: %r", error)
        return False
    return True
