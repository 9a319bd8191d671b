"""Every route that the simulator serves answers as Discord's own description says."""

import io
from dataclasses import replace

import aiohttp
import discord as discord_py
import pytest

from simulator.discord import DiscordSimulator, Permission
from simulator.discord.errors import NoAnswerError
from simulator.discord.journal import RequestAnswered
from tests.contract.openapi import ApiDescription, discord_description
from tests.fakes.rich_bot import Chooser, RichBot, running_rich_bot
from tests.fakes.sample_bot import Panel, SampleBot, running_sample_bot

PLAIN_REQUESTS = (
    ("GET", "/gateway"),
    ("GET", "/gateway/bot"),
    ("GET", "/applications/@me"),
    ("GET", "/guilds/{guild}"),
    ("GET", "/guilds/{guild}?with_counts=true"),
    ("GET", "/guilds/{guild}/members/{person}"),
    ("GET", "/channels/{channel}"),
    ("GET", "/applications/{bot}/commands"),
    ("GET", "/applications/{bot}/commands?with_localizations=true"),
    ("GET", "/channels/{thread}"),
    ("GET", "/channels/{thread}/thread-members"),
    ("GET", "/channels/{thread}/thread-members?with_member=true"),
    ("PUT", "/channels/{thread}/thread-members/@me"),
    ("DELETE", "/channels/{thread}/thread-members/@me"),
    ("GET", "/guilds/{guild}/threads/active"),
    ("PUT", "/channels/{channel}/pins/{message}"),
    ("GET", "/channels/{channel}/pins"),
    ("GET", "/channels/{channel}/messages/pins"),
    ("DELETE", "/channels/{channel}/pins/{message}"),
    ("GET", "/applications/{bot}/guilds/{guild}/commands"),
    # What is refused must be refused as described, too.
    ("GET", "/guilds/1"),
    ("GET", "/channels/1"),
    ("GET", "/channels/{channel}/messages?limit=0"),
    ("GET", "/channels/{channel}/messages/1"),
    ("GET", "/users/1"),
    ("GET", "/users/@me/guilds"),
    ("POST", "/interactions/1/x/callback"),
    ("GET", "/webhooks/{bot}/x/messages/@original"),
    ("GET", "/channels/{channel}/messages/pins?limit=0"),
    ("PUT", "/channels/{channel}/thread-members/@me"),
    ("POST", "/channels/{channel}/messages/bulk-delete"),
    ("POST", "/channels/{channel}/threads"),
)


@pytest.fixture
def description() -> ApiDescription:
    return discord_description()


async def converse(discord: DiscordSimulator, bot: SampleBot) -> None:
    alice = discord.person("alice")
    general = discord.text_channel("general")
    channel = bot.channel(general.id)
    alice.say(general, "hi", files={"cat.png": b"png"})
    await alice.sees(general, "hello alice")
    async with channel.typing():
        message = await channel.send("a panel", view=Panel(), nonce="n1")
    await message.add_reaction("👍")
    await channel.fetch_message(message.id)
    await message.remove_reaction("👍", bot.user or message.author)
    await message.edit(attachments=[discord_py.File(io.BytesIO(b"x"), "x.txt")])
    [_ async for _ in channel.history()]
    for label in ("Tell me", "Ignore", "Change"):
        await alice.click(await alice.sees(general, "a panel"), label=label)
    await message.delete()
    with pytest.raises(discord_py.HTTPException):
        await channel.send("x" * 2001)
    await (await bot.fetch_user(alice.id)).send("psst")
    await channel.guild.fetch_channels()


async def use_threads_and_pins(discord: DiscordSimulator, rich: RichBot) -> None:
    alice, general = discord.person("alice"), discord.text_channel("general")
    channel = rich.channel(general.id)
    message = await channel.send("to be discussed", view=Chooser())
    thread = await message.create_thread(name="Discussion")
    other = await channel.create_thread(name="O", type=discord_py.ChannelType.public_thread)
    alice.say(discord.threads(general)[0], "hi", files={"a.png": b"png"})
    alice.say_aloud(discord.threads(general)[0], b"ogg")
    await alice.sees(discord.threads(general)[0], "hello alice")
    [_ async for _ in thread.history()]
    await message.pin()
    [_ async for _ in channel.pins()]
    [_ async for _ in channel.history()]
    await message.unpin()
    await thread.edit(name="Decision")
    await thread.edit(name="Decided")
    rich.http.max_ratelimit_timeout = 30.0
    with pytest.raises(discord_py.RateLimited):
        await thread.edit(name="Too often")
    await channel.edit(topic="What there is")
    await other.edit(archived=True, locked=True)
    [_ async for _ in channel.archived_threads()]
    await other.delete()
    alice.react(alice.say(general, "1", mention_bot=False), "🎉")
    newest = [one async for one in channel.history(limit=2)]
    [_ async for _ in newest[0].reactions[0].users()]
    await newest[0].remove_reaction("🎉", discord_py.Object(alice.id))
    await channel.delete_messages(newest)


