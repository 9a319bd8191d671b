"""Follows who is in the channel of a line, and whether the bot may speak there."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import NoReturn

import discord

from bot.access import Place
from bot.discord_io.voice.company import (
    Company,
    Podium,
    Restraint,
    can_be_heard,
    sorted_people,
)
from bot.discord_io.voice.discord_link import DiscordVoiceLink
from bot.discord_io.voice.reach import Reach
from bot.discord_io.voice.roster import Roster
from bot.discord_io.voice.stage import ask_to_speak
from bot.voice_door import MayNotSpeak, MaySpeak, VoiceEvent

_ASK_AGAIN_SECONDS = 15.0


class Attendance:
    """Tells who comes and goes.

    Args:
        place: The channel.
        reach: The client of the moment.
        roster: Who people are.
        link: Is told who is there.
        tell: Told what changes.
    """

    def __init__(
        self,
        place: Place,
        reach: Reach,
        roster: Roster,
        link: DiscordVoiceLink,
        tell: Callable[[VoiceEvent], None],
    ) -> None:
        self.place = place
        self._reach = reach
        self._roster = roster
        self._link = link
        self._tell = tell
        self._company = Company()
        self._podium = Podium()
        self._restraint = Restraint()
        self._asked_in: int | None = None
        self._changed = asyncio.Event()

    def changed(self) -> None:
        """Know that somebody came, went, or is there in another way."""
        self._changed.set()

    async def follow(self) -> NoReturn:
        """Tell what changes, until cancelled."""
        while True:
            is_complete = await self.look()
            await self._stand()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(None if is_complete else _ASK_AGAIN_SECONDS):
                    await self._changed.wait()
            self._changed.clear()

    async def look(self, *, is_first: bool = False) -> bool:
        """Find out who is there, and tell who came and went.

        Args:
            is_first: Whether nothing is to be told: whoever asks sees for themselves.

        Returns:
            Whether Discord has said of everyone who they are.
        """
        channel = self._reach.channel(self.place)
        if channel is None:
            return False
        own_id = self._reach.own_id
        others = [person_id for person_id in channel.voice_states if person_id != own_id]
        is_complete = await self._roster.learn(channel.guild, others)
        # Asked for again: meanwhile, somebody may have come or gone.
        states = channel.voice_states
        known = self._roster.known(channel.guild.id, [key for key in others if key in states])
        people, listeners, bots = sorted_people(states, known)
        is_heard = can_be_heard(states.get(own_id))
        self._link.set_people(people, listeners, is_heard=is_heard, bots=bots)
        for event in self._company.changes(known):
            if not is_first:
                self._tell(event)
        return is_complete

    async def _stand(self) -> None:
        """Tell what moderators do to the bot; on a stage, see to it that it may speak."""
        channel = self._reach.channel(self.place)
        own = None if channel is None else channel.voice_states.get(self._reach.own_id)
        if (restrained := self._restraint.change(own)) is not None:
            self._tell(restrained)
        is_stage = isinstance(channel, discord.StageChannel)
        is_audience = self._podium.change(own, is_stage=is_stage)
        if is_audience is None:
            return
        if not is_audience:
            self._tell(MaySpeak())
            return
        may_ask = False
        if isinstance(channel, discord.StageChannel) and self._asked_in != channel.id:
            # Once only: a moderator who sends the bot back among the audience means it.
            self._asked_in = channel.id
            may_ask = await ask_to_speak(channel)
        self._tell(MayNotSpeak(may_ask=may_ask))
