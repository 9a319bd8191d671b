"""What the messenger does besides posting, on the real discord.py."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.access import Place
from bot.discord_io.link import DiscordLink
from bot.messenger import (
    ButtonAction,
    Menu,
    MenuOption,
    MessageContent,
    MessageRef,
    MessengerError,
)
from bot.redaction import REDACTED, Redactor
from simulator.discord import DiscordSimulator, TextChannel, running_discord
from simulator.discord.permissions import Permission
from tests.fakes.discord_bot import bot_on
from tests.fakes.listener import FakeListener

HELLO = MessageContent(text="hello")
MENU = Menu(
    action=ButtonAction(verb="ask", subject="q1"), options=(MenuOption(label="Red", value="r"),)
)


def place_of(discord: DiscordSimulator, channel: TextChannel) -> Place:
    return Place(guild_id=discord.guild.id, channel_id=channel.id)


async def test_a_reaction_is_taken_back_and_that_is_harmless_where_there_is_none(
    tmp_path: Path,
) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        alice, general = discord.person("alice"), discord.text_channel("general")
        said = alice.say(general, "hi")
        alice.react(said, "👀")
        ref = MessageRef(channel_id=general.id, message_id=said.id)
        await link.messenger.react(ref, "👀")
        for _ in range(2):
            await link.messenger.take_reaction_back(ref, "👀")
        await link.messenger.take_reaction_back(ref, "✅")
        now = discord.message(said)
        assert now is not None
        assert now.reactions["👀"] == frozenset({alice.id})
        alice.delete(said)
        with pytest.raises(MessengerError, match="Unknown Message") as gone:
            await link.messenger.take_reaction_back(ref, "👀")
    assert gone.value.is_final


async def test_a_message_is_deleted_and_that_is_harmless_when_it_is_gone(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        general = discord.text_channel("general")
        ref = await link.messenger.post(place_of(discord, general), HELLO, nonce="n")
        for _ in range(2):
            await link.messenger.delete(ref)
        assert discord.bot_messages(general) == []
        with pytest.raises(MessengerError, match="Unknown Channel"):
            await link.messenger.delete(MessageRef(channel_id=99, message_id=1))


async def test_a_message_is_pinned_once_and_unpinned_once(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        general = discord.text_channel("general")
        ref = await link.messenger.post(place_of(discord, general), HELLO, nonce="n")
        for _ in range(2):
            await link.messenger.pin(ref)
        assert [message.text for message in general.pinned] == ["hello"]
        for _ in range(2):
            await link.messenger.unpin(ref)
        assert general.pinned == []
        await link.messenger.delete(ref)
        await link.messenger.unpin(ref)
        with pytest.raises(MessengerError, match="Unknown Message"):
            await link.messenger.pin(ref)


async def test_a_pin_that_the_bot_may_not_set_is_refused_for_good(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        general = discord.text_channel("general")
        ref = await link.messenger.post(place_of(discord, general), HELLO, nonce="n")
        discord.refuse_bot(Permission.PIN_MESSAGES)
        with pytest.raises(MessengerError, match="Missing Permissions") as refused:
            await link.messenger.pin(ref)
    assert refused.value.is_final


async def test_a_thread_is_opened_written_in_and_renamed(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        general = discord.text_channel("general")
        place = await link.messenger.open_thread(place_of(discord, general), "call " * 50)
        await link.messenger.post(place, HELLO, nonce="n")
        (thread,) = discord.threads(general)
        assert (len(thread.name), thread.name[-1]) == (100, "…")
        await link.messenger.rename_thread(place, "fix the tests")
        (thread,) = discord.threads(general)
        assert [message.text for message in discord.bot_messages(thread)] == ["hello"]
    assert place == Place(guild_id=discord.guild.id, channel_id=thread.id)
    assert (thread.name, place.parent_id) == ("fix the tests", general.id)


async def test_a_thread_that_the_bot_may_not_open_is_refused_for_good(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        general = discord.text_channel("general")
        discord.refuse_bot(Permission.CREATE_PUBLIC_THREADS)
        with pytest.raises(MessengerError, match="Missing Permissions") as refused:
            await link.messenger.open_thread(place_of(discord, general), "aside")
    assert refused.value.is_final


async def test_a_thread_that_was_renamed_twice_can_be_renamed_later(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        general = discord.text_channel("general")
        place = await link.messenger.open_thread(place_of(discord, general), "one")
        for name in ("two", "three"):
            await link.messenger.rename_thread(place, name)
        with pytest.raises(MessengerError) as refused:
            await link.messenger.rename_thread(place, "four")
    assert refused.value.retry_after_seconds > 60
    assert not refused.value.is_final


async def test_the_title_of_a_thread_holds_no_secret(tmp_path: Path) -> None:
    link = DiscordLink(Redactor(["my-own-secret"]))
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener(), link=link):
        general = discord.text_channel("general")
        await link.messenger.open_thread(place_of(discord, general), "my-own-secret")
        (thread,) = discord.threads(general)
    assert thread.name == REDACTED


async def test_a_message_with_a_menu_is_found_by_it_in_a_later_process_too(tmp_path: Path) -> None:
    question = MessageContent(text="Which?", menus=(MENU,))
    other = replace(MENU, action=ButtonAction(verb="ask", subject="q2"))
    async with running_discord(tmp_path) as discord:
        place = place_of(discord, discord.text_channel("general"))
        async with bot_on(discord, FakeListener()) as link:
            ref = await link.messenger.post(place, question, nonce="wanted")
        async with bot_on(discord, FakeListener()) as link:
            find = link.messenger.find
            assert await find(place, "x", like=replace(question, menus=(other,))) is None
            assert await find(place, "wanted", like=replace(question, text="Which now?")) == ref


async def test_a_silent_message_makes_no_sound(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        general = discord.text_channel("general")
        place = place_of(discord, general)
        await link.messenger.post(place, replace(HELLO, is_silent=True), nonce="n")
        await link.messenger.post(place, HELLO, nonce="m")
        silent, loud = discord.bot_messages(general)
    assert (silent.is_silent, loud.is_silent) == (True, False)


async def test_an_address_that_comes_with_an_edit_shows_no_preview(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()) as link:
        general = discord.text_channel("general")
        ref = await link.messenger.post(place_of(discord, general), HELLO, nonce="n")
        await link.messenger.edit(ref, MessageContent(text="https://e.example"))
        route = "/channels/{channel_id}/messages/{message_id}"
        (edit,) = discord.journal.requests("PATCH", route)
        (edited,) = discord.bot_messages(general)
    assert edit.request_body["flags"] == edited.flags == 4
