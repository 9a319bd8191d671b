"""Checks of the two services: whether they take the secrets, and what Discord lets the bot do."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from importlib import metadata
from typing import Any, cast

import aiohttp

from bot.config import EndpointsConfig
from bot.discord_io.connector import discord_connector
from bot.discord_io.invitation import invitation_url, may_read_messages, portal_url
from bot.doctor.finding import Finding, fail, ok, warn
from bot.secrets import Secret

_TIMEOUT_SECONDS = 8.0
_ANSWER_BYTES = 1_048_576
_DISCORD_API = "https://discord.com/api/v10"
_PORTAL = "https://discord.com/developers/applications"
_CONSOLE = "https://console.anthropic.com/settings/keys"
_REFUSALS = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})


@dataclass(frozen=True, slots=True)
class _Answered:
    """A service answered."""

    status: int
    body: Mapping[str, Any]
    """Empty if it is no JSON object."""


@dataclass(frozen=True, slots=True)
class _Unreachable:
    """A service could not be asked."""

    reason: str


async def check_api_key(endpoints: EndpointsConfig, key: Secret) -> Finding:
    """Say whether the Messages API takes the key; it costs nothing."""
    mend = f"Make a new key at {_CONSOLE} and put it into ANTHROPIC_API_KEY."
    if not _is_sendable(key):
        return fail("API key", "it is no key: it holds characters that none has", mend)
    headers = {"x-api-key": key.reveal(), "anthropic-version": "2023-06-01"}
    async with aiohttp.ClientSession(headers=headers) as session:
        answer = await _get(session, f"{endpoints.messages_api}/v1/models?limit=1")
    match answer:
        case _Unreachable(reason):
            return warn("API key", f"{endpoints.messages_api} cannot be reached ({reason})")
        case _Answered(status) if status in _REFUSALS:
            return fail("API key", f"refused by {endpoints.messages_api} ({status})", mend)
        case _Answered(HTTPStatus.OK):
            return ok("API key", f"accepted by {endpoints.messages_api}")
        case _Answered(status):
            return warn(
                "API key", f"{endpoints.messages_api} answered {status}, which tells nothing"
            )


async def check_discord(endpoints: EndpointsConfig, token: Secret) -> list[Finding]:
    """Say whether Discord takes the token, which intents are off, and how to invite the bot."""
    mend = f"Copy it anew from {_PORTAL} (your application, Bot, Reset Token) into DISCORD_TOKEN."
    if not _is_sendable(token):
        return [fail("Discord token", "it is no token: it holds characters that none has", mend)]
    async with _discord_session(endpoints, token) as session:
        user = await _get(session, f"{_DISCORD_API}/users/@me")
        if not isinstance(user, _Answered) or user.status != HTTPStatus.OK:
            return [_judge_refused_token(user, mend)]
        application = await _get(session, f"{_DISCORD_API}/applications/@me")
    accepted = ok("Discord token", f"accepted; the bot is {user.body.get('username')}")
    return [accepted, *_judge_application(application)]


def _judge_refused_token(answer: _Answered | _Unreachable, mend: str) -> Finding:
    match answer:
        case _Unreachable(reason):
            return warn("Discord token", f"Discord cannot be reached ({reason})")
        case _Answered(status) if status in _REFUSALS:
            return fail("Discord token", f"refused by Discord ({status})", mend)
        case _Answered(status):
            return warn("Discord token", f"Discord answered {status}, which tells nothing")


def _judge_application(answer: _Answered | _Unreachable) -> list[Finding]:
    """Say what the application's settings in Discord's portal mean for the bot."""
    if isinstance(answer, _Unreachable) or answer.status != HTTPStatus.OK:
        return [warn("Intents", "Discord does not tell of the application at present")]
    application_id = int(answer.body["id"])
    portal = portal_url(application_id)
    intents = ok("Intents", "message content is on; no other privileged one is needed")
    if not may_read_messages(int(answer.body.get("flags") or 0)):
        text = "message content is off, so the bot cannot read what people write"
        mend = f"Switch on 'Message Content Intent' at {portal} and save."
        intents = fail("Intents", text, mend)
    url = invitation_url(application_id)
    servers: int | None = answer.body.get("approximate_guild_count")
    if servers == 0:
        return [intents, warn("Invitation", "the bot is in no server yet", f"Open {url}")]
    return [intents, ok("Invitation", url)]


def _discord_session(endpoints: EndpointsConfig, token: Secret) -> aiohttp.ClientSession:
    address = endpoints.discord_address
    connector = None if address is None else discord_connector(*address, endpoints.discord_ca)
    version = metadata.version("papercup")
    headers = {
        "Authorization": f"Bot {token.reveal()}",
        "User-Agent": f"DiscordBot (https://discord.com, {version}) Papercup",
    }
    return aiohttp.ClientSession(connector=connector, headers=headers)


async def _get(session: aiohttp.ClientSession, url: str) -> _Answered | _Unreachable:
    try:
        # A redirection would take the secret elsewhere.
        async with (
            asyncio.timeout(_TIMEOUT_SECONDS),
            session.get(url, allow_redirects=False) as response,
        ):
            text = await response.content.read(_ANSWER_BYTES)
            return _Answered(response.status, _object_in(text))
    except TimeoutError:
        return _Unreachable(f"no answer within {_TIMEOUT_SECONDS:g} seconds")
    except (aiohttp.ClientError, OSError) as error:
        return _Unreachable(str(error) or type(error).__name__)


def _object_in(text: bytes) -> Mapping[str, Any]:
    try:
        value: object = json.loads(text)
    except ValueError:
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _is_sendable(secret: Secret) -> bool:
    """Say whether a header can carry it; what cannot would be shown in an error."""
    text = secret.reveal()
    return text.isascii() and text.isprintable() and " " not in text
