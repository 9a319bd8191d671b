"""The gateway as any client sees it, over a plain websocket."""

import asyncio
import json
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from simulator.discord import DiscordSimulator
from simulator.discord.gateway_session import BACKLOG_EVENTS, Intent
from simulator.discord.journal import GatewayClosed

ALL = sum(Intent)
Frame = dict[str, Any]


class Client:
    """Speaks the gateway's frames."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._inflate = zlib.decompressobj()

    async def send(self, op: int, data: Any = None) -> None:
        await self._socket.send_json({"op": op, "d": data})

    async def send_text(self, text: str) -> None:
        await self._socket.send_str(text)

    async def next(self) -> Frame:
        async with asyncio.timeout(5):
            message = await self._socket.receive()
        if message.type is aiohttp.WSMsgType.BINARY:
            frame: Frame = json.loads(self._inflate.decompress(message.data))
        else:
            assert message.type is aiohttp.WSMsgType.TEXT, message
            frame = json.loads(message.data)
        return frame

    async def until(self, name: str) -> Frame:
        while (frame := await self.next())["t"] != name:
            pass
        return frame

    async def close_code(self) -> int | None:
        async with asyncio.timeout(5):
            while not self._socket.closed:
                await self._socket.receive()
        return self._socket.close_code

    async def identify(self, discord: DiscordSimulator, intents: int = ALL) -> Frame:
        await self.send(2, {"token": discord.token, "intents": intents})
        return await self.until("READY")


@asynccontextmanager
async def client_of(
    discord: DiscordSimulator, query: str = "?v=10&encoding=json"
) -> AsyncIterator[Client]:
    url = f"ws://127.0.0.1:{discord.http_port}/gateway{query}"
    async with aiohttp.ClientSession() as session, session.ws_connect(url) as socket:
        client = Client(socket)
        assert (await client.next())["op"] == 10
        yield client


async def test_a_client_is_greeted_with_the_whole_guild(discord: DiscordSimulator) -> None:
    discord.person("alice")
    async with client_of(discord) as client:
        ready = (await client.identify(discord))["d"]
        assert ready["user"]["id"] == str(discord.bot.id)
        guild = (await client.until("GUILD_CREATE"))["d"]
        assert [channel["name"] for channel in guild["channels"]] == ["general"]
        names = [member["user"]["username"] for member in guild["members"]]
        assert names == ["papercup", "admin", "alice"]


async def test_frames_are_one_zlib_stream_where_the_client_asks_for_it(
    discord: DiscordSimulator,
) -> None:
    async with client_of(discord, "?compress=zlib-stream") as client:
        await client.identify(discord)
        await client.send(1, 3)
        assert (await client.until("GUILD_CREATE"))["s"] == 2
        assert (await client.next())["op"] == 11


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ("{", 4002),
        ("[]", 4002),
        ('{"op": 99}', 4001),
        ('{"op": 8, "d": {"guild_id": "1"}}', 4003),
        ('{"op": 2, "d": {"token": "wrong"}}', 4002),
        ('{"op": 6, "d": 5}', 4002),
        ('{"op": 2, "d": {"token": "wrong", "intents": 0}}', 4004),
        ('{"op": 6, "d": {"token": "wrong", "session_id": "x", "seq": 1}}', 4004),
    ],
)
async def test_a_client_that_misbehaves_is_told_why_it_is_thrown_out(
    discord: DiscordSimulator, frame: str, code: int
) -> None:
    async with client_of(discord) as client:
        await client.send_text(frame)
        assert await client.close_code() == code


async def test_a_client_cannot_identify_twice(discord: DiscordSimulator) -> None:
    async with client_of(discord) as client:
        await client.identify(discord)
        await client.send(2, {"token": discord.token, "intents": 0})
        assert await client.close_code() == 4005


async def test_a_client_that_gives_no_sign_of_life_is_thrown_out(
    discord: DiscordSimulator,
) -> None:
    discord.settings.heartbeat_seconds = 0.05
    async with client_of(discord) as client:
        await client.identify(discord)
        assert await client.close_code() == 4009


async def test_events_go_only_to_those_who_asked_for_them(discord: DiscordSimulator) -> None:
    alice = discord.person("alice")
    async with client_of(discord) as client:
        await client.identify(discord, Intent.DIRECT_MESSAGES)
        alice.say(discord.text_channel("general"), "to all")
        alice.say(alice.direct_messages(), "to you")
        assert (await client.until("MESSAGE_CREATE"))["d"]["content"] == "to you"


async def test_a_resumed_session_gets_what_it_missed_in_order(discord: DiscordSimulator) -> None:
    alice = discord.person("alice")
    general = discord.text_channel("general")
    async with client_of(discord) as client:
        ready = await client.identify(discord)
        seen = (await client.until("GUILD_CREATE"))["s"]
        await discord.drop_gateway(4000)
        assert await client.close_code() == 4000
    for word in ("one", "two"):
        alice.say(general, word, mention_bot=False)
    async with client_of(discord) as client:
        session = ready["d"]["session_id"]
        await client.send(6, {"token": discord.token, "session_id": session, "seq": seen})
        missed = [await client.next() for _ in range(3)]
        assert [(frame["t"], frame["d"].get("content")) for frame in missed] == [
            ("MESSAGE_CREATE", "one"),
            ("MESSAGE_CREATE", "two"),
            ("RESUMED", None),
        ]
        assert [frame["s"] for frame in missed] == [seen + 1, seen + 2, seen + 3]


async def test_a_session_that_is_forgotten_cannot_be_resumed(discord: DiscordSimulator) -> None:
    async with client_of(discord) as client:
        session = (await client.identify(discord))["d"]["session_id"]
        await discord.drop_gateway(4000, can_resume=False)
    async with client_of(discord) as client:
        await client.send(6, {"token": discord.token, "session_id": session, "seq": 1})
        answer = await client.next()
        assert (answer["op"], answer["d"]) == (9, False)


async def test_who_closes_normally_or_missed_too_much_must_identify_anew(
    discord: DiscordSimulator,
) -> None:
    alice = discord.person("alice")
    async with client_of(discord) as client:
        closed_normally = (await client.identify(discord))["d"]["session_id"]
    await discord.journal.until(
        lambda: discord.journal.of(GatewayClosed) or None, timeout_seconds=5
    )
    async with client_of(discord) as client:
        missed_much = (await client.identify(discord))["d"]["session_id"]
        await discord.drop_gateway(4000)
    for _ in range(BACKLOG_EVENTS + 1):
        alice.type_in(discord.text_channel("general"))
    for session in (closed_normally, missed_much):
        async with client_of(discord) as client:
            await client.send(6, {"token": discord.token, "session_id": session, "seq": 1})
            assert (await client.next())["op"] == 9


async def test_members_can_be_asked_for_by_name_and_by_id(discord: DiscordSimulator) -> None:
    alice = discord.person("alice")
    discord.person("bob")
    guild = str(discord.guild.id)
    async with client_of(discord) as client:
        await client.identify(discord)
        for wanted in ({"query": "bo", "limit": 0}, {"user_ids": [alice.id]}):
            await client.send(8, {"guild_id": guild, "nonce": "n", **wanted})
        chunks = [(await client.until("GUILD_MEMBERS_CHUNK"))["d"] for _ in range(2)]
    found = [[member["user"]["username"] for member in chunk["members"]] for chunk in chunks]
    assert found == [["bob"], ["alice"]]
    assert [chunk["nonce"] for chunk in chunks] == ["n", "n"]


async def test_reactions_and_deletions_are_told(discord: DiscordSimulator) -> None:
    alice = discord.person("alice")
    async with client_of(discord) as client:
        await client.identify(discord)
        message = alice.say(discord.text_channel("general"), "good", mention_bot=False)
        alice.react(message, "👍")
        alice.delete(message)
        reaction = (await client.until("MESSAGE_REACTION_ADD"))["d"]
        deletion = (await client.until("MESSAGE_DELETE"))["d"]
    assert (reaction["emoji"]["name"], reaction["user_id"]) == ("👍", str(alice.id))
    assert deletion["id"] == str(message.id)
