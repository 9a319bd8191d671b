"""Each fault that can be asked for, as a client sees it."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from simulator.discord import DiscordSimulator, TextChannel
from simulator.discord.journal import GatewayClosed, GatewayOpened
from tests.simulator.discord.test_gateway import Client, client_of

Answer = tuple[int, Any]


class Rest:
    """Speaks the REST API."""

    def __init__(self, discord: DiscordSimulator, session: aiohttp.ClientSession) -> None:
        self._discord = discord
        self._session = session

    async def ask(self, method: str, path: str, **body: Any) -> Answer:
        url = f"http://127.0.0.1:{self._discord.http_port}/api/v10{path}"
        headers = {"Authorization": f"Bot {self._discord.token}"}
        async with self._session.request(method, url, headers=headers, json=body or None) as got:
            return got.status, json.loads(await got.text() or "null")

    async def post(self, channel: TextChannel, text: str = "hi", **more: Any) -> Answer:
        return await self.ask("POST", f"/channels/{channel.id}/messages", content=text, **more)


@asynccontextmanager
async def rest_of(discord: DiscordSimulator) -> AsyncIterator[Rest]:
    async with aiohttp.ClientSession() as session:
        yield Rest(discord, session)


async def test_an_answer_can_be_late_though_the_request_took_effect_at_once(
    discord: DiscordSimulator,
) -> None:
    general = discord.text_channel("general")
    discord.delay_next("POST /channels", 0.5)
    async with rest_of(discord) as rest:
        before = discord.seconds()
        status, _ = await rest.post(general)
        (posted,) = discord.bot_messages(general)
        answered_after = discord.seconds() - before
    assert (status, answered_after >= 0.5) == (200, True)
    assert posted.posted_at_seconds - before < 0.5


@pytest.mark.parametrize(
    ("may_read", "reading", "writing"), [(True, 200, 50013), (False, 403, 50001)]
)
async def test_the_bot_can_be_shut_out_of_a_channel_and_let_in_again(
    discord: DiscordSimulator, *, may_read: bool, reading: int, writing: int
) -> None:
    general = discord.text_channel("general")
    history = f"/channels/{general.id}/messages"
    async with rest_of(discord) as rest:
        discord.shut_out(general, may_read=may_read)
        assert (await rest.ask("GET", history))[0] == reading
        status, refusal = await rest.post(general)
        assert (status, refusal["code"]) == (403, writing)
        discord.let_in(general)
        assert (await rest.post(general))[0] == 200


async def test_a_channel_can_be_deleted_and_the_client_is_told(discord: DiscordSimulator) -> None:
    doomed = discord.text_channel("doomed")
    async with client_of(discord) as client, rest_of(discord) as rest:
        await client.identify(discord)
        discord.delete_channel(doomed)
        assert (await client.until("CHANNEL_DELETE"))["d"]["id"] == str(doomed.id)
        status, refusal = await rest.post(doomed)
    assert (status, refusal["code"]) == (404, 10003)


async def test_a_person_can_refuse_direct_messages(discord: DiscordSimulator) -> None:
    alice = discord.person("alice")
    discord.refuse_direct_messages(alice)
    async with rest_of(discord) as rest:
        status, refusal = await rest.post(alice.direct_messages())
    assert (status, refusal["code"]) == (403, 50007)


@pytest.mark.parametrize("is_told", [True, False])
async def test_older_messages_need_not_tell_their_nonces(
    discord: DiscordSimulator, *, is_told: bool
) -> None:
    general = discord.text_channel("general")
    discord.settings.is_nonce_in_history = is_told
    async with rest_of(discord) as rest:
        _, posted = await rest.post(general, nonce="n")
        _, (read,) = await rest.ask("GET", f"/channels/{general.id}/messages")
    assert (posted["nonce"], read.get("nonce")) == ("n", "n" if is_told else None)


async def test_a_nonce_is_forgotten_after_a_while(discord: DiscordSimulator) -> None:
    general = discord.text_channel("general")
    async with rest_of(discord) as rest:
        _, first = await rest.post(general, nonce="n", enforce_nonce=True)
        _, again = await rest.post(general, nonce="n", enforce_nonce=True)
        discord.settings.nonce_seconds = 0.0
        _, later = await rest.post(general, nonce="n", enforce_nonce=True)
    assert first["id"] == again["id"] != later["id"]


@pytest.mark.parametrize("can_resume", [True, False])
async def test_a_session_can_be_invalidated(discord: DiscordSimulator, *, can_resume: bool) -> None:
    async with client_of(discord) as client:
        session = (await client.identify(discord))["d"]["session_id"]
        await client.until("GUILD_CREATE")
        discord.invalidate_sessions(can_resume=can_resume)
        told = await client.next()
        # Who goes away by itself does not want to resume.
        await discord.drop_gateway(4000)
    assert (told["op"], told["d"]) == (9, can_resume)
    async with client_of(discord) as client:
        await client.send(6, {"token": discord.token, "session_id": session, "seq": 2})
        assert (await client.next())["op"] == (0 if can_resume else 9)


async def test_clients_can_be_asked_to_reconnect(discord: DiscordSimulator) -> None:
    async with client_of(discord) as client:
        await client.identify(discord)
        await client.until("GUILD_CREATE")
        discord.ask_to_reconnect()
        assert (await client.next())["op"] == 7


async def test_odd_events_and_frames_are_sent_as_they_are(discord: DiscordSimulator) -> None:
    async with client_of(discord) as client:
        await client.identify(discord)
        await client.until("GUILD_CREATE")
        discord.send_odd_event("GUILD_UPDATE", {"odd": [None]})
        assert (await client.next())["d"] == {"odd": [None]}
        discord.send_raw_frame('{"op": "none"}')
        assert await client.next() == {"op": "none"}


@pytest.mark.parametrize("status", [None, 503])
async def test_the_gateway_can_refuse_a_connection(
    discord: DiscordSimulator, status: int | None
) -> None:
    # aiohttp itself tries once more where the line was cut.
    discord.refuse_next_connection(status, times=1 if status else 2)
    with pytest.raises(aiohttp.ClientError) as refused:
        async with client_of(discord):
            pass
    assert getattr(refused.value, "status", None) == status
    async with client_of(discord) as client:
        await client.identify(discord)


async def test_events_can_be_late(discord: DiscordSimulator) -> None:
    async with client_of(discord) as client:
        await client.identify(discord)
        await client.until("GUILD_CREATE")
        discord.settings.event_delay_seconds = 0.3
        before = discord.seconds()
        discord.send_odd_event()
        await client.until("MESSAGE_CREATE")
        assert discord.seconds() - before >= 0.3


async def test_a_revoked_token_opens_nothing(discord: DiscordSimulator) -> None:
    token = discord.token
    async with client_of(discord) as client:
        await client.identify(discord)
        discord.revoke_token()
        assert await client.close_code() == 4004
    async with client_of(discord) as client:
        await client.send(2, {"token": token, "intents": 0})
        assert await client.close_code() == 4004


async def limit_of(discord: DiscordSimulator) -> dict[str, Any]:
    async with rest_of(discord) as rest:
        _, told = await rest.ask("GET", "/gateway/bot")
    limit: dict[str, Any] = told["session_start_limit"]
    return limit


async def identify(client: Client, discord: DiscordSimulator) -> None:
    await client.send(2, {"token": discord.token, "intents": 0})


async def test_the_sessions_that_are_left_are_counted_and_one_too_many_costs_the_token(
    discord: DiscordSimulator,
) -> None:
    discord.settings.session_starts = 1
    token = discord.token
    assert (await limit_of(discord))["remaining"] == 1
    async with client_of(discord) as client:
        await client.identify(discord)
        limit = await limit_of(discord)
        assert (limit["remaining"], limit["total"]) == (0, 1)
        assert 0 < limit["reset_after"] <= 24 * 3600 * 1000
        async with client_of(discord) as other:
            await identify(other, discord)
            assert await other.close_code() == 4004
        assert await client.close_code() == 4004
    assert discord.token != token
    assert len(discord.journal.of(GatewayOpened)) == 1
    await discord.journal.until(
        lambda: len(discord.journal.of(GatewayClosed)) == 2 or None, timeout_seconds=5
    )


async def test_the_count_of_sessions_begins_anew_after_a_while(discord: DiscordSimulator) -> None:
    discord.settings.session_starts = 1
    discord.settings.session_start_seconds = 0.0
    for _ in range(2):
        async with client_of(discord) as client:
            await client.identify(discord)
    assert (await limit_of(discord))["remaining"] == 1
