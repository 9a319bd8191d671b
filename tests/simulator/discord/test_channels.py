"""Pins, files, permissions, reactions and presence, as the real discord.py meets them."""

import io
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import discord as discord_py
import pytest

from simulator.discord import DiscordSimulator
from simulator.discord.errors import NotAllowedError
from simulator.discord.journal import GatewayClosed
from simulator.discord.model import MessageKind
from simulator.discord.permissions import Permission
from tests.fakes.rich_bot import RichBot, running_rich_bot


@pytest.fixture
async def rich(discord: DiscordSimulator) -> AsyncIterator[RichBot]:
    async with running_rich_bot(discord) as running:
        yield running


async def test_a_pinned_message_is_listed_and_said_to_be_pinned(
    discord: DiscordSimulator, rich: RichBot
) -> None:
    alice, general = discord.person("alice"), discord.text_channel("general")
    channel = rich.channel(general.id)
    first, second = await channel.send("first"), await channel.send("second")
    await first.pin()
    await second.pin()
    await first.pin()
    assert [message.text for message in general.pinned] == ["second", "first"]
    assert [message.content async for message in channel.pins()] == ["second", "first"]
    said = await alice.sees(general, lambda message: message.kind is MessageKind.PINNED)
    assert said.points_to is not None
    assert said.points_to.message_id == second.id
    assert (await channel.fetch_message(first.id)).pinned
    await rich.hears("pins of general: some")
    await first.unpin()
    await second.unpin()
    await rich.hears("pins of general: none")
    assert general.pinned == []


async def test_only_250_messages_can_be_pinned(discord: DiscordSimulator, rich: RichBot) -> None:
    alice, general = discord.person("alice"), discord.text_channel("general")
    for number in range(250):
        alice.pin(alice.say(general, str(number), mention_bot=False))
    message = await rich.channel(general.id).send("one more")
    with pytest.raises(discord_py.HTTPException, match="Maximum number of pins") as refused:
        await message.pin()
    assert refused.value.code == 30003
    alice.unpin(general.pinned[0])
    await message.pin()


async def test_pins_are_paged(discord: DiscordSimulator, rich: RichBot) -> None:
    alice, general = discord.person("alice"), discord.text_channel("general")
    for number in range(60):
        alice.pin(alice.say(general, str(number), mention_bot=False))
    found = [message.content async for message in rich.channel(general.id).pins(limit=None)]
    assert found == [str(number) for number in reversed(range(60))]


@pytest.mark.parametrize(
    ("permission", "what"),
    [
        (Permission.PIN_MESSAGES, "pin"),
        (Permission.ADD_REACTIONS, "react"),
        (Permission.MANAGE_MESSAGES, "delete"),
        (Permission.MANAGE_MESSAGES, "clear"),
        (Permission.ATTACH_FILES, "upload"),
        (Permission.SEND_MESSAGES, "write"),
    ],
)
async def test_what_the_bot_was_not_given_it_may_not_do(
    discord: DiscordSimulator, rich: RichBot, permission: Permission, what: str
) -> None:
    alice, general = discord.person("alice"), discord.text_channel("general")
    said = alice.say(general, "look", mention_bot=False)
    alice.react(said, "🎉")
    message = await rich.channel(general.id).fetch_message(said.id)
    acts: dict[str, Callable[[], Awaitable[Any]]] = {
        "pin": message.pin,
        "react": lambda: message.add_reaction("👍"),
        "delete": message.delete,
        "clear": lambda: message.remove_reaction("🎉", discord_py.Object(alice.id)),
        "upload": lambda: message.reply(file=discord_py.File(io.BytesIO(b"x"), "x")),
        "write": lambda: message.reply("no"),
    }
    discord.refuse_bot(permission)
    with pytest.raises(discord_py.Forbidden) as refused:
        await acts[what]()
    assert refused.value.code == 50013
    if what == "react":
        await message.add_reaction("🎉")
    discord.grant_bot(permission)
    await acts[what]()


