import asyncio
from pathlib import Path

import pytest

from bot.access import Place
from bot.discord_io.client import DiscordLink, run_discord
from bot.messenger import (
    Button,
    ButtonAction,
    ButtonStyle,
    File,
    MessageContent,
    MessageRef,
    MessengerError,
)
from simulator.discord import DiscordSimulator, TextChannel, running_discord
from simulator.discord.journal import MessagePosted
from tests.fakes.discord_bot import bot_on, options_for
from tests.fakes.listener import FakeListener
from tests.fakes.waiting import until

HELLO = MessageContent(text="hello")
CANCEL = Button(
    label="Cancel",
    action=ButtonAction(verb="cancel", subject="ab12cd34"),
    style=ButtonStyle.DANGER,
)


def place_of(discord: DiscordSimulator, channel: TextChannel) -> Place:
    return Place(guild_id=discord.guild.id, channel_id=channel.id)


async def test_a_message_is_posted_with_its_files_and_buttons(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        general = discord.text_channel("general")
        content = MessageContent(
            text="here", buttons=(CANCEL,), files=(File(name="fib.py", content=b"print(1)"),)
        )
        ref = await link.messenger.post(place_of(discord, general), content, nonce="n")
        (posted,) = discord.bot_messages(general)
    assert ref == MessageRef(channel_id=general.id, message_id=posted.id)
    assert posted.text == "here"
    assert [(file.name, file.content) for file in posted.files] == [("fib.py", b"print(1)")]
    assert [(one.label, one.custom_id) for one in posted.buttons] == [
        ("Cancel", "pc1:cancel:ab12cd34")
    ]


async def test_an_edit_replaces_all_that_a_message_holds(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        general = discord.text_channel("general")
        content = MessageContent(
            text="here", buttons=(CANCEL,), files=(File(name="a.txt", content=b"a"),)
        )
        ref = await link.messenger.post(place_of(discord, general), content, nonce="n")
        await link.messenger.edit(ref, MessageContent(text="gone"))
        (edited,) = discord.bot_messages(general)
        assert (edited.text, edited.files, edited.buttons) == ("gone", (), ())
        await link.messenger.edit(ref, content)
        (edited,) = discord.bot_messages(general)
        assert (edited.text, len(edited.files), len(edited.buttons)) == ("here", 1, 1)


async def test_only_the_person_replied_to_is_pinged(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        alice, bob = discord.person("alice"), discord.person("bob")
        general = discord.text_channel("general")
        said = alice.say(general, "hi")
        ref = await link.messenger.post(
            place_of(discord, general),
            MessageContent(text=f"@everyone <@{bob.id}> hi"),
            nonce="n",
            reply_to=MessageRef(channel_id=general.id, message_id=said.id),
        )
        (posted,) = discord.bot_messages(general)
        await link.messenger.edit(ref, MessageContent(text=f"@everyone <@{bob.id}> hi again"))
    assert posted.reply_to == said.id
    assert [account.name for account in posted.mentions] == ["alice"]
    assert not posted.pings_everyone


async def test_a_message_that_replies_to_nothing_pings_nobody(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        alice, general = discord.person("alice"), discord.text_channel("general")
        content = MessageContent(text=f"@here <@{alice.id}>")
        await link.messenger.post(place_of(discord, general), content, nonce="n")
        (posted,) = discord.bot_messages(general)
    assert (posted.mentions, posted.pings_everyone) == ((), False)


async def test_a_reply_to_a_deleted_message_is_posted_all_the_same(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        alice, general = discord.person("alice"), discord.text_channel("general")
        said = alice.say(general, "hi")
        alice.delete(said)
        reply_to = MessageRef(channel_id=general.id, message_id=said.id)
        await link.messenger.post(place_of(discord, general), HELLO, nonce="n", reply_to=reply_to)
        (posted,) = discord.bot_messages(general)
    assert (posted.text, posted.reply_to) == ("hello", None)


@pytest.mark.parametrize("nonce", ["short", "one that is much too long for Discord"])
async def test_a_second_post_with_a_nonce_gives_the_first_back_in_a_later_process_too(
    tmp_path: Path, nonce: str
) -> None:
    async with running_discord(tmp_path) as discord:
        general = discord.text_channel("general")
        place = place_of(discord, general)
        async with bot_on(discord, FakeListener()) as link:
            first = await link.messenger.post(place, HELLO, nonce=nonce)
            again = await link.messenger.post(place, HELLO, nonce=nonce)
            other = await link.messenger.post(place, HELLO, nonce=nonce + "!")
        async with bot_on(discord, FakeListener()) as link:
            later = await link.messenger.post(place, HELLO, nonce=nonce)
    assert first == again == later != other
    assert len(discord.journal.of(MessagePosted)) == 2


async def test_a_message_is_found_by_its_nonce_in_a_later_process_too(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord:
        general = discord.text_channel("general")
        place = place_of(discord, general)
        async with bot_on(discord, FakeListener()) as link:
            ref = await link.messenger.post(place, HELLO, nonce="wanted")
            assert await link.messenger.find(place, "wanted") == ref
            await link.messenger.post(place, HELLO, nonce="newer")
        async with bot_on(discord, FakeListener()) as link:
            assert await link.messenger.find(place, "wanted") == ref
            assert await link.messenger.find(place, "other") is None


async def test_a_message_is_found_although_its_answer_was_lost(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        general = discord.text_channel("general")
        place = place_of(discord, general)
        discord.cut_next("POST /channels/[0-9]+/messages", takes_effect=True)
        with pytest.raises(MessengerError) as lost:
            await link.messenger.post(place, HELLO, nonce="n")
        assert lost.value.fate_unknown
        (posted,) = discord.bot_messages(general)
        ref = MessageRef(channel_id=general.id, message_id=posted.id)
        # Discord told of it like of any other message.
        await until(lambda: bool(link.messenger._posted))
        assert await link.messenger.find(place, "n") == ref
        assert await link.messenger.post(place, HELLO, nonce="n") == ref
        assert discord.journal.requests("GET", "/channels/{channel_id}/messages") == []
    assert len(discord.journal.of(MessagePosted)) == 1


async def test_a_message_that_discord_refuses_did_not_arrive(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        nowhere = Place(guild_id=discord.guild.id, channel_id=99)
        with pytest.raises(MessengerError, match="Unknown Channel") as refused:
            await link.messenger.post(nowhere, HELLO, nonce="n")
        assert not refused.value.fate_unknown


async def test_an_edit_of_a_deleted_message_fails(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        general = discord.text_channel("general")
        ref = await link.messenger.post(place_of(discord, general), HELLO, nonce="n")
        (posted,) = discord.bot_messages(general)
        discord.person("alice").delete(posted)
        with pytest.raises(MessengerError, match="Unknown Message"):
            await link.messenger.edit(ref, HELLO)


async def test_a_rate_limit_is_waited_for(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        general = discord.text_channel("general")
        ref = await link.messenger.post(place_of(discord, general), HELLO, nonce="n")
        discord.limit_next("PATCH /channels/[0-9]+/messages", retry_after_seconds=0.05)
        await link.messenger.edit(ref, MessageContent(text="edited"))
        (edited,) = discord.bot_messages(general)
    assert edited.text == "edited"


async def test_the_bot_is_shown_as_typing_while_the_block_lasts(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        general = discord.text_channel("general")
        async with link.messenger.typing(place_of(discord, general)):
            typing = await discord.sees_typing(general)
    assert typing.channel == general.channel


async def test_typing_that_is_refused_harms_nothing(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        general = discord.text_channel("general")
        place = place_of(discord, general)
        discord.fail_next("POST /channels/[0-9]+/typing", 403)
        async with link.messenger.typing(place):
            typing = "/channels/{channel_id}/typing"
            await until(lambda: len(discord.journal.requests("POST", typing)) == 1)
        async with link.messenger.typing(Place(guild_id=1, channel_id=99)):
            await link.messenger.post(place, HELLO, nonce="n")
        async with link.messenger.typing(place):
            await discord.sees_typing(general)


async def test_a_message_waits_for_the_login(tmp_path: Path) -> None:
    link = DiscordLink()
    async with running_discord(tmp_path) as discord, asyncio.TaskGroup() as tasks:
        general = discord.text_channel("general")
        place = place_of(discord, general)
        posting = tasks.create_task(link.messenger.post(place, HELLO, nonce="n"))
        running = tasks.create_task(run_discord(link, FakeListener(), options_for(discord)))
        ref = await posting
        running.cancel()
        (posted,) = discord.bot_messages(general)
    assert ref == MessageRef(channel_id=general.id, message_id=posted.id)
