"""Offers the slash commands to people, if they are not offered already."""

import logging
from collections.abc import Sequence
from typing import Any, cast

import discord

from bot.discord_io.command_table import COMMANDS, GROUPS, registration, same_registration

logger = logging.getLogger(__name__)


async def register_commands(client: discord.Client, guild_ids: Sequence[int]) -> None:
    """Tell Discord of the commands; nothing is sent where it knows them already.

    Args:
        client: A client that is logged in.
        guild_ids: The guilds that they are for; none means everywhere. Those that were offered
            everywhere before are then taken back, or people would see each of them twice.
    """
    everywhere = registration(COMMANDS, GROUPS, in_guild=False)
    await _register_everywhere(client, [] if guild_ids else everywhere)
    for guild_id in guild_ids:
        await _register_in_guild(client, guild_id, registration(COMMANDS, GROUPS, in_guild=True))


async def _register_everywhere(client: discord.Client, wanted: list[dict[str, Any]]) -> None:
    application_id = _application_id(client)
    registered = await client.http.get_global_commands(application_id)
    if not same_registration(wanted, _plain(registered)):
        await client.http.bulk_upsert_global_commands(application_id, payload=_typed(wanted))
        logger.info("registered %s commands", len(wanted))


async def _register_in_guild(
    client: discord.Client, guild_id: int, wanted: list[dict[str, Any]]
) -> None:
    application_id = _application_id(client)
    registered = await client.http.get_guild_commands(application_id, guild_id)
    if not same_registration(wanted, _plain(registered)):
        await client.http.bulk_upsert_guild_commands(
            application_id, guild_id, payload=_typed(wanted)
        )
        logger.info("registered %s commands in guild %s", len(wanted), guild_id)


def _application_id(client: discord.Client) -> int:
    assert client.application_id is not None
    return client.application_id


def _plain(registered: Any) -> list[dict[str, Any]]:
    return cast("list[dict[str, Any]]", registered)


def _typed(wanted: list[dict[str, Any]]) -> Any:
    return wanted
