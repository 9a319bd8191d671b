"""Edits, deletions, files and threads, as the real discord.py tells of them."""

from pathlib import Path

from bot.access import Person, Place
from bot.conversation.incoming import Attachment, IncomingMessage
from bot.messenger import MessageContent, MessageRef
from simulator.discord import running_discord
from simulator.discord.journal import GatewayOpened
from simulator.discord.message_wire import message_json
from tests.fakes.discord_bot import bot_on
from tests.fakes.listener import FakeListener
from tests.fakes.waiting import until


async def test_an_edited_message_is_told_of_as_it_is_now(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        alice, general = discord.person("alice"), discord.text_channel("general")
        role = discord.role("friends")
        alice.give(role)
        said = alice.say(general, "fix the tets")
        alice.edit(said, f"<@{discord.bot.id}> fix the tests")
        await until(lambda: len(listener.edits) == 1)
    assert listener.edits == [
        IncomingMessage(
            ref=MessageRef(channel_id=general.id, message_id=said.id),
            author=Person(
                id=alice.id, name="alice", guild_id=discord.guild.id, role_ids=frozenset({role.id})
            ),
            place=Place(guild_id=discord.guild.id, channel_id=general.id),
            text="fix the tests",
            mentions_bot=True,
        )
    ]


async def test_edits_and_deletions_keep_their_place_among_the_messages(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        alice, general = discord.person("alice"), discord.text_channel("general")
        one = alice.say(general, "one")
        alice.edit(one, "uno")
        two = alice.say(general, "two")
        alice.delete(one)
        alice.say(general, "three")
        alice.edit(two, "due")
        await until(lambda: len(listener.told) == 6)
    assert listener.told == [
        "arrived one",
        "edited uno",
        "arrived two",
        "deleted",
        "arrived three",
        "edited due",
    ]


async def test_what_is_no_edit_is_not_told_of_as_one(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener) as link:
        alice, general = discord.person("alice"), discord.text_channel("general")
        said = alice.say(general, "look at https://e.example")
        alice.pin(said)
        alice.open_thread(said, "aside")
        place = Place(guild_id=discord.guild.id, channel_id=general.id)
        ref = await link.messenger.post(place, MessageContent(text="my own"), nonce="n")
        await link.messenger.edit(ref, MessageContent(text="my own again"))
        alice.edit(said, "look elsewhere")
        alice.unpin(said)
        alice.say(general, "done")
        await until(lambda: len(listener.messages) == 2)
    assert [message.text for message in listener.edits] == ["look elsewhere"]
    assert [message.text for message in listener.messages] == ["look at https://e.example", "done"]


async def test_an_edit_counts_once_although_the_session_began_anew(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        alice, general = discord.person("alice"), discord.text_channel("general")
        said = alice.say(general, "one")
        alice.edit(said, "uno")
        await until(lambda: len(listener.edits) == 1)
        discord.send_odd_event()
        await until(lambda: len(discord.journal.of(GatewayOpened)) == 2)
        alice.pin(said)
        alice.say(general, "two")
        await until(lambda: len(listener.messages) == 2)
    assert [message.text for message in listener.edits] == ["uno"]


async def test_messages_that_are_deleted_together_are_told_of_one_by_one(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        alice, general = discord.person("alice"), discord.text_channel("general")
        said = [alice.say(general, f"number {number}") for number in range(3)]
        alice.delete(*said)
        await until(lambda: len(listener.deletions) == 3)
    assert listener.deletions == [
        MessageRef(channel_id=general.id, message_id=message.id) for message in said
    ]


async def test_direct_messages_are_edited_and_deleted_too(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        alice = discord.person("alice")
        said = alice.say(alice.direct_messages(), "psst")
        alice.edit(said, "pssst")
        alice.delete(said)
        await until(lambda: len(listener.told) == 3)
    assert listener.told == ["arrived psst", "edited pssst", "deleted"]
    assert listener.edits[0].place.guild_id is None


async def test_a_message_tells_of_its_files(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        alice, general = discord.person("alice"), discord.text_channel("general")
        files = [
            alice.file("notes.txt", b"four", content_type="text/plain; charset=utf-8"),
            alice.file("cat.PNG", b"png", content_type="image/png"),
            alice.file("odd", b"?", content_type=None),
        ]
        alice.say(general, "here", files=files)
        alice.say_aloud(general, b"ogg")
        await until(lambda: len(listener.messages) == 2)
    with_files, spoken = listener.messages
    assert [without_url(one) for one in with_files.attachments] == [
        (files[0].id, "notes.txt", 4, "text/plain", False),
        (files[1].id, "cat.PNG", 3, "image/png", False),
        (files[2].id, "odd", 1, None, False),
    ]
    assert all(one.url.startswith("https://cdn.") for one in with_files.attachments)
    (voice,) = spoken.attachments
    assert (voice.content_type, voice.is_voice_message) == ("audio/ogg", True)
    assert spoken.text == ""


def without_url(attachment: Attachment) -> tuple[int, str, int, str | None, bool]:
    return (
        attachment.id,
        attachment.name,
        attachment.size_bytes,
        attachment.content_type,
        attachment.is_voice_message,
    )


async def test_what_is_forwarded_counts_as_written_by_who_forwarded_it(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        alice, general = discord.person("alice"), discord.text_channel("general")
        said = alice.say(general, "look: ", files={"a.txt": b"a"})
        await until(lambda: len(listener.messages) == 1)
        told = message_json(discord._core.world, said)
        told |= {"id": str(said.id + 1), "guild_id": str(discord.guild.id), "attachments": []}
        kept = ("type", "content", "embeds", "attachments", "timestamp", "edited_timestamp")
        original = {key: message_json(discord._core.world, said)[key] for key in kept}
        snapshots = [{"message": original | {"content": "the original words"}}]
        discord.send_odd_event("MESSAGE_CREATE", told | {"message_snapshots": snapshots})
        await until(lambda: len(listener.messages) == 2)
    forwarded = listener.messages[-1]
    assert forwarded.text == "look:\n\nthe original words"
    assert [file.name for file in forwarded.attachments] == ["a.txt"]


async def test_a_message_in_a_thread_tells_its_channel(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord:
        alice, general = discord.person("alice"), discord.text_channel("general")
        older = alice.open_thread(general, "older")
        async with bot_on(discord, listener):
            newer = alice.open_thread(alice.say(general, "to talk about"), "newer")
            for thread in (older, newer):
                alice.say(thread, "hello")
            await until(lambda: len(listener.messages) == 3)
    places = [(message.place.channel_id, message.place.parent_id) for message in listener.messages]
    assert places == [(general.id, None), (older.id, general.id), (newer.id, general.id)]


async def test_channels_and_threads_that_are_deleted_are_told_of(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        alice, general = discord.person("alice"), discord.text_channel("general")
        alone, within = (alice.open_thread(general, name) for name in ("alone", "within"))
        alice.say(within, "hello")
        await until(lambda: len(listener.messages) == 1)
        discord.delete_channel(alone)
        await until(lambda: listener.gone_channels == [alone.id])
        discord.delete_channel(general)
        await until(lambda: general.id in listener.gone_channels)
    assert set(listener.gone_channels) == {alone.id, within.id, general.id}
