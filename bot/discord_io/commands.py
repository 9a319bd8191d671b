"""Offers the commands to people, if they are not offered already."""

import logging
from collections.abc import Sequence
from typing import Any, cast

import discord
from discord.http import Route

from bot.commands.offered import OfferedCommands
from bot.discord_io.command_ids import CommandIds
from bot.discord_io.command_store import EVERYWHERE, CommandKey, CommandStore, Registered
from bot.discord_io.command_table import (
    CHAT_INPUT,
    Registration,
    check_number,
    digest_of,
    registration,
    same_registration,
)

logger = logging.getLogger(__name__)

_GONE = frozenset({403, 404})
"""Of a guild that the bot has been thrown out of."""


class CommandRegister:
    """Tells Discord of the commands; nothing is asked of it if it was told the same before.

    Args:
        guild_ids: The guilds that they are for; none means everywhere. Those that were offered
            elsewhere before are then taken back, or people would see each of them twice.
        store: Remembers what Discord was told; without one it is asked at each start.
        ids: Is told the ids that Discord gave them.
        offered: Knows which commands there are at present; those of the table if none is given.

    Raises:
        TooManyCommandsError: If Discord does not take as many.
    """

    def __init__(
        self,
        guild_ids: Sequence[int] = (),
        store: CommandStore | None = None,
        ids: CommandIds | None = None,
        *,
        offered: OfferedCommands | None = None,
    ) -> None:
        self.offered = offered or OfferedCommands()
        """Knows which commands there are at present."""
        self._guild_ids = tuple(guild_ids)
        self._store = store
        self._ids = ids or CommandIds()
        self._wanted()

    def is_for(self, guild_id: int) -> bool:
        """Say whether a guild has commands of its own."""
        return guild_id in self._wanted()

    async def register(self, client: discord.Client) -> None:
        """Tell Discord what it does not know yet.

        Args:
            client: A client that is logged in.

        Raises:
            Exception: If that failed somewhere; elsewhere it was done.
        """
        application_id = _application_id(client)
        told = {} if self._store is None else await self._store.read(application_id)
        all_wanted = self._wanted()
        failures: list[Exception] = []
        for guild_id, wanted in all_wanted.items():
            try:
                await self._register_in(client, guild_id, wanted, told.get(guild_id))
            except discord.HTTPException as error:
                logger.warning("the commands of guild %s: %s", guild_id or "none", error)
                failures.append(error)
        for guild_id in told.keys() - all_wanted.keys():
            await self._take_back(client, guild_id)
        if failures:
            raise failures[0]

    async def register_anew(self, client: discord.Client, guild_id: int) -> None:
        """Tell Discord of the commands of a guild that the bot has just come to.

        Discord forgets them when the bot is thrown out.
        """
        await self._register_in(client, guild_id, self._wanted()[guild_id], None)

    def _wanted(self) -> dict[int, Registration]:
        """Return what Discord is to offer, by guild."""
        commands, groups = self.offered.all, self.offered.groups
        everywhere = registration(commands, groups, in_guild=False)
        check_number(everywhere)
        wanted: dict[int, Registration] = {EVERYWHERE: [] if self._guild_ids else everywhere}
        in_guild = registration(commands, groups, in_guild=True)
        return wanted | dict.fromkeys(self._guild_ids, in_guild)

    async def _register_in(
        self, client: discord.Client, guild_id: int, wanted: Registration, told: Registered | None
    ) -> None:
        digest = digest_of(wanted)
        if told is None or told.digest != digest:
            told = Registered(digest=digest, ids=await _registered(client, guild_id, wanted))
            if self._store is not None:
                await self._store.write(_application_id(client), guild_id, told)
        self._ids.learn(guild_id, told.ids)

    async def _take_back(self, client: discord.Client, guild_id: int) -> None:
        """Take the commands of a guild back that are not for it any more."""
        assert self._store is not None
        try:
            await _registered(client, guild_id, [])
        except discord.HTTPException as error:
            if error.status not in _GONE:
                raise
        await self._store.forget(_application_id(client), guild_id)


async def _registered(
    client: discord.Client, guild_id: int, wanted: Registration
) -> dict[CommandKey, int]:
    """See to it that Discord offers `wanted` in a guild, and return the ids."""
    offered = await _offered(client, guild_id)
    if not same_registration(wanted, offered):
        offered = await _offer(client, guild_id, wanted)
        logger.info("registered %s commands for guild %s", len(wanted), guild_id or "none")
    return {
        (command.get("type", CHAT_INPUT), str(command["name"])): int(command["id"])
        for command in offered
    }


async def _offered(client: discord.Client, guild_id: int) -> Registration:
    # discord.py's own method leaves the other languages out.
    path = "/applications/{application_id}/commands"
    if guild_id:
        path = "/applications/{application_id}/guilds/{guild_id}/commands"
    route = Route("GET", path, application_id=_application_id(client), guild_id=guild_id)
    return _plain(await client.http.request(route, params={"with_localizations": "true"}))


async def _offer(client: discord.Client, guild_id: int, wanted: Registration) -> Registration:
    application_id, payload = _application_id(client), cast("Any", wanted)
    if guild_id:
        return _plain(
            await client.http.bulk_upsert_guild_commands(application_id, guild_id, payload=payload)
        )
    return _plain(await client.http.bulk_upsert_global_commands(application_id, payload=payload))


def _application_id(client: discord.Client) -> int:
    assert client.application_id is not None
    return client.application_id


def _plain(commands: Any) -> Registration:
    return cast("Registration", commands)
