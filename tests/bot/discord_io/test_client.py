import asyncio
import socket
from dataclasses import replace
from pathlib import Path

import aiohttp
import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from bot.access import Person, Place
from bot.conversation.incoming import IncomingMessage
from bot.discord_io.client import run_discord
from bot.discord_io.connector import discord_connector
from bot.discord_io.errors import IntentsRefusedError, LoginRefusedError
from bot.discord_io.link import DiscordLink, DiscordState
from bot.discord_io.options import DiscordOptions
from bot.discord_io.session_budget import SessionBudget
from bot.discord_io.session_starts import SessionPace, SessionStarts
from bot.discord_io.translation import BotIdentity
from bot.messenger import MessageContent, MessageRef
from simulator.discord import DiscordSimulator, Settings, running_discord
from simulator.discord.journal import GatewayClosed, GatewayOpened
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
            author=Person(id=alice.id, name="alice", guild_id=discord.guild.id),
            place=Place(guild_id=discord.guild.id, channel_id=general.id),
            text="what is\n  <@1>?",
            mentions_bot=True,
        )
    ]


async def test_the_mention_of_the_bot_alone_is_told_from_a_message(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        alice, general = discord.person("alice"), discord.text_channel("general")
        alice.say(general, "")
        alice.say(general, "psst")
        await until(lambda: len(listener.messages) == 2)
    assert [(each.text, each.is_mention_alone) for each in listener.messages] == [
        ("", True),
        ("psst", False),
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


def quick(discord: DiscordSimulator) -> DiscordOptions:
    """Return options that wait no longer than they must."""
    return replace(options_for(discord), session_pause_seconds=0.05)


async def still_hears(discord: DiscordSimulator, listener: FakeListener) -> None:
    """Say something, and wait until the bot has heard it."""
    heard = len(listener.messages)
    discord.person("alice").say(discord.text_channel("general"), "still there?")
    await until(lambda: len(listener.messages) == heard + 1)


def sessions(discord: DiscordSimulator) -> list[bool]:
    """Return of each session that was opened whether it was resumed."""
    return [opened.was_resumed for opened in discord.journal.of(GatewayOpened)]


async def test_it_comes_back_with_a_new_session_when_its_own_cannot_be_resumed(
    tmp_path: Path,
) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener, quick(discord)):
        # Resuming takes another second with discord.py; then it is refused.
        await discord.drop_gateway(4000, can_resume=False)
        await until(lambda: sessions(discord) == [False, False])
        await still_hears(discord, listener)


@pytest.mark.parametrize("can_resume", [True, False])
async def test_it_comes_back_when_discord_invalidates_its_session(
    tmp_path: Path, *, can_resume: bool
) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener, quick(discord)):
        discord.invalidate_sessions(can_resume=can_resume)
        await until(lambda: sessions(discord) == [False, can_resume])
        await still_hears(discord, listener)


async def test_it_comes_back_when_discord_asks_it_to(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener, quick(discord)):
        discord.ask_to_reconnect()
        await until(lambda: sessions(discord) == [False, True])
        await still_hears(discord, listener)


@pytest.mark.parametrize("status", [None, 503])
async def test_it_comes_up_though_the_gateway_refuses_the_first_connections(
    tmp_path: Path, status: int | None
) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord:
        discord.refuse_next_connection(status, times=2)
        async with bot_on(discord, listener, quick(discord)):
            await still_hears(discord, listener)


@pytest.mark.parametrize("status", [502, 503])
async def test_it_comes_up_though_the_login_fails_at_first(tmp_path: Path, status: int) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord:
        discord.fail_next("GET /users/@me", status)
        async with bot_on(discord, listener, quick(discord)):
            await still_hears(discord, listener)


async def test_it_comes_up_though_the_login_is_limited_at_first(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord:
        discord.limit_next("GET /users/@me", retry_after_seconds=0.1)
        async with bot_on(discord, listener, quick(discord)):
            await still_hears(discord, listener)


async def test_it_comes_up_though_discord_does_not_say_how_many_sessions_are_left(
    tmp_path: Path,
) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord:
        discord.fail_next("GET /gateway/bot", 503)
        async with bot_on(discord, listener, quick(discord)):
            await still_hears(discord, listener)


@pytest.mark.parametrize("frame", ["no JSON", "[]", '{"op": 10, "d": null}'])
async def test_it_comes_back_after_a_frame_that_is_none(tmp_path: Path, frame: str) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener, quick(discord)):
        discord.send_raw_frame(frame)
        await until(lambda: len(sessions(discord)) == 2)
        await still_hears(discord, listener)


@pytest.mark.parametrize("name", ["MESSAGE_CREATE", "INTERACTION_CREATE", "READY"])
async def test_it_comes_back_after_an_event_with_an_odd_payload(tmp_path: Path, name: str) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener, quick(discord)):
        discord.send_odd_event(name)
        await until(lambda: len(sessions(discord)) == 2)
        await still_hears(discord, listener)


async def test_events_that_come_late_are_heard_all_the_same(tmp_path: Path) -> None:
    listener = FakeListener()
    settings = Settings(event_delay_seconds=0.2)
    async with running_discord(tmp_path, settings=settings) as discord:
        async with bot_on(discord, listener, quick(discord)):
            await still_hears(discord, listener)
        assert sessions(discord) == [False]


async def test_it_starts_no_session_while_none_is_left(tmp_path: Path) -> None:
    listener = FakeListener()
    settings = Settings(session_starts=1, session_start_seconds=1.5)
    async with running_discord(tmp_path, settings=settings) as discord:
        token = discord.token
        async with bot_on(discord, listener, quick(discord)):
            await still_hears(discord, listener)
        spent_at = discord.journal.of(GatewayOpened)[0].at_seconds
        async with bot_on(discord, listener, quick(discord)):
            await still_hears(discord, listener)
        opened = discord.journal.of(GatewayOpened)
        assert discord.token == token
    assert len(opened) == 2
    assert opened[1].at_seconds - spent_at >= 1.5


async def test_a_client_that_starts_sessions_without_end_is_slowed_down(tmp_path: Path) -> None:
    pace = SessionPace(free_starts=2, spacing_seconds=3600.0)
    budget = SessionBudget(starts=SessionStarts(pace=pace))
    async with running_discord(tmp_path) as discord, asyncio.TaskGroup() as tasks:
        link = DiscordLink()
        running = tasks.create_task(
            run_discord(link, FakeListener(), quick(discord), budget=budget)
        )
        await link.ready.wait()
        discord.invalidate_sessions()
        await until(lambda: sessions(discord) == [False, False])
        discord.invalidate_sessions()
        # It is thrown away before it starts a third one, and no other takes its place.
        await until(lambda: len(discord.journal.of(GatewayClosed)) == 3)
        await until(lambda: link.state is DiscordState.RECONNECTING)
        assert sessions(discord) == [False, False]
        running.cancel()


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
            discord.revoke_token()
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
