"""Keeps a connection to Discord: a client that fails is replaced by a fresh one."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NoReturn

import aiohttp
import discord

from bot.conversation.incoming import Listener
from bot.discord_io.closing import closed_in_the_end
from bot.discord_io.commands import register_commands
from bot.discord_io.connector import discord_connector
from bot.discord_io.errors import DiscordRefusedError, IntentsRefusedError, LoginRefusedError
from bot.discord_io.history import DiscordHistory
from bot.discord_io.interactions import Interaction
from bot.discord_io.messenger import DiscordMessenger
from bot.discord_io.reception import Reception
from bot.discord_io.session_budget import SessionBudget, SessionsSpentError
from bot.discord_io.session_client import SessionClient
from bot.discord_io.translation import BotIdentity, identity_of, incoming_message
from bot.redaction import Redactor

logger = logging.getLogger(__name__)

_WRONG_TOKEN = 4004
"""Discord's gateway closes with it."""


class DiscordState(StrEnum):
    """How the connection stands."""

    CONNECTING = "connecting"
    CONNECTED = "connected"
    RECONNECTING = "reconnecting"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where to find Discord, where that is not the real one."""

    host: str
    port: int
    ca_path: Path | None = None
    """Who signed its certificate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordOptions:
    """How to log in, and what to do when it fails."""

    token: str = field(repr=False)
    endpoint: Endpoint | None = None
    command_guild_ids: tuple[int, ...] = ()
    """The guilds that the commands are for; none means everywhere."""
    patience_seconds: float = 60.0
    """How long a client may be without a connection before another takes its place."""
    first_retry_seconds: float = 1.0
    longest_retry_seconds: float = 120.0
    session_pause_seconds: float = 5.0
    """Between the end of a session that cannot be resumed and the next one of the same client, as
    Discord asks for."""
    steady_seconds: float = 300.0
    """A client that was there for so long did not fail at once: retries begin anew."""

    def connector(self) -> aiohttp.BaseConnector | None:
        """Return what leads to Discord; `None` for the usual way."""
        endpoint = self.endpoint
        if endpoint is None:
            return None
        return discord_connector(endpoint.host, endpoint.port, endpoint.ca_path)

    def retry_seconds(self, failures: int) -> float:
        """Return how long to wait after that many failures on end."""
        return min(self.first_retry_seconds * 2.0 ** (failures - 1), self.longest_retry_seconds)


class DiscordLink:
    """What outlives the clients: made before the first, and used by everyone else."""

    def __init__(self, redactor: Redactor | None = None) -> None:
        """Make it.

        Args:
            redactor: Takes secrets out of all that is sent.
        """
        self.redactor = redactor or Redactor()
        self.messenger = DiscordMessenger(self.redactor)
        """Carries messages whenever there is a client that is logged in."""
        self.history = DiscordHistory()
        """Reads messages then."""
        self.state = DiscordState.CONNECTING
        self.identity: BotIdentity | None = None
        """Who the bot is, once that is known."""
        self.ready = asyncio.Event()
        """Set when people have been heard for the first time."""
        self.commands_are_registered = False
        """In this process; once is enough."""


async def run_discord(
    link: DiscordLink,
    listener: Listener,
    options: DiscordOptions,
    *,
    budget: SessionBudget | None = None,
    on_ready: Callable[[BotIdentity], None] = lambda _: None,
) -> NoReturn:
    """Keep the bot on Discord, and tell `listener` what people do, until cancelled.

    Args:
        link: What the rest of the program holds of it.
        listener: Is told. What it raises is logged, and its time is limited.
        options: How to log in.
        budget: How many sessions may be started; one without a memory if none is given.
        on_ready: Called before the first message of each new session is handed over.

    Raises:
        DiscordRefusedError: If trying again is of no use: the token or a setting is wrong.
    """
    _quieten_discord_py()
    async with asyncio.TaskGroup() as tasks:
        reception = Reception(listener, tasks, link.redactor)
        desk = _Desk(link, reception, options, tasks, on_ready, budget or SessionBudget())
        helpers = [
            tasks.create_task(reception.deliver_messages()),
            tasks.create_task(link.messenger.keep_typing()),
        ]
        refusal = await _until_refused(desk)
        reception.stop()
        for task in helpers:
            task.cancel()
    raise refusal


def _quieten_discord_py() -> None:
    """Its debug log holds what people write."""
    library = logging.getLogger("discord")
    if library.getEffectiveLevel() < logging.INFO:
        library.setLevel(logging.INFO)


