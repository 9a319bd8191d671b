import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from bot.access import Place
from bot.discord_io.client import run_discord
from bot.discord_io.link import DiscordLink
from bot.messenger import (
    Button,
    ButtonAction,
    ButtonStyle,
    File,
    MessageContent,
    MessageRef,
    MessengerError,
)
from bot.redaction import REDACTED, Redactor
from simulator.discord import DiscordSimulator, Settings, TextChannel, running_discord
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
    settings = Settings(is_nonce_in_history=True)
    async with running_discord(tmp_path, settings=settings) as discord:
        general = discord.text_channel("general")
        place = place_of(discord, general)
        async with bot_on(discord, FakeListener()) as link:
            ref = await link.messenger.post(place, HELLO, nonce="wanted")
            assert await link.messenger.find(place, "wanted") == ref
            await link.messenger.post(place, HELLO, nonce="newer")
        async with bot_on(discord, FakeListener()) as link:
            assert await link.messenger.find(place, "wanted") == ref
            assert await link.messenger.find(place, "other") is None
            # What tells another nonce is another message, however alike they look.
            assert await link.messenger.find(place, "other", like=HELLO) is None


async def test_a_message_whose_nonce_discord_does_not_tell_is_found_by_what_it_holds(
    tmp_path: Path,
) -> None:
    with_button = replace(HELLO, buttons=(CANCEL,))
    press = replace(CANCEL, action=ButtonAction(verb="cancel", subject="00000000"))
    async with running_discord(tmp_path) as discord:
        general = discord.text_channel("general")
        place = place_of(discord, general)
        discord.person("alice").say(general, "hello", mention_bot=False)
        async with bot_on(discord, FakeListener()) as link:
            ref = await link.messenger.post(place, with_button, nonce="wanted")
            plain = await link.messenger.post(place, MessageContent(text="a\n b"), nonce="plain")
        async with bot_on(discord, FakeListener()) as link:
            find = link.messenger.find
            assert await find(place, "wanted") is None
            assert await find(place, "x", like=HELLO) is None
            assert await find(place, "y", like=replace(HELLO, buttons=(press,))) is None
            assert await find(place, "z", like=MessageContent(text="a b ")) == plain
            other_text = replace(with_button, text="reworded meanwhile")
            assert await find(place, "wanted", like=other_text) == ref


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


TOKEN = "MTIzNDU2Nzg5MDEyMzQ1Njc4.GaBcDe.abcdefghijklmnopqrstuvwxyz0"


async def test_no_secret_leaves_in_a_message_a_button_or_a_file(tmp_path: Path) -> None:
    link = DiscordLink(Redactor(["my-own-secret"]))
    button = replace(CANCEL, label="my-own-secret")
    file = File(name="my-own-secret.txt", content=f"\xff{TOKEN} my-own-secret".encode("latin-1"))
    content = MessageContent(text=f"{TOKEN}, my-own-secret", buttons=(button,), files=(file,))
    async with running_discord(tmp_path) as discord, asyncio.TaskGroup() as tasks:
        running = tasks.create_task(run_discord(link, FakeListener(), options_for(discord)))
        general = discord.text_channel("general")
        ref = await link.messenger.post(place_of(discord, general), content, nonce="n")
        (posted,) = discord.bot_messages(general)
        await link.messenger.edit(ref, replace(content, text=f"now {TOKEN}"))
        (edited,) = discord.bot_messages(general)
        running.cancel()

    assert posted.text == f"{REDACTED}, {REDACTED}"
    assert [one.label for one in posted.buttons] == [REDACTED]
    assert [one.content for one in posted.files] == [f"\xff{REDACTED} {REDACTED}".encode("latin-1")]
    assert "my-own" not in posted.files[0].name
    assert edited.text == f"now {REDACTED}"


