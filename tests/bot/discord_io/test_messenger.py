import asyncio
from types import SimpleNamespace
from typing import cast

import aiohttp
import discord
import pytest
from aiohttp.client_reqrep import ConnectionKey
from hypothesis import given
from hypothesis import strategies as st

from bot.access import Place
from bot.discord_io.carrying import messenger_error
from bot.discord_io.messenger import DiscordMessenger
from bot.discord_io.posting import wire_nonce
from bot.messenger import MessageContent, MessengerError

DISCORD = ConnectionKey("discord.com", 443, True, True, None, None, None)  # noqa: FBT003
PLACE = Place(guild_id=1, channel_id=2)


def answer(status: int) -> aiohttp.ClientResponse:
    return cast("aiohttp.ClientResponse", SimpleNamespace(status=status, reason="a reason"))


@given(st.text(), st.text())
def test_a_nonce_fits_and_differs_from_every_other(one: str, other: str) -> None:
    assert len(wire_nonce(one)) <= 25
    assert (wire_nonce(one) == wire_nonce(other)) == (one == other)


def test_a_short_nonce_is_sent_as_it_is() -> None:
    assert wire_nonce("n" * 25) == "n" * 25


@pytest.mark.parametrize(
    ("error", "fate_unknown"),
    [
        (discord.Forbidden(answer(403), "no"), False),
        (discord.HTTPException(answer(400), "bad"), False),
        (discord.RateLimited(100.0), False),
        (discord.DiscordServerError(answer(500), "oh"), True),
        (aiohttp.ServerDisconnectedError(), True),
        (ConnectionResetError(), True),
        (TimeoutError(), True),
        (RuntimeError("Session is closed"), True),
        (aiohttp.ClientConnectorError(DISCORD, OSError(111, "refused")), False),
    ],
)
def test_a_message_may_have_arrived_unless_it_was_refused(
    error: Exception, *, fate_unknown: bool
) -> None:
    assert messenger_error(error).fate_unknown is fate_unknown


async def test_without_a_connection_a_message_is_not_carried() -> None:
    messenger = DiscordMessenger(wait_seconds=0)
    with pytest.raises(MessengerError) as refused:
        await messenger.post(PLACE, MessageContent(text="hello"), nonce="n")
    assert refused.value.fate_unknown is False


async def test_typing_without_a_connection_harms_nothing() -> None:
    messenger = DiscordMessenger()
    async with asyncio.TaskGroup() as tasks:
        typing = tasks.create_task(messenger.keep_typing())
        async with messenger.typing(PLACE):
            pass
        typing.cancel()
