"""The real discord.py against the simulator."""

import asyncio
import io

import aiohttp
import discord as discord_py
import pytest

from simulator.discord import DiscordSimulator, loopback_connector
from simulator.discord.errors import (
    ApplicationDidNotRespondError,
    BadOptionError,
    NoAnswerError,
    NoSuchButtonError,
    UnknownCommandError,
)
from simulator.discord.journal import GatewayClosed, GatewayOpened, Happening, MessagePosted
from tests.fakes.sample_bot import Panel, SampleBot, running_sample_bot


async def test_a_reply_with_a_file_reaches_the_person_who_wrote(
    discord: DiscordSimulator, bot: SampleBot
) -> None:
    alice = discord.person("alice")
    general = discord.text_channel("general")
    said = alice.say(general, "hi")
    reply = await alice.sees(general, "hello alice")
    assert reply.reply_to == said.id
    assert [(file.name, file.content) for file in reply.files] == [("greeting.txt", b"for you")]
    assert reply.mentions == (alice.account,)
    assert bot.heard == [f"<@{discord.bot.id}> hi"]
    assert discord.journal.unknown_routes == []


async def test_the_bot_can_read_a_file_that_it_uploaded_from_the_cdn(
    discord: DiscordSimulator, bot: SampleBot
) -> None:
    channel = bot.channel(discord.text_channel("general").id)
    message = await channel.send(file=discord_py.File(io.BytesIO(b"\x00\xff"), "a.bin"))
    assert await message.attachments[0].read() == b"\x00\xff"


async def test_a_command_is_answered_and_followed_up(
    discord: DiscordSimulator, bot: SampleBot
) -> None:
    del bot
    alice = discord.person("alice")
    general = discord.text_channel("general")
    reply = await alice.slash(general, "say", text="ping", loudly=True)
    assert (reply.text, reply.is_ephemeral) == ("PING", False)
    assert [button.label for button in reply.buttons] == ["Tell me", "Change", "Ignore"]
    await alice.sees(general, lambda message: message.text == "more", after=reply.message)


@pytest.mark.parametrize(("how", "text"), [(1, "at last"), (2, "followed up")])
async def test_a_deferred_answer_is_waited_for(
    discord: DiscordSimulator, bot: SampleBot, how: int, text: str
) -> None:
    del bot
    general = discord.text_channel("general")
    reply = await discord.person("alice").slash(general, "later", how=how)
    assert (reply.text, reply.is_ephemeral) == (text, True)
    assert [file.name for file in reply.files] == (["one.txt"] if how == 1 else [])


async def test_an_answer_that_is_taken_back_is_no_answer(
    discord: DiscordSimulator, bot: SampleBot
) -> None:
    del bot
    with pytest.raises(NoAnswerError):
        await discord.person("alice").slash(discord.text_channel("general"), "later", how=3)


async def test_an_ephemeral_answer_is_seen_by_the_person_alone(
    discord: DiscordSimulator, bot: SampleBot
) -> None:
    alice, bob = discord.person("alice"), discord.person("bob")
    general = discord.text_channel("general")
    reply = await alice.slash(general, "jobs list")
    assert (reply.text, reply.is_ephemeral) == ("no jobs", True)
    assert [message.text for message in general.messages_for(alice)] == ["no jobs"]
    assert general.messages_for(bob) == []
    assert [message async for message in bot.channel(general.id).history()] == []


async def test_what_a_client_would_not_send_is_refused(
    discord: DiscordSimulator, bot: SampleBot
) -> None:
    del bot
    alice = discord.person("alice")
    general = discord.text_channel("general")
    with pytest.raises(
        UnknownCommandError, match=r"/jobs.*say, later, why, notes, silent, jobs list"
    ):
        await alice.slash(general, "jobs")
    with pytest.raises(BadOptionError, match="required"):
        await alice.slash(general, "say")
    with pytest.raises(BadOptionError, match="no such option"):
        await alice.slash(general, "say", text="x", colour="red")
    with pytest.raises(BadOptionError, match="type"):
        await alice.slash(general, "say", text=5)
    with pytest.raises(BadOptionError, match="more than 3"):
        await alice.slash(general, "later", how=4)


async def test_a_command_that_is_not_acknowledged_fails_as_in_the_client(
    discord: DiscordSimulator, bot: SampleBot
) -> None:
    del bot
    discord.settings.acknowledge_seconds = 0.2
    with pytest.raises(ApplicationDidNotRespondError):
        await discord.person("alice").slash(discord.text_channel("general"), "silent")


async def test_an_option_completes(discord: DiscordSimulator, bot: SampleBot) -> None:
    del bot
    general = discord.text_channel("general")
    choices = await discord.person("alice").autocomplete(general, "say", "text", "a")
    assert [choice.value for choice in choices] == ["a1", "a2"]


async def test_a_form_is_filled_in(discord: DiscordSimulator, bot: SampleBot) -> None:
    del bot
    alice = discord.person("alice")
    general = discord.text_channel("general")
    form = await alice.slash(general, "why")
    assert form.modal is not None
    assert (form.modal.title, form.modal.fields) == ("Why?", ("reason",))
    reply = await alice.submit(form, reason="it rains")
    assert reply is not None
    assert reply.text == "because it rains"


