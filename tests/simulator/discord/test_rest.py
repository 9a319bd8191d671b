"""What a client that is not discord.py may send."""

import aiohttp
import pytest

from simulator.discord import DiscordSimulator
from simulator.discord.errors import NotSeenError


async def ask(
    discord: DiscordSimulator,
    method: str,
    path: str,
    *,
    body: str | None = None,
    token: str | None = None,
) -> tuple[int, int]:
    """Return the status and the code of the error."""
    headers = {
        "Authorization": f"Bot {token or discord.token}",
        "Content-Type": "application/json",
    }
    url = f"http://127.0.0.1:{discord.http_port}/api/v10{path}"
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.request(method, url, data=body) as answer,
    ):
        return answer.status, (await answer.json())["code"]


async def test_what_is_wrong_with_a_request_is_answered_as_discord_does(
    discord: DiscordSimulator,
) -> None:
    messages = f"/channels/{discord.text_channel('general').id}/messages"
    assert await ask(discord, "GET", "/users/@me", token="wrong") == (401, 0)
    assert await ask(discord, "POST", messages, body="{") == (400, 50109)
    assert await ask(discord, "POST", messages, body="[]") == (400, 50035)
    assert await ask(discord, "POST", messages, body="{}") == (400, 50006)
    assert await ask(discord, "GET", f"{messages}?limit=101") == (400, 50035)
    assert await ask(discord, "GET", f"{messages}/1") == (404, 10008)
    assert await ask(discord, "POST", "/channels/1/typing") == (404, 10003)
    assert await ask(discord, "GET", "/users/1") == (404, 10013)
    assert await ask(discord, "PUT", "/applications/1/commands", body="[]") == (403, 20012)
    assert await ask(discord, "PUT", f"/applications/{discord.bot.id}/commands", body="{}") == (
        400,
        50035,
    )


async def test_the_bot_cannot_edit_what_a_person_wrote(discord: DiscordSimulator) -> None:
    general = discord.text_channel("general")
    message = discord.person("alice").say(general, "mine")
    path = f"/channels/{general.id}/messages/{message.id}"
    assert await ask(discord, "PATCH", path, body='{"content": "yours"}') == (403, 50005)
    assert discord.message(message) == message


async def test_a_path_that_is_not_served_stands_in_the_journal(discord: DiscordSimulator) -> None:
    assert await ask(discord, "DELETE", "/nowhere/5") == (404, 0)
    assert discord.journal.unknown_routes == ["DELETE /nowhere/5"]


async def test_a_wait_that_fails_shows_what_was_there(discord: DiscordSimulator) -> None:
    alice = discord.person("alice")
    general = discord.text_channel("general")
    alice.say(general, "hello?", mention_bot=False)
    with pytest.raises(NotSeenError, match=r"alice did not see it in general.*\n  alice: hello\?"):
        await alice.sees(general, "hello!", timeout_seconds=0)
