import time
from dataclasses import replace
from pathlib import Path

import pytest

from bot.access import Person, Place
from bot.conversation.incoming import IncomingMessage
from bot.discord_io.history import DiscordHistory
from bot.discord_io.link import DiscordState
from bot.messenger import MessageContent, MessageRef, MessengerError
from simulator.discord import running_discord
from simulator.discord.journal import GatewayOpened
from tests.fakes.discord_bot import bot_on, options_for
from tests.fakes.listener import FakeListener
from tests.fakes.waiting import until

MEMBERS = "/guilds/{guild_id}/members/{user_id}"


async def test_what_is_read_later_is_just_as_if_it_had_been_heard(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord:
        alice, general = discord.person("alice"), discord.text_channel("general")
        role = discord.role("friends")
        alice.give(role)
        first = alice.say(general, "first")
        second = alice.say(general, "second")
        alice.say(general, "third", mention_bot=False)
        discord.add_webhook("hook").say(general, "ping")
        listener = FakeListener()
        async with bot_on(discord, listener) as link:
            place = Place(guild_id=discord.guild.id, channel_id=general.id)
            await link.messenger.post(place, MessageContent(text="my own"), nonce="n")
            alice.say(general, "fourth")
            await until(lambda: len(listener.messages) == 1)
            read = await link.history.since(general.id, first.id)
            asked = len(discord.journal.requests("GET", MEMBERS))

    *_, heard = listener.messages
    assert [message.text for message in read] == ["second", "third", "ping", "fourth"]
    assert [message.mentions_bot for message in read] == [True, False, True, True]
    assert [message.author.is_automatic for message in read] == [False, False, True, False]
    assert read[-1] == heard
    assert read[0] == IncomingMessage(
        ref=MessageRef(channel_id=general.id, message_id=second.id),
        author=Person(
            id=alice.id, name="alice", guild_id=discord.guild.id, role_ids=frozenset({role.id})
        ),
        place=place,
        text="second",
        mentions_bot=True,
    )
    assert asked == 1


async def test_what_was_answered_already_is_not_read_again(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        alice, general = discord.person("alice"), discord.text_channel("general")
        place = Place(guild_id=discord.guild.id, channel_id=general.id)
        first, marked, answered, _ = (alice.say(general, f"number {n}") for n in range(4))
        refs = [MessageRef(channel_id=general.id, message_id=m.id) for m in (marked, answered)]
        await link.messenger.react(refs[0], "✅")
        hello = MessageContent(text="hello")
        await link.messenger.post(place, hello, nonce="n", reply_to=refs[1])
        read = await link.history.since(general.id, first.id)

    assert [message.text for message in read] == ["number 3"]


async def test_direct_messages_are_read_too(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        alice = discord.person("alice")
        direct = alice.direct_messages()
        first = alice.say(direct, "first")
        alice.say(direct, "second")
        (read,) = await link.history.since(direct.id, first.id)

    assert (read.text, read.place) == ("second", Place(guild_id=None, channel_id=direct.id))
    assert read.author == Person(id=alice.id, name="alice")


async def test_of_very_much_the_newest_hundred_are_read(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        alice, general = discord.person("alice"), discord.text_channel("general")
        first = alice.say(general, "first")
        for number in range(120):
            alice.say(general, f"number {number}")
        read = await link.history.since(general.id, first.id)

    assert [message.text for message in read] == [f"number {n}" for n in range(20, 120)]


async def test_a_channel_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        with pytest.raises(MessengerError, match="Unknown Channel"):
            await link.history.since(99, 1)
    with pytest.raises(MessengerError, match="no connection"):
        await DiscordHistory().since(99, 1)


async def test_a_gap_is_told_of_before_the_next_message_and_only_where_there_may_be_one(
    tmp_path: Path,
) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener) as link:
        alice, general = discord.person("alice"), discord.text_channel("general")
        alice.say(general, "one")
        await until(lambda: len(listener.messages) == 1)
        await discord.drop_gateway(4000)
        await until(lambda: discord.journal.of(GatewayOpened)[-1].was_resumed)
        alice.say(general, "two")
        await until(lambda: len(listener.messages) == 2)
        gaps_so_far = list(listener.gaps)
        await discord.drop_gateway(4000, can_resume=False)
        await until(lambda: len(listener.gaps) == 2)
        await until(lambda: link.state is DiscordState.CONNECTED)

    assert gaps_so_far == [0]
    assert listener.gaps == [0, 2]


async def test_a_reaction_stands_once(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        general = discord.text_channel("general")
        said = discord.person("alice").say(general, "hi")
        for _ in range(2):
            await link.messenger.react(MessageRef(channel_id=general.id, message_id=said.id), "✅")
        now = discord.message(said)

    assert now is not None
    assert now.reactions == {"✅": frozenset({discord.bot.id})}


async def test_one_message_is_read_as_it_reads_now_until_it_is_gone(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        alice, general = discord.person("alice"), discord.text_channel("general")
        role = discord.role("friends")
        alice.give(role)
        said = alice.say(general, "wrong")
        ref = MessageRef(channel_id=general.id, message_id=said.id)
        alice.edit(said, "right")
        edited = await link.history.message(ref)
        alice.delete(said)
        gone = await link.history.message(ref)

    assert edited is not None
    assert (edited.ref, edited.text, edited.mentions_bot) == (ref, "right", False)
    assert edited.author.role_ids == {role.id}
    assert gone is None


async def test_a_message_that_only_waits_counts_as_unanswered(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        alice, general = discord.person("alice"), discord.text_channel("general")
        first, waiting = (alice.say(general, f"number {n}") for n in range(2))
        ref = MessageRef(channel_id=general.id, message_id=waiting.id)
        await link.messenger.react(ref, "👀")
        read = await link.history.since(general.id, first.id)

    assert [message.text for message in read] == ["number 1"]


async def test_of_whoever_is_not_wanted_nothing_more_is_asked(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        alice, general = discord.person("alice"), discord.text_channel("general")
        first = alice.say(general, "first")
        alice.say(general, "among ourselves", mention_bot=False)
        none = await link.history.since(general.id, first.id, is_wanted=lambda m: m.mentions_bot)
        asked = discord.journal.requests("GET", MEMBERS)
        alice.say(general, "hi")
        (read,) = await link.history.since(general.id, first.id, is_wanted=lambda m: m.mentions_bot)

    assert (none, asked) == ([], [])
    assert read.text == "hi"


async def test_it_is_known_at_once_where_something_was_written(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord:
        alice, guild_id = discord.person("alice"), discord.guild.id
        old, general, empty = (discord.text_channel(n) for n in ("old", "general", "empty"))
        hidden, seen = discord.text_channel("hidden"), discord.text_channel("seen")
        friends = discord.role("friends")
        alice.give(friends)
        discord.restrict(hidden, seen_by=[friends], with_bot=False)
        discord.restrict(seen, seen_by=[friends])
        last = alice.say(old, "too old", mention_bot=False)
        thread = alice.open_thread(general, "thread")
        for channel in (hidden, seen, general, thread):
            alice.say(channel, "news", mention_bot=False)
        alice.say(alice.direct_messages(), "psst")
        listener = FakeListener()
        async with bot_on(discord, listener) as link:
            found = await link.history.channels_since(last.id)
            alice.say(old, "newer")
            last = alice.say(empty, "first")
            await until(lambda: len(listener.messages) == 2)
            newest = await link.history.channels_since(thread.id)
            none = await link.history.channels_since(last.id)
            asked = discord.journal.requests("GET", "/channels/{channel_id}")

    assert found == [
        Place(guild_id=guild_id, channel_id=thread.id, parent_id=general.id),
        Place(guild_id=guild_id, channel_id=general.id),
        Place(guild_id=guild_id, channel_id=seen.id),
    ]
    assert [place.channel_id for place in newest[:2]] == [empty.id, old.id]
    assert (none, asked) == ([], [])


async def test_without_a_connection_nobody_knows_where_something_was_written() -> None:
    with pytest.raises(MessengerError, match="no connection"):
        await DiscordHistory().channels_since(1)


async def test_it_is_told_that_people_are_heard_while_there_is_a_connection(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord:
        options = replace(options_for(discord), heard_seconds=0.01)
        async with bot_on(discord, listener, options) as link:
            await until(lambda: len(listener.heard) > 1)
            link.state = DiscordState.RECONNECTING
            await until(lambda: listener.heard[-1] < time.time() - 0.05)
            link.state = DiscordState.CONNECTED
            count = len(listener.heard)
            await until(lambda: len(listener.heard) > count)

    assert listener.gaps == [0]