async def test_a_channel_may_be_for_a_role_alone(discord: DiscordSimulator, rich: RichBot) -> None:
    alice, bob = discord.person("alice"), discord.person("bob")
    staff, writers = discord.role("staff"), discord.role("writers")
    office = discord.text_channel("office")
    discord.restrict(office, seen_by=[staff], written_by=[writers])
    alice.give(staff, writers)
    alice.say(office, "hi")
    assert (await alice.sees(office, "hello alice")).author == discord.bot
    assert bob.account.id not in {member.id for member in rich.channel(office.id).members}
    assert office.messages_for(bob) == []
    with pytest.raises(NotAllowedError, match="bob may not write in office"):
        bob.say(office, "hi")
    bob.give(staff)
    assert len(office.messages_for(bob)) == 2
    with pytest.raises(NotAllowedError):
        bob.say(office, "hi")
    with pytest.raises(NotAllowedError):
        bob.say(alice.open_thread(office, "inside"), "hi")


async def test_the_bot_hears_nothing_of_a_channel_that_it_does_not_see(
    discord: DiscordSimulator, rich: RichBot
) -> None:
    alice, general = discord.person("alice"), discord.text_channel("general")
    secret = discord.text_channel("secret")
    discord.restrict(secret, seen_by=[], with_bot=False)
    owner = discord.person("admin")
    owner.say(secret, "hi")
    alice.say(general, "hi")
    await alice.sees(general, "hello alice")
    assert rich.heard == [f"<@{discord.bot.id}> hi"]
    with pytest.raises(discord_py.Forbidden):
        await rich.channel(secret.id).send("hello?")


async def test_files_of_people_tell_their_type_and_size_and_can_be_read(
    discord: DiscordSimulator, rich: RichBot
) -> None:
    alice, general = discord.person("alice"), discord.text_channel("general")
    files = [
        alice.file("cat.png", b"png"),
        alice.file("what", b"??", content_type=None),
        alice.file("ünder bar.txt", b"text", content_type="text/plain; charset=utf-8"),
    ]
    alice.say(general, "see", mention_bot=False, files=files)
    await rich.hears("default in general: see")
    found = rich.written[-1].attachments
    assert [(one.filename, one.size, one.content_type) for one in found] == [
        ("cat.png", 3, "image/png"),
        ("what", 2, None),
        ("ünder bar.txt", 4, "text/plain; charset=utf-8"),
    ]
    assert [await one.read() for one in found] == [b"png", b"??", b"text"]


async def test_a_voice_message_is_one(discord: DiscordSimulator, rich: RichBot) -> None:
    alice, general = discord.person("alice"), discord.text_channel("general")
    alice.say_aloud(general, b"ogg", duration_seconds=2.5)
    await rich.hears("default in general: ")
    message = rich.written[-1]
    (voice,) = message.attachments
    assert message.flags.voice
    assert (voice.is_voice_message(), voice.duration) == (True, 2.5)
    assert (voice.content_type, await voice.read()) == ("audio/ogg", b"ogg")


async def test_the_address_of_a_file_expires(discord: DiscordSimulator, rich: RichBot) -> None:
    alice, general = discord.person("alice"), discord.text_channel("general")
    said = alice.say(general, "see", mention_bot=False, files={"a.txt": b"a"})
    await rich.hears("default in general: see")
    (file,) = rich.written[-1].attachments
    discord.expire_files()
    with pytest.raises(discord_py.NotFound):
        await file.read()
    again = await rich.channel(general.id).fetch_message(said.id)
    assert await again.attachments[0].read() == b"a"
    discord.fail_next(r"GET /attachments/", 503)
    with pytest.raises(discord_py.HTTPException):
        await again.attachments[0].read()


async def test_a_file_of_the_bot_that_is_too_large_is_refused(
    discord: DiscordSimulator, rich: RichBot
) -> None:
    channel = rich.channel(discord.text_channel("general").id)
    most = 10 * 1024 * 1024
    await channel.send(file=discord_py.File(io.BytesIO(bytes(most)), "fits.bin"))
    with pytest.raises(discord_py.HTTPException) as refused:
        await channel.send(file=discord_py.File(io.BytesIO(bytes(most + 1)), "large.bin"))
    assert (refused.value.status, refused.value.code) == (413, 40005)


async def test_an_edit_by_a_person_is_told_whole(discord: DiscordSimulator, rich: RichBot) -> None:
    alice, bob = discord.person("alice"), discord.person("bob")
    general = discord.text_channel("general")
    said = alice.say(general, f"one <@{bob.id}>", mention_bot=False, files={"a.txt": b"a"})
    await rich.hears(f"default in general: one <@{bob.id}>")
    edited = alice.edit(said, f"two <@{alice.id}>")
    await rich.hears(f"edit: one <@{bob.id}> -> two <@{alice.id}>")
    assert edited.mentions == (alice.account,)
    message = await rich.channel(general.id).fetch_message(said.id)
    assert [file.filename for file in message.attachments] == ["a.txt"]
    assert message.mentions[0].id == alice.id


