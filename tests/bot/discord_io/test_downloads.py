"""Files are fetched from the simulated Discord, over the real connections."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.conversation.incoming import Attachment
from bot.discord_io.downloads import DiscordDownloads
from bot.discord_io.link import DiscordLink
from bot.messenger import MessengerError
from simulator.discord import DiscordSimulator, running_discord
from tests.fakes.discord_bot import bot_on
from tests.fakes.listener import FakeListener
from tests.fakes.waiting import until

CONTENT = bytes(range(256)) * 1000


async def posted(discord: DiscordSimulator, listener: FakeListener) -> Attachment:
    """Let somebody send a file, and return what the listener hears of it."""
    alice, general = discord.person("alice"), discord.text_channel("general")
    alice.say(general, "here", files={"data.bin": CONTENT})
    await until(lambda: bool(listener.messages))
    (attachment,) = listener.messages[-1].attachments
    return attachment


async def test_a_file_is_fetched_whole(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener) as link:
        attachment = await posted(discord, listener)
        assert await link.attachments.read(attachment, most_bytes=len(CONTENT)) == CONTENT


async def test_a_file_that_is_too_large_is_not_fetched(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener) as link:
        attachment = await posted(discord, listener)
        with pytest.raises(MessengerError, match="larger than 100 bytes") as refused:
            await link.attachments.read(attachment, most_bytes=100)
        assert refused.value.is_final
        # Nor is one that is larger than it was said to be.
        small = replace(attachment, size_bytes=1)
        with pytest.raises(MessengerError, match="larger than 100 bytes"):
            await link.attachments.read(small, most_bytes=100)


async def test_a_file_whose_address_is_good_no_more_cannot_be_had(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener) as link:
        attachment = await posted(discord, listener)
        discord.expire_files()
        with pytest.raises(MessengerError, match="status 404") as refused:
            await link.attachments.read(attachment, most_bytes=1 << 20)
    assert refused.value.is_final


@pytest.mark.parametrize(
    "url",
    [
        "http://cdn.discordapp.com/attachments/1/2/a.txt",
        "https://cdn.discordapp.com.example/attachments/1/2/a.txt",
        "https://example.com/a.txt",
        "https://cdn.discordapp.com@example.com/a.txt",
        "https://me@cdn.discordapp.com/a.txt",
        "https://cdn.discordapp.com:8080/a.txt",
        "https://127.0.0.1/a.txt",
        "file:///etc/passwd",
        "https://[",
        "",
    ],
)
async def test_nothing_is_fetched_from_anywhere_else(tmp_path: Path, url: str) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener) as link:
        elsewhere = replace(await posted(discord, listener), url=url)
        with pytest.raises(MessengerError, match="not where Discord keeps them") as refused:
            await link.attachments.read(elsewhere, most_bytes=1 << 20)
    assert refused.value.is_final


async def test_without_a_connection_nothing_is_fetched(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord:
        async with bot_on(discord, listener) as link:
            attachment = await posted(discord, listener)
        for downloads in (DiscordDownloads(), link.attachments, DiscordLink().attachments):
            with pytest.raises(MessengerError, match="no connection"):
                await downloads.read(attachment, most_bytes=1 << 20)


async def test_fetching_leaves_the_clients_own_connections_alone(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener) as link:
        attachment = await posted(discord, listener)
        for _ in range(3):
            await link.attachments.read(attachment, most_bytes=1 << 20)
        place = listener.messages[0].place
        assert await link.history.since(place.channel_id, 1)