async def test_buttons_answer_change_and_acknowledge(
    discord: DiscordSimulator, bot: SampleBot
) -> None:
    alice, bob = discord.person("alice"), discord.person("bob")
    general = discord.text_channel("general")
    await bot.channel(general.id).send("press", view=Panel())
    panel = await alice.sees(general, "press")

    told = await alice.click(panel, label="Tell me")
    assert told is not None
    assert (told.text, told.is_ephemeral, told.is_update) == ("psst, alice", True, False)
    assert await alice.click(panel, custom_id="panel:ignore") is None
    changed = await bob.click(panel, label="Change")
    assert changed is not None
    assert (changed.text, changed.buttons, changed.is_update) == ("changed", (), True)
    with pytest.raises(NoSuchButtonError):
        await alice.click(panel, label="Change")


async def test_every_version_of_an_edited_message_is_kept_with_its_time(
    discord: DiscordSimulator, bot: SampleBot
) -> None:
    alice = discord.person("alice")
    general = discord.text_channel("general")
    before = discord.seconds()
    message = await bot.channel(general.id).send("one")
    await message.edit(content="two")
    await message.edit(content="three")
    seen = await alice.sees(general, "three")
    assert [version.text for version in seen.versions] == ["one", "two", "three"]
    times = [before, *(version.at_seconds for version in seen.versions), discord.seconds()]
    assert times == sorted(times)


async def test_history_is_paged_and_newest_first(discord: DiscordSimulator, bot: SampleBot) -> None:
    alice = discord.person("alice")
    general = discord.text_channel("general")
    said = [alice.say(general, str(number), mention_bot=False) for number in range(7)]
    channel = bot.channel(general.id)

    async def texts(**bounds: discord_py.Object | int) -> list[str]:
        return [message.content async for message in channel.history(**bounds)]  # type: ignore[arg-type]

    assert await texts(limit=3) == ["6", "5", "4"]
    assert await texts(limit=2, before=discord_py.Object(said[4].id)) == ["3", "2"]
    assert await texts(limit=2, after=discord_py.Object(said[4].id)) == ["5", "6"]
    assert await texts(limit=3, around=discord_py.Object(said[3].id)) == ["4", "3", "2"]


async def test_a_second_post_with_the_same_nonce_gives_the_first_one_back(
    discord: DiscordSimulator, bot: SampleBot
) -> None:
    general = discord.text_channel("general")
    channel = bot.channel(general.id)
    one = await channel.send("once", nonce="n1")
    again = await channel.send("once", nonce="n1")
    other = await channel.send("once", nonce="n2")
    assert (again.id == one.id, other.id == one.id) == (True, False)
    assert [message.nonce for message in discord.bot_messages(general)] == ["n1", "n2"]


async def test_a_message_of_more_than_2000_characters_is_refused(
    discord: DiscordSimulator, bot: SampleBot
) -> None:
    channel = bot.channel(discord.text_channel("general").id)
    await channel.send("x" * 2000)
    with pytest.raises(discord_py.HTTPException, match="Must be 2000 or fewer") as refused:
        await channel.send("x" * 2001)
    assert (refused.value.status, refused.value.code) == (400, 50035)


async def test_a_reply_to_a_message_that_is_gone(discord: DiscordSimulator, bot: SampleBot) -> None:
    alice = discord.person("alice")
    general = discord.text_channel("general")
    gone = alice.say(general, "soon gone", mention_bot=False)
    alice.delete(gone)
    channel = bot.channel(general.id)
    strict = discord_py.MessageReference(message_id=gone.id, channel_id=general.id)
    with pytest.raises(discord_py.HTTPException, match="Unknown message"):
        await channel.send("reply", reference=strict)
    lenient = discord_py.MessageReference(
        message_id=gone.id, channel_id=general.id, fail_if_not_exists=False
    )
    await channel.send("reply", reference=lenient)
    assert (await alice.sees(general, "reply")).reply_to is None


async def test_nobody_is_pinged_whom_the_bot_did_not_allow(
    discord: DiscordSimulator, bot: SampleBot
) -> None:
    alice = discord.person("alice")
    general = discord.text_channel("general")
    await bot.channel(general.id).send(f"<@{alice.id}> and @everyone")
    message = await alice.sees(general, "everyone")
    assert (message.mentions, message.pings_everyone) == ((), False)
    everyone = discord_py.AllowedMentions.all()
    await bot.channel(general.id).send(f"<@{alice.id}> @here", allowed_mentions=everyone)
    message = await alice.sees(general, "here")
    assert (message.mentions, message.pings_everyone) == ((alice.account,), True)


async def test_direct_messages_go_both_ways(discord: DiscordSimulator, bot: SampleBot) -> None:
    alice, bob = discord.person("alice"), discord.person("bob")
    user = await bot.fetch_user(alice.id)
    await user.send("a word")
    room = alice.direct_messages()
    await alice.sees(room, "a word")
    alice.say(room, "hi")
    await alice.sees(room, "hello alice")
    assert bot.heard == ["hi"]
    assert room.messages_for(bob) == []


