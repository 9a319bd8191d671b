"""Threads, as the real discord.py sees them."""

from collections.abc import AsyncIterator

import discord as discord_py
import pytest

from simulator.discord import DiscordSimulator
from simulator.discord.errors import ApiError, NotAllowedError
from simulator.discord.model import MessageKind
from simulator.discord.permissions import Permission
from tests.fakes.rich_bot import RichBot, running_rich_bot
from tests.simulator.discord.test_gateway import client_of


@pytest.fixture
async def rich(discord: DiscordSimulator) -> AsyncIterator[RichBot]:
    async with running_rich_bot(discord) as running:
        yield running


async def test_the_bot_opens_a_thread_in_which_people_write(
    discord: DiscordSimulator, rich: RichBot
) -> None:
    alice, general = discord.person("alice"), discord.text_channel("general")
    opened = await rich.channel(general.id).create_thread(
        name="Plans", type=discord_py.ChannelType.public_thread
    )
    (thread,) = discord.threads(general)
    assert (thread.id, thread.name, thread.parent_id) == (opened.id, "Plans", general.id)
    announced = await alice.sees(general, "Plans")
    assert announced.kind is MessageKind.THREAD_CREATED
    assert discord.bot_messages(general) == []

    said = alice.say(thread, "hi")
    reply = await alice.sees(thread, "hello alice")
    assert (reply.channel.id, reply.reply_to) == (thread.id, said.id)
    await rich.hears(f"joined: {alice.id}")
    heard = [message.content async for message in opened.history(oldest_first=True)]
    assert heard == [said.text, "hello alice"]
    assert [message.text for message in general.messages_for(alice)] == ["Plans"]
    seen = rich.get_channel(opened.id)
    assert isinstance(seen, discord_py.Thread)
    assert (seen.owner_id, seen.me is not None) == (discord.bot.id, True)


async def test_a_thread_opened_from_a_message_begins_with_it(
    discord: DiscordSimulator, rich: RichBot
) -> None:
    alice, general = discord.person("alice"), discord.text_channel("general")
    said = alice.say(general, "a long story", mention_bot=False)
    await rich.hears("default in general: a long story")
    message = await rich.channel(general.id).fetch_message(said.id)
    opened = await message.create_thread(name="Story")
    assert opened.id == said.id
    (first,) = [message async for message in opened.history()]
    assert first.type is discord_py.MessageType.thread_starter_message
    assert isinstance(first.reference and first.reference.resolved, discord_py.Message)
    again = await rich.channel(general.id).fetch_message(said.id)
    assert (again.flags.has_thread, again.thread) == (True, opened)
    with pytest.raises(discord_py.HTTPException, match="already been created"):
        await message.create_thread(name="Another")


async def test_people_open_threads_of_which_the_bot_hears(
    discord: DiscordSimulator, rich: RichBot
) -> None:
    alice, general = discord.person("alice"), discord.text_channel("general")
    thread = alice.open_thread(general, "Ideas")
    await rich.hears("thread: Ideas in general")
    alice.say(thread, "hi", mention_bot=False)
    await alice.sees(thread, "hello alice")
    with pytest.raises(ApiError, match="Cannot execute action"):
        alice.open_thread(thread, "nested")


async def test_a_thread_is_renamed_put_away_and_brought_back(
    discord: DiscordSimulator, rich: RichBot
) -> None:
    alice, general = discord.person("alice"), discord.text_channel("general")
    thread = alice.open_thread(general, "Old")
    await rich.hears("thread: Old in general")
    seen = rich.get_channel(thread.id)
    assert isinstance(seen, discord_py.Thread)
    await seen.edit(name="New", archived=True)
    await rich.hears("thread New: archived")
    assert (thread.name, thread.is_archived) == ("New", True)
    archived = [one.id async for one in rich.channel(general.id).archived_threads()]
    assert archived == [thread.id]

    alice.say(thread, "wake up", mention_bot=False)
    await rich.hears("thread New: ")
    assert not thread.is_archived
    await rich.hears("default in New: wake up")

    await seen.edit(archived=True, locked=True)
    with pytest.raises(NotAllowedError, match="alice may not write in New"):
        alice.say(thread, "again", mention_bot=False)
    active = await rich.channel(general.id).guild.active_threads()
    assert active == []


