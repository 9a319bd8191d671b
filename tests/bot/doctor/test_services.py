"""The checks of the services, on the stand-ins."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.config import EndpointsConfig
from bot.discord_io.invitation import invitation_url
from bot.doctor.finding import Finding, Grade
from bot.doctor.services import check_api_key, check_discord
from bot.secrets import Secret
from simulator.discord import DiscordSimulator, Settings, running_discord
from simulator.messages_api import Say, running_messages_api

KEY = "sk-ant-hush-hush"
CLOSED = "127.0.0.1:9"
"""Nothing listens there."""


def grades(findings: list[Finding]) -> dict[str, Grade]:
    return {finding.check: finding.grade for finding in findings}


def texts(findings: list[Finding]) -> str:
    return "\n".join(f"{finding.text} {finding.mend}" for finding in findings)


async def api_key_finding(key: str, *, keys: frozenset[str] | None = None) -> Finding:
    async with (
        asyncio.timeout(10),
        running_messages_api(lambda _: Say("never"), keys=keys) as api,
    ):
        finding = await check_api_key(EndpointsConfig(messages_api=api.url), Secret(key))
        assert not api.model_requests
        return finding


async def test_a_key_that_the_api_takes_is_fine() -> None:
    finding = await api_key_finding(KEY, keys=frozenset({KEY}))
    assert finding.grade is Grade.OK


async def test_a_key_that_the_api_refuses_is_a_failure() -> None:
    finding = await api_key_finding("sk-ant-another", keys=frozenset({KEY}))
    assert finding.grade is Grade.FAIL
    assert "401" in finding.text
    assert "sk-ant-another" not in texts([finding])


async def test_an_api_that_cannot_be_reached_is_a_warning() -> None:
    endpoints = EndpointsConfig(messages_api=f"http://{CLOSED}")
    async with asyncio.timeout(20):
        finding = await check_api_key(endpoints, Secret(KEY))
    assert finding.grade is Grade.WARN
    assert "cannot be reached" in finding.text


@pytest.mark.parametrize("secret", ["with space", "with\nline", "wíth umlaut"])
async def test_what_no_header_can_carry_is_not_sent_and_not_shown(secret: str) -> None:
    key = await check_api_key(EndpointsConfig(messages_api=f"http://{CLOSED}"), Secret(secret))
    token = await check_discord(EndpointsConfig(discord=CLOSED), Secret(secret))

    assert grades([key, *token]) == {"API key": Grade.FAIL, "Discord token": Grade.FAIL}
    assert secret not in texts([key, *token])


@asynccontextmanager
async def simulated(
    folder: Path, settings: Settings | None = None
) -> AsyncGenerator[tuple[DiscordSimulator, EndpointsConfig], None]:
    async with asyncio.timeout(20), running_discord(folder, settings=settings) as discord:
        yield (
            discord,
            EndpointsConfig(
                discord=f"{discord.host}:{discord.tls_port}", discord_ca=discord.ca_path
            ),
        )


async def test_a_token_that_discord_takes_is_fine_and_the_invitation_is_shown(
    tmp_path: Path,
) -> None:
    async with simulated(tmp_path) as (discord, endpoints):
        findings = await check_discord(endpoints, Secret(discord.token))

    assert grades(findings) == {
        "Discord token": Grade.OK,
        "Intents": Grade.OK,
        "Invitation": Grade.OK,
    }
    assert "the bot is papercup" in findings[0].text
    assert findings[2].text == invitation_url(discord.bot.id)


async def test_a_token_that_discord_refuses_is_a_failure(tmp_path: Path) -> None:
    async with simulated(tmp_path) as (_, endpoints):
        findings = await check_discord(endpoints, Secret("MTIz.wrong.token"))

    assert grades(findings) == {"Discord token": Grade.FAIL}
    assert "Reset Token" in str(findings[0].mend)
    assert "MTIz" not in texts(findings)


async def test_an_intent_that_is_off_is_a_failure_that_says_where_to_switch_it_on(
    tmp_path: Path,
) -> None:
    settings = Settings(is_message_content_allowed=False)
    async with simulated(tmp_path, settings) as (discord, endpoints):
        findings = await check_discord(endpoints, Secret(discord.token))

    assert grades(findings) == {
        "Discord token": Grade.OK,
        "Intents": Grade.FAIL,
        "Invitation": Grade.OK,
    }
    portal = f"https://discord.com/developers/applications/{discord.bot.id}/bot"
    assert portal in str(findings[1].mend)


async def test_a_bot_in_no_server_is_a_warning_with_its_invitation(tmp_path: Path) -> None:
    async with simulated(tmp_path) as (discord, endpoints):
        application = {"id": str(discord.bot.id), "flags": 1 << 19, "approximate_guild_count": 0}
        discord.fail_next("GET /applications/@me", 200, body=application)
        findings = await check_discord(endpoints, Secret(discord.token))

    assert grades(findings)["Intents"] is Grade.OK
    assert grades(findings)["Invitation"] is Grade.WARN
    assert invitation_url(discord.bot.id) in str(findings[2].mend)


@pytest.mark.parametrize("route", ["/users/@me", "/applications/@me"])
@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_discord_that_is_not_well_is_a_warning(
    tmp_path: Path, route: str, status: int
) -> None:
    async with simulated(tmp_path) as (discord, endpoints):
        discord.fail_next(f"GET {route}", status)
        findings = await check_discord(endpoints, Secret(discord.token))

    assert Grade.WARN in grades(findings).values()
    assert Grade.FAIL not in grades(findings).values()


async def test_a_discord_that_cannot_be_reached_is_a_warning() -> None:
    async with asyncio.timeout(20):
        findings = await check_discord(EndpointsConfig(discord=CLOSED), Secret("MTIz.x.y"))

    assert grades(findings) == {"Discord token": Grade.WARN}


async def test_a_connection_that_is_cut_is_a_warning(tmp_path: Path) -> None:
    async with simulated(tmp_path) as (discord, endpoints):
        discord.cut_next("GET /users/@me", times=3)
        findings = await check_discord(endpoints, Secret(discord.token))

    assert grades(findings) == {"Discord token": Grade.WARN}