async def test_typing_is_recorded(discord: DiscordSimulator, bot: SampleBot) -> None:
    general = discord.text_channel("general")
    async with bot.channel(general.id).typing():
        typing = await discord.sees_typing(general)
    assert typing.account == discord.bot


async def test_a_rate_limit_is_obeyed(discord: DiscordSimulator, bot: SampleBot) -> None:
    general = discord.text_channel("general")
    discord.limit_next(r"POST /channels/\d+/messages", retry_after_seconds=0.05)
    await bot.channel(general.id).send("patiently")
    statuses = [one.status for one in discord.journal.requests("POST") if "messages" in one.path]
    assert statuses == [429, 200]


async def test_a_fault_may_take_effect_all_the_same(
    discord: DiscordSimulator, bot: SampleBot
) -> None:
    general = discord.text_channel("general")
    discord.fail_next(r"POST .*/messages", 503, takes_effect=True)
    with pytest.raises(discord_py.DiscordServerError):
        await bot.channel(general.id).send("did it arrive?", nonce="n")
    assert [message.text for message in discord.bot_messages(general)] == ["did it arrive?"]
    await bot.channel(general.id).send("did it arrive?", nonce="n")
    assert len(discord.bot_messages(general)) == 1


async def test_a_connection_may_be_cut_before_the_answer(
    discord: DiscordSimulator, bot: SampleBot
) -> None:
    general = discord.text_channel("general")
    discord.cut_next(r"POST .*/messages", takes_effect=False)
    with pytest.raises(aiohttp.ClientConnectionError):
        await bot.channel(general.id).send("lost")
    assert discord.bot_messages(general) == []


async def test_a_dropped_gateway_is_resumed_and_nothing_is_missed(
    discord: DiscordSimulator, bot: SampleBot
) -> None:
    alice = discord.person("alice")
    general = discord.text_channel("general")
    await discord.drop_gateway(4000)
    alice.say(general, "hi")
    async with asyncio.timeout(20):
        await bot.resumed.wait()
    await alice.sees(general, "hello alice")
    assert [opened.was_resumed for opened in discord.journal.of(GatewayOpened)] == [False, True]


async def test_a_wrong_token_is_refused(discord: DiscordSimulator) -> None:
    connector = loopback_connector(port=discord.tls_port, ca_path=discord.ca_path)
    async with SampleBot(connector, discord_py.Intents.none()) as client:
        with pytest.raises(discord_py.LoginFailure):
            await client.login("wrong")


async def test_an_intent_that_the_portal_does_not_allow_is_refused(
    discord: DiscordSimulator,
) -> None:
    discord.settings.is_message_content_allowed = False
    connector = loopback_connector(port=discord.tls_port, ca_path=discord.ca_path)
    async with SampleBot(connector, discord_py.Intents(message_content=True)) as client:
        with pytest.raises(discord_py.PrivilegedIntentsRequired):
            await client.start(discord.token)
    assert [closed.code for closed in discord.journal.of(GatewayClosed)] == [4014]


async def test_without_the_intent_only_what_mentions_the_bot_can_be_read(
    discord: DiscordSimulator,
) -> None:
    intents = discord_py.Intents(guilds=True, messages=True)
    async with running_sample_bot(discord, intents=intents) as bot:
        alice = discord.person("alice")
        general = discord.text_channel("general")
        alice.say(general, "secret", mention_bot=False)
        alice.say(general, "hi")
        await alice.sees(general, "hello alice")
        assert bot.heard == ["", f"<@{discord.bot.id}> hi"]


async def test_the_owner_of_the_application_can_be_chosen(
    discord: DiscordSimulator, bot: SampleBot
) -> None:
    alice = discord.person("alice", is_owner=True)
    assert (await bot.application_info()).owner.id == alice.id


async def test_bots_and_webhooks_can_write_too(discord: DiscordSimulator, bot: SampleBot) -> None:
    general = discord.text_channel("general")
    robot, hook = discord.add_bot_person("robot"), discord.add_webhook("hook")
    robot.say(general, "hi", mention_bot=False)
    hook.say(general, "hi", mention_bot=False)
    alice = discord.person("alice")
    await alice.sees(general, "hello hook")
    messages = [message async for message in bot.channel(general.id).history()]
    by_text = {message.author.name: message for message in messages}
    assert by_text["robot"].author.bot
    assert by_text["hook"].webhook_id == hook.id


async def test_an_observer_is_told_of_everything(discord: DiscordSimulator) -> None:
    seen: list[Happening] = []
    alice = discord.person("alice")
    with discord.watched_by(seen.append):
        message = alice.say(discord.text_channel("general"), "look", mention_bot=False)
    alice.say(discord.text_channel("general"), "not any more", mention_bot=False)
    assert seen == [MessagePosted(at_seconds=message.posted_at_seconds, message=message)]