async def test_the_third_rename_within_ten_minutes_is_refused(
    discord: DiscordSimulator, rich: RichBot
) -> None:
    rich.http.max_ratelimit_timeout = 30.0
    thread = discord.person("alice").open_thread(discord.text_channel("general"), "0")
    await rich.hears("thread: 0 in general")
    seen = rich.get_channel(thread.id)
    assert isinstance(seen, discord_py.Thread)
    await seen.edit(name="1")
    await seen.edit(name="1", archived=False)
    await seen.edit(name="2")
    with pytest.raises(discord_py.RateLimited) as refused:
        await seen.edit(name="3")
    assert 590 < refused.value.retry_after <= 600
    assert thread.name == "2"


async def test_the_bot_joins_leaves_and_deletes_a_thread(
    discord: DiscordSimulator, rich: RichBot
) -> None:
    general = discord.text_channel("general")
    thread = discord.person("alice").open_thread(general, "Brief")
    await rich.hears("thread: Brief in general")
    seen = rich.get_channel(thread.id)
    assert isinstance(seen, discord_py.Thread)
    await seen.join()
    assert discord.bot.id in {member.id for member in await seen.fetch_members()}
    await seen.leave()
    await rich.hears("left: Brief")
    await seen.delete()
    assert discord.threads(general) == []


async def test_threads_that_were_there_before_are_known_at_the_start(
    discord: DiscordSimulator,
) -> None:
    alice, general = discord.person("alice"), discord.text_channel("general")
    thread = alice.open_thread(general, "Early")
    alice.archive(alice.open_thread(general, "Archived"))
    async with running_rich_bot(discord) as rich:
        assert [one.id for one in rich.channel(general.id).threads] == [thread.id]
        alice.say(thread, "hi")
        await alice.sees(thread, "hello alice")


async def test_threads_of_a_channel_that_comes_into_sight_are_told_of(
    discord: DiscordSimulator, rich: RichBot
) -> None:
    alice, general = discord.person("alice"), discord.text_channel("general")
    discord.shut_out(general)
    thread = alice.open_thread(general, "Unseen")
    alice.say(thread, "hi")
    discord.let_in(general)
    alice.say(thread, "hi again, hi")
    await alice.sees(thread, "hello alice")
    assert rich.heard == [f"<@{discord.bot.id}> hi again, hi"]


async def test_a_bot_that_may_open_no_threads_is_refused(
    discord: DiscordSimulator, rich: RichBot
) -> None:
    discord.refuse_bot(Permission.CREATE_PUBLIC_THREADS)
    channel = rich.channel(discord.text_channel("general").id)
    kind = discord_py.ChannelType.public_thread
    with pytest.raises(discord_py.Forbidden) as refused:
        await channel.create_thread(name="no", type=kind)
    assert refused.value.code == 50013
    discord.grant_bot(Permission.CREATE_PUBLIC_THREADS)
    await channel.create_thread(name="yes", type=kind)


async def test_the_title_of_a_thread_is_at_most_100_characters_long(
    discord: DiscordSimulator, rich: RichBot
) -> None:
    channel = rich.channel(discord.text_channel("general").id)
    kind = discord_py.ChannelType.public_thread
    await channel.create_thread(name="x" * 100, type=kind)
    with pytest.raises(discord_py.HTTPException, match="between 1 and 100"):
        await channel.create_thread(name="x" * 101, type=kind)


async def test_with_its_channel_a_thread_goes(discord: DiscordSimulator, rich: RichBot) -> None:
    alice, doomed = discord.person("alice"), discord.text_channel("doomed")
    alice.open_thread(doomed, "In it")
    await rich.hears("thread: In it in doomed")
    discord.delete_channel(doomed)
    await rich.hears("gone: In it")


async def test_of_a_thread_that_is_deleted_it_is_told_where_it_was(
    discord: DiscordSimulator,
) -> None:
    alice, general = discord.person("alice"), discord.text_channel("general")
    async with client_of(discord) as client:
        await client.identify(discord)
        thread = alice.open_thread(general, "In it")
        discord.delete_channel(thread)
        told = (await client.until("THREAD_DELETE"))["d"]
    assert told == {
        "id": str(thread.id),
        "guild_id": str(discord.guild.id),
        "parent_id": str(general.id),
        "type": 11,
    }