async def use_menus_and_forms(discord: DiscordSimulator) -> None:
    alice, general = discord.person("alice"), discord.text_channel("general")
    panel = next(one for one in discord.bot_messages(general) if one.menus)
    await alice.choose(panel, "red")
    form = await alice.click(panel, label="Tell why")
    assert form is not None
    await alice.submit(form, reason="it rains", colour="red")
    said = alice.say(general, "look", mention_bot=False)
    await alice.use_on(said, "Ask Me")
    form = await alice.use_on(said, "Ask Back")
    await alice.submit(form, reason="it rains", colour="red")
    await alice.use_on(alice, "Greet", channel=general)
    await alice.slash(general, "large", size=discord.settings.attachment_bytes + 1)


async def join_a_stage(discord: DiscordSimulator, bot: SampleBot) -> None:
    stage, guild_id = discord.stage_channel("Stage"), discord.guild.id
    alice = discord.person("alice").join_voice(stage)
    guild = bot.channel(discord.text_channel("general").id).guild
    await guild.change_voice_state(channel=discord_py.Object(stage.id))
    await discord.journal.until(lambda: discord.bot_voice, timeout_seconds=5)
    await bot.http.get_my_voice_state(guild_id)
    await bot.http.get_voice_state(guild_id, alice.id)
    await bot.http.edit_my_voice_state(
        guild_id, {"request_to_speak_timestamp": "2026-11-21T12:00:00+00:00"}
    )
    with pytest.raises(discord_py.Forbidden):
        await bot.http.edit_my_voice_state(guild_id, {"suppress": False})
    discord.grant_bot(Permission.MUTE_MEMBERS)
    await bot.http.edit_voice_state(guild_id, alice.id, {"suppress": False})
    alice.leave()
    with pytest.raises(discord_py.NotFound):
        await bot.http.get_voice_state(guild_id, alice.id)


async def call_commands(discord: DiscordSimulator, bot: SampleBot) -> None:
    alice = discord.person("alice")
    general = discord.text_channel("general")
    await alice.slash(general, "say", text="hello")
    await alice.slash(general, "later", how=1)
    await alice.slash(general, "later", how=2)
    with pytest.raises(NoAnswerError):
        await alice.slash(general, "later", how=3)
    await alice.autocomplete(general, "say", "text", "a")
    form = await alice.slash(general, "why")
    await alice.submit(form, reason="so")
    await alice.slash(general, "notes")
    await alice.sees(general, "done")
    await bot.tree.sync(guild=discord_py.Object(discord.guild.id))


async def ask_plainly(discord: DiscordSimulator) -> None:
    discord.person("alice").give(discord.role("admins"))
    places = {
        "guild": discord.guild.id,
        "bot": discord.bot.id,
        "person": discord.person("alice").id,
        "channel": discord.text_channel("general").id,
        "message": discord.person("alice").say(discord.text_channel("general"), "pin me").id,
        "thread": discord.person("alice").open_thread(discord.text_channel("general"), "One").id,
    }
    headers = {"Authorization": f"Bot {discord.token}"}
    root = f"http://127.0.0.1:{discord.http_port}/api/v10"
    async with aiohttp.ClientSession(headers=headers) as session:
        for method, path in PLAIN_REQUESTS:
            async with session.request(method, root + path.format(**places)) as answer:
                await answer.read()


async def test_every_served_route_answers_as_described(
    discord: DiscordSimulator, description: ApiDescription
) -> None:
    async with running_sample_bot(discord) as bot:
        await converse(discord, bot)
        await call_commands(discord, bot)
        await join_a_stage(discord, bot)
    async with running_rich_bot(discord) as rich:
        await use_threads_and_pins(discord, rich)
        await use_menus_and_forms(discord)
    await ask_plainly(discord)
    served = [
        (request.method, request.route)
        for request in discord.journal.requests()
        if request.status < 300
    ]
    assert set(discord.routes) - set(served) == set()
    assert description.violations(discord.journal) == [
        "GET /users/@me/guilds -> 404: there is no such route"
    ]


ANSWERED = RequestAnswered(
    at_seconds=0.0,
    method="GET",
    path="/gateway",
    route="/gateway",
    status=200,
    request_body={},
    response_body={"url": "wss://gateway.discord.gg"},
)


@pytest.mark.parametrize(
    ("answered", "expected"),
    [
        (ANSWERED, None),
        (replace(ANSWERED, response_body={"url": 5}), "at $.url: 5 is not of type 'string'"),
        (replace(ANSWERED, response_body=None), "at $: None is not of type 'object'"),
        (replace(ANSWERED, response_body={}), "at $: 'url' is a required property"),
        (replace(ANSWERED, status=302), "that status is not described"),
        (replace(ANSWERED, route="/gate"), "there is no such route"),
        (replace(ANSWERED, status=404, response_body={"code": "x", "message": ""}), "at $.code"),
        (replace(ANSWERED, status=500, was_fault=True), None),
    ],
)
def test_an_answer_that_is_not_as_described_is_found(
    description: ApiDescription, answered: RequestAnswered, expected: str | None
) -> None:
    found = description.violations([answered])
    assert len(found) == (0 if expected is None else 1)
    assert all(expected is not None and expected in line for line in found)
