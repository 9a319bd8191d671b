"""What keeps the bot out of a voice channel."""

import discord

from bot.discord_io.voice.reach import VoiceChannel
from bot.voice_door import JoinTrouble, VoiceJoinError


def check_entry(channel: VoiceChannel, me: discord.Member) -> None:
    """Refuse to try what Discord would not answer at all.

    Raises:
        VoiceJoinError: If the bot may not enter or speak there, or there is no room.
    """
    allowed = channel.permissions_for(me)
    missing = _missing(channel, allowed)
    if missing is not None:
        raise VoiceJoinError(JoinTrouble.NO_PERMISSION, missing)
    others = [person_id for person_id in channel.voice_states if person_id != me.id]
    is_full = 0 < channel.user_limit <= len(others)
    if is_full and not allowed.move_members:
        raise VoiceJoinError(JoinTrouble.FULL, "its limit is reached")


def _missing(channel: VoiceChannel, allowed: discord.Permissions) -> str | None:
    """Return the first thing that is missing, by the name that Discord shows.

    The others can only be seen when it is there: who does not see a channel may do nothing there.
    """
    if not allowed.view_channel:
        return "View Channel"
    if not allowed.connect:
        return "Connect"
    # On a stage it is asked for later.
    is_stage = isinstance(channel, discord.StageChannel)
    return None if allowed.speak or is_stage else "Speak"