async def test_a_text_that_grows_by_its_redaction_still_fits(tmp_path: Path) -> None:
    link = DiscordLink(Redactor(["secret"]))
    async with running_discord(tmp_path) as discord, asyncio.TaskGroup() as tasks:
        running = tasks.create_task(run_discord(link, FakeListener(), options_for(discord)))
        general = discord.text_channel("general")
        content = MessageContent(text="secret " * 285)
        await link.messenger.post(place_of(discord, general), content, nonce="n")
        (posted,) = discord.bot_messages(general)
        running.cancel()

    assert len(posted.text) == 2000
    assert "secret" not in posted.text


async def test_addresses_in_a_message_show_no_preview(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        general = discord.text_channel("general")
        content = MessageContent(text="https://e.example")
        await link.messenger.post(place_of(discord, general), content, nonce="n")
        (posted,) = discord.bot_messages(general)
    assert posted.flags == 4


async def test_a_person_is_written_to_directly(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        alice, bob = discord.person("alice"), discord.person("bob")
        place = await link.messenger.direct_messages(alice.id)
        await link.messenger.post(place, HELLO, nonce="n")
        (told,) = discord.bot_messages(alice.direct_messages())
        discord.refuse_direct_messages(bob)
        shut = await link.messenger.direct_messages(bob.id)
        with pytest.raises(MessengerError, match="Cannot send messages to this user") as refused:
            await link.messenger.post(shut, HELLO, nonce="m")
        with pytest.raises(MessengerError, match="Unknown User") as unknown:
            await link.messenger.direct_messages(99)
    assert (place.guild_id, told.text) == (None, "hello")
    assert refused.value.is_final
    assert unknown.value.is_final


@pytest.mark.parametrize("may_read", [True, False])
async def test_a_channel_that_is_closed_to_the_bot_takes_nothing_for_good(
    tmp_path: Path, *, may_read: bool
) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        general = discord.text_channel("general")
        discord.shut_out(general, may_read=may_read)
        with pytest.raises(MessengerError, match="Missing") as refused:
            await link.messenger.post(place_of(discord, general), HELLO, nonce="n")
        assert (refused.value.is_final, refused.value.is_gone) == (True, False)
        discord.let_in(general)
        await link.messenger.post(place_of(discord, general), HELLO, nonce="n")


async def test_a_channel_that_is_deleted_takes_nothing_for_good(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        doomed = discord.text_channel("doomed")
        discord.delete_channel(doomed)
        with pytest.raises(MessengerError, match="Unknown Channel") as refused:
            await link.messenger.post(place_of(discord, doomed), HELLO, nonce="n")
        with pytest.raises(MessengerError, match="Unknown Channel") as unread:
            await link.history.since(doomed.id, 0)
    assert (refused.value.is_final, refused.value.is_gone) == (True, True)
    assert unread.value.is_gone


@pytest.mark.parametrize("status", [500, 502, 503])
async def test_a_message_arrives_once_though_discord_fails_on_the_way(
    tmp_path: Path, status: int
) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        general = discord.text_channel("general")
        post = "POST /channels/[0-9]+/messages"
        discord.fail_next(post, status, takes_effect=True)
        await link.messenger.post(place_of(discord, general), HELLO, nonce="n")
        assert len(discord.bot_messages(general)) == 1


async def test_a_refusal_on_the_way_to_discord_is_not_for_good(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        general = discord.text_channel("general")
        discord.fail_next("POST /channels/[0-9]+/messages", 403)
        with pytest.raises(MessengerError) as refused:
            await link.messenger.post(place_of(discord, general), HELLO, nonce="n")
    assert not refused.value.is_final


async def test_a_long_rate_limit_is_handed_on_with_its_length(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        general = discord.text_channel("general")
        discord.limit_next("POST /channels/[0-9]+/messages", retry_after_seconds=300)
        with pytest.raises(MessengerError) as refused:
            await link.messenger.post(place_of(discord, general), HELLO, nonce="n")
    assert (refused.value.retry_after_seconds, refused.value.is_final) == (300, False)


async def test_an_answer_that_comes_late_is_waited_for(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        general = discord.text_channel("general")
        discord.delay_next("POST /channels/[0-9]+/messages", 0.3)
        ref = await link.messenger.post(place_of(discord, general), HELLO, nonce="n")
        (posted,) = discord.bot_messages(general)
    assert ref.message_id == posted.id
