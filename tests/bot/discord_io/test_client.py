import asyncio
import socket
from pathlib import Path

import aiohttp
import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from bot.access import Person, Place
from bot.conversation.incoming import IncomingMessage
from bot.discord_io.client import (
    DiscordLink,
    DiscordOptions,
    DiscordState,
    run_discord,
)
from bot.discord_io.connector import discord_connector
from bot.discord_io.errors import IntentsRefusedError, LoginRefusedError
from bot.discord_io.translation import BotIdentity
from bot.messenger import MessageContent, MessageRef
from simulator.discord import DiscordSimulator, Settings, running_discord
from simulator.discord.journal import GatewayOpened
from tests.fakes.discord_bot import bot_on, options_for
from tests.fakes.listener import FakeListener
from tests.fakes.waiting import until


async def test_a_message_arrives_without_the_mention_of_the_bot(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        alice, general = discord.person("alice"), discord.text_channel("general")
        said = alice.say(general, "what is\n  <@1>?")
        await until(lambda: len(listener.messages) == 1)
    assert listener.messages == [
        IncomingMessage(
            ref=MessageRef(channel_id=general.id, message_id=said.id),
            author=Person(id=alice.id, name="alice"),
            place=Place(guild_id=discord.guild.id, channel_id=general.id),
            text="what is\n  <@1>?",
            mentions_bot=True,
        )
    ]


async def test_messages_arrive_in_order_mentioned_or_not_direct_or_not(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        alice, general = discord.person("alice"), discord.text_channel("general")
        for number in range(20):
            alice.say(general, f"number {number}", mention_bot=False)
        alice.say(alice.direct_messages(), "psst")
        await until(lambda: len(listener.messages) == 21)
    *numbered, direct = listener.messages
    assert [message.text for message in numbered] == [f"number {number}" for number in range(20)]
    assert not any(message.mentions_bot for message in numbered)
    assert (direct.text, direct.place.guild_id) == ("psst", None)


async def test_bots_and_webhooks_are_marked_and_the_bot_itself_is_not_heard(
    tmp_path: Path,
) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener) as link:
        general = discord.text_channel("general")
        place = Place(guild_id=discord.guild.id, channel_id=general.id)
        await link.messenger.post(place, MessageContent(text="my own"), nonce="n")
        discord.add_bot_person("robot").say(general, "beep")
        discord.add_webhook("hook").say(general, "ping")
        discord.person("alice").say(general, "hello")
        await until(lambda: len(listener.messages) == 3)
    heard = [(message.text, message.author.is_automatic) for message in listener.messages]
    assert heard == [("beep", True), ("ping", True), ("hello", False)]


async def test_a_message_that_is_not_taken_does_not_hold_up_the_next(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    listener = FakeListener()
    listener.failures.append(RuntimeError("a listener's fault"))
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        alice, general = discord.person("alice"), discord.text_channel("general")
        alice.say(general, "first secret")
        alice.say(general, "second secret")
        await until(lambda: len(listener.messages) == 2)
    assert "a listener's fault" in caplog.text
    assert "secret" not in caplog.text


async def test_it_tells_who_the_bot_and_its_owner_are(tmp_path: Path) -> None:
    told: list[BotIdentity] = []
    async with running_discord(tmp_path) as discord:
        owner = discord.person("olga", is_owner=True)
        link = DiscordLink()
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(
                run_discord(link, FakeListener(), options_for(discord), on_ready=told.append)
            )
            await until(link.ready.is_set)
            running.cancel()
        expected = BotIdentity(
            user_id=discord.bot.id,
            name="papercup",
            application_id=discord.bot.id,
            owner_ids=frozenset({owner.id}),
        )
    assert told == [expected]
    assert link.identity == expected


async def test_it_goes_on_with_its_session_after_a_break(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener) as link:
        await discord.drop_gateway(4000)
        await until(lambda: discord.journal.of(GatewayOpened)[-1].was_resumed)
        discord.person("alice").say(discord.text_channel("general"), "still there?")
        await until(lambda: len(listener.messages) == 1)
        assert link.state is DiscordState.CONNECTED


async def test_a_fresh_client_takes_the_place_of_one_that_an_odd_payload_broke(
    tmp_path: Path,
) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener) as link:
        discord._core.gateway.dispatch("MESSAGE_CREATE", {"id": "1", "odd": True})
        await until(lambda: len(discord.journal.of(GatewayOpened)) == 2)
        await until(lambda: link.state is DiscordState.CONNECTED)
        general = discord.text_channel("general")
        discord.person("alice").say(general, "still there?")
        await until(lambda: len(listener.messages) == 1)
        place = Place(guild_id=discord.guild.id, channel_id=general.id)
        await link.messenger.post(place, MessageContent(text="I am."), nonce="n")
        assert [message.text for message in discord.bot_messages(general)] == ["I am."]


class _FirstWayBlocked(AbstractResolver):
    """Finds Discord's gateway only at the second try."""

    def __init__(self, tries: list[str], resolver: AbstractResolver) -> None:
        self._tries = tries
        self._resolver = resolver

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        if host == "gateway.discord.gg":
            self._tries.append(host)
            if len(self._tries) == 1:
                raise OSError("no such host")
        return await self._resolver.resolve(host, port, family)

    async def close(self) -> None:
        await self._resolver.close()


class _FlakyOptions(DiscordOptions):
    """Options for a network that fails at first."""

    tries: list[str] = []  # noqa: RUF012 - shared by the connectors of one test

    def connector(self) -> aiohttp.BaseConnector | None:
        assert self.endpoint is not None
        endpoint = self.endpoint
        connector = discord_connector(endpoint.host, endpoint.port, endpoint.ca_path)
        connector._resolver = _FirstWayBlocked(self.tries, connector._resolver)
        return connector


async def test_a_fresh_client_takes_the_place_of_one_that_could_not_connect(
    tmp_path: Path,
) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord:
        usual = options_for(discord)
        options = _FlakyOptions(
            token=usual.token, endpoint=usual.endpoint, first_retry_seconds=0.01
        )
        async with bot_on(discord, listener, options):
            assert len(options.tries) == 2


async def test_a_client_that_does_not_come_back_is_replaced(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord:
        usual = options_for(discord)
        options = DiscordOptions(
            token=usual.token,
            endpoint=usual.endpoint,
            first_retry_seconds=0.01,
            patience_seconds=0.5,
        )
        async with bot_on(discord, FakeListener(), options) as link:
            # Discord allows another try of the same client after five seconds only.
            await discord.drop_gateway(4000, can_resume=False)
            await until(lambda: len(discord.journal.of(GatewayOpened)) == 2, timeout_seconds=4)
            await until(lambda: link.state is DiscordState.CONNECTED)


@pytest.mark.parametrize("token", ["wrong", "with a space", "zwölf", "\n"])
async def test_a_wrong_token_ends_it_with_a_word_on_where_to_put_the_right_one(
    tmp_path: Path, token: str
) -> None:
    async with running_discord(tmp_path) as discord:
        with pytest.raises(LoginRefusedError, match="DISCORD_TOKEN"):
            await run_discord(DiscordLink(), FakeListener(), options_for(discord, token=token))


async def test_a_token_that_is_withdrawn_ends_it(tmp_path: Path) -> None:
    refusals: list[LoginRefusedError] = []

    async def run(link: DiscordLink, discord: DiscordSimulator) -> None:
        try:
            await run_discord(link, FakeListener(), options_for(discord))
        except LoginRefusedError as error:
            refusals.append(error)

    async with running_discord(tmp_path) as discord, asyncio.timeout(20):
        link = DiscordLink()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(run(link, discord))
            await link.ready.wait()
            discord.settings.token = "another"
            await discord.drop_gateway(4004)
    assert len(refusals) == 1


async def test_a_missing_intent_ends_it_with_a_word_on_where_to_switch_it_on(
    tmp_path: Path,
) -> None:
    settings = Settings(is_message_content_allowed=False)
    async with running_discord(tmp_path, settings=settings) as discord:
        with pytest.raises(IntentsRefusedError, match="Message Content Intent"):
            await run_discord(DiscordLink(), FakeListener(), options_for(discord))


def test_retries_come_ever_later_up_to_a_limit() -> None:
    options = DiscordOptions(token="t", longest_retry_seconds=5.0)
    assert [options.retry_seconds(failures) for failures in (1, 2, 3, 4, 100)] == [1, 2, 4, 5, 5]


def test_the_token_is_not_shown() -> None:
    assert "hidden" not in repr(DiscordOptions(token="hidden"))