async def _until_refused(desk: "_Desk") -> DiscordRefusedError:
    """Make one client after another; returns, not raises, so that no group wraps it."""
    clock = asyncio.get_running_loop().time
    failures = 0
    while True:
        await desk.budget.wait()
        began = clock()
        try:
            await desk.serve_one_client()
        except SessionsSpentError:
            continue
        except (discord.LoginFailure, discord.PrivilegedIntentsRequired) as error:
            wrong_token = isinstance(error, discord.LoginFailure)
            return LoginRefusedError() if wrong_token else IntentsRefusedError()
        except discord.ConnectionClosed as error:
            if error.code == _WRONG_TOKEN:
                return LoginRefusedError()
            logger.warning("Discord closed the connection: %s", error)
        except TimeoutError:
            logger.warning("the connection to Discord did not come back by itself")
        except Exception:
            logger.exception("the Discord client failed")
        failures = 1 if clock() - began > desk.options.steady_seconds else failures + 1
        delay = desk.options.retry_seconds(failures)
        logger.info("a new Discord client is made in %.1f s", delay)
        await asyncio.sleep(delay)


class _Desk:
    """Between the client of the moment and all that outlives it."""

    def __init__(
        self,
        link: DiscordLink,
        reception: Reception,
        options: DiscordOptions,
        tasks: asyncio.TaskGroup,
        on_ready: Callable[[BotIdentity], None],
        budget: SessionBudget,
    ) -> None:
        self.options = options
        self.budget = budget
        self._link = link
        self._reception = reception
        self._tasks = tasks
        self._on_ready = on_ready
        self._patience: asyncio.Timeout | None = None

    async def serve_one_client(self) -> None:
        """Run a fresh client until it fails.

        Raises:
            TimeoutError: If it was without a connection for too long.
        """
        try:
            async with closed_in_the_end(SessionClient(self, self.options.connector())) as client:
                await self._start(client)
        finally:
            self._link.messenger.pause()
            self._link.history.pause()

    async def _start(self, client: SessionClient) -> None:
        async with asyncio.timeout(self.options.patience_seconds) as patience:
            self._patience = patience
            try:
                await client.start(_sendable(self.options.token))
            finally:
                self._patience = None
                self.disconnected()

    async def logged_in(self, client: discord.Client) -> None:
        self._link.identity = identity_of(client)
        self._link.messenger.use(client)
        self._link.history.use(client)
        try:
            _, _, limit = await client.http.get_bot_gateway()
        except (discord.DiscordException, aiohttp.ClientError, OSError, KeyError) as error:
            logger.warning("Discord does not say how many sessions are left: %r", error)
        else:
            self.budget.learn(limit)
        self.budget.refuse_if_spent()

    async def session_starts(self, *, is_first: bool) -> None:
        if not is_first:
            await asyncio.sleep(self.options.session_pause_seconds)
        await self.budget.begin()

    def connected(self, client: discord.Client, *, has_gap: bool) -> None:
        if self._patience is None or self._patience.expired():
            return
        self._patience.reschedule(None)
        self._link.state = DiscordState.CONNECTED
        assert self._link.identity is not None
        self._on_ready(self._link.identity)
        if has_gap:
            self._reception.take_gap()
        self._link.ready.set()
        if not self._link.commands_are_registered:
            self._tasks.create_task(self._register(client))

    def disconnected(self) -> None:
        if self._link.state is DiscordState.CONNECTED:
            self._link.state = DiscordState.RECONNECTING
        if self._patience is not None and self._patience.when() is None:
            now = asyncio.get_running_loop().time()
            self._patience.reschedule(now + self.options.patience_seconds)

    def message_seen(self, client: discord.Client, message: discord.Message) -> None:
        assert client.user is not None
        if message.author.id == client.user.id:
            self._link.messenger.saw_own(message)
        elif not message.is_system():
            self._reception.take_message(incoming_message(message, client.user.id))

    def interaction_begun(self, interaction: Interaction) -> None:
        self._reception.take_interaction(interaction)

    async def _register(self, client: discord.Client) -> None:
        try:
            await register_commands(client, self.options.command_guild_ids)
        except Exception:
            logger.exception("the slash commands could not be registered")
        else:
            self._link.commands_are_registered = True


def _sendable(token: str) -> str:
    """Refuse what no header can carry, before discord.py tries it for ever."""
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise discord.LoginFailure
    return token
