"""Who the people in voice channels are."""

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from math import inf

import aiohttp
import discord

from bot.access import Person
from bot.discord_io.translation import person_of

logger = logging.getLogger(__name__)

_MOST_ASKED_FOR = 50
"""At once; on a stage, hundreds may listen."""
_FRESH_SECONDS = 60.0
"""Names and roles may change without word of it."""


@dataclass(frozen=True, slots=True)
class _Face:
    person: Person
    seen_at: float


class Roster:
    """Remembers names and roles, which come with each change of a voice state, and asks for others.

    discord.py keeps no members here: whoever sat in a channel before the bot came online is known
    by id alone.
    """

    def __init__(self) -> None:
        self._faces: dict[tuple[int, int], _Face] = {}

    def saw(self, member: discord.Member, *, is_there: bool) -> None:
        """Know somebody who is in a voice channel, or forget who is not any more."""
        key = (member.guild.id, member.id)
        self._faces.pop(key, None)
        if is_there:
            now = asyncio.get_running_loop().time()
            self._faces[key] = _Face(person_of(member), now)

    def known(self, guild_id: int, people: Iterable[int]) -> list[Person]:
        """Return those of `people` who are known."""
        faces = (self._faces.get((guild_id, person_id)) for person_id in people)
        return [face.person for face in faces if face is not None]

    async def learn(
        self, guild: discord.Guild, people: Iterable[int], *, is_fresh: bool = False
    ) -> bool:
        """Ask Discord who those are that are not known.

        Args:
            guild: Where they are.
            people: Their ids.
            is_fresh: Whether to ask again for those of whom nothing was heard for a minute.

        Returns:
            Whether all of them are known now.
        """
        now = asyncio.get_running_loop().time()
        oldest = now - _FRESH_SECONDS if is_fresh else -inf
        unknown = [person for person in people if not self._is_known(guild.id, person, oldest)]
        for person_id in unknown[:_MOST_ASKED_FOR]:
            await self._ask(guild, person_id)
        return all(self._is_known(guild.id, person_id, -inf) for person_id in unknown)

    def forget_all(self) -> None:
        """Know that it is not told any more who comes and goes."""
        self._faces.clear()

    def _is_known(self, guild_id: int, person_id: int, oldest: float) -> bool:
        face = self._faces.get((guild_id, person_id))
        return face is not None and face.seen_at >= oldest

    async def _ask(self, guild: discord.Guild, person_id: int) -> None:
        try:
            self.saw(await guild.fetch_member(person_id), is_there=True)
        except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
            logger.warning("Discord does not say who %d is: %r", person_id, error)