async def test_what_people_delete_is_told_one_by_one_or_at_once(
    discord: DiscordSimulator, rich: RichBot
) -> None:
    alice, general = discord.person("alice"), discord.text_channel("general")
    one, two, three = (alice.say(general, text, mention_bot=False) for text in "123")
    alice.delete(one)
    await rich.hears(f"delete: {one.id}")
    alice.delete(two, three)
    await rich.hears(f"delete: [{two.id}, {three.id}]")
    assert general.messages_for(alice) == []


async def test_the_bot_deletes_several_at_once(discord: DiscordSimulator, rich: RichBot) -> None:
    alice, general = discord.person("alice"), discord.text_channel("general")
    said = [alice.say(general, text, mention_bot=False) for text in "123"]
    channel = rich.channel(general.id)
    await channel.delete_messages([discord_py.Object(one.id) for one in said[:2]])
    assert [message.text for message in general.messages_for(alice)] == ["3"]


async def test_flags_stay_when_a_message_is_edited(
    discord: DiscordSimulator, rich: RichBot
) -> None:
    general = discord.text_channel("general")
    channel = rich.channel(general.id)
    message = await channel.send("quiet", silent=True, suppress_embeds=True)
    (posted,) = discord.bot_messages(general)
    assert posted.is_silent
    # discord.py's own edit() would let embeds be shown again.
    await rich.http.edit_message(
        channel.id,
        message.id,
        params=discord_py.http.MultipartParameters({"content": "x"}, None, None),
    )
    edited = await channel.fetch_message(message.id)
    assert (edited.flags.suppress_notifications, edited.flags.suppress_embeds) == (True, True)
    shown = await message.edit(suppress=False)
    assert (shown.flags.suppress_notifications, shown.flags.suppress_embeds) == (True, False)


async def test_nobody_else_makes_a_message_ephemeral(
    discord: DiscordSimulator, rich: RichBot
) -> None:
    general = discord.text_channel("general")
    route = discord_py.http.Route("POST", "/channels/{channel_id}/messages", channel_id=general.id)
    await rich.http.request(route, json={"content": "for all", "flags": 64})
    (posted,) = discord.bot_messages(general)
    assert (posted.flags, posted.is_ephemeral) == (0, False)


async def test_reactions_are_told_once_and_taken_back(
    discord: DiscordSimulator, rich: RichBot
) -> None:
    alice, general = discord.person("alice"), discord.text_channel("general")
    said = alice.say(general, "look", mention_bot=False)
    message = await rich.channel(general.id).fetch_message(said.id)
    await message.add_reaction("👀")
    await message.add_reaction("👀")
    alice.react(said, "👀")
    again = await rich.channel(general.id).fetch_message(said.id)
    assert {user.id async for user in again.reactions[0].users()} == {discord.bot.id, alice.id}
    assert rich.user is not None
    await message.remove_reaction("👀", rich.user)
    await message.remove_reaction("👀", discord_py.Object(alice.id))
    alice.unreact(said, "👀")
    await rich.hears("-👀")
    with pytest.raises(discord_py.HTTPException, match="Unknown Emoji"):
        await message.add_reaction("no emoji")
    now = discord.message(said)
    assert now is not None
    assert now.reactions == {"👀": frozenset()}
    assert rich.events.count("+👀") == 2


async def test_the_presence_of_the_bot_is_seen(discord: DiscordSimulator, rich: RichBot) -> None:
    assert discord.presence is None
    game = discord_py.CustomActivity("2 jobs, 0.31 dollars")
    await rich.change_presence(activity=game, status=discord_py.Status.idle)
    seen = await discord.presence_shown("2 jobs")
    assert (seen.status, seen.text) == ("idle", "2 jobs, 0.31 dollars")
    assert discord.presence == seen


async def test_a_client_that_sends_too_much_is_thrown_out(
    discord: DiscordSimulator, rich: RichBot
) -> None:
    discord.settings.sends_per_minute = 4
    for _ in range(4):
        await rich.change_presence(status=discord_py.Status.idle)
    closed = await discord.journal.until(
        lambda: discord.journal.of(GatewayClosed) or None, timeout_seconds=10
    )
    assert [one.code for one in closed] == [4008]
