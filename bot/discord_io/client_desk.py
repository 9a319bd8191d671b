"""Stands between the client of the moment and all that outlives it."""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import NoReturn

import aiohttp
import discord

from bot.discord_io.closing import closed_in_the_end
from bot.discord_io.command_keeper import CommandKeeper
from bot.discord_io.commands import CommandRegister
from bot.discord_io.edits import Edits
from bot.discord_io.link import DiscordLink, DiscordState
from bot.discord_io.options import DiscordOptions
from bot.discord_io.presses import Interaction
from bot.discord_io.reception import Reception
from bot.discord_io.session_budget import SessionBudget
from bot.discord_io.session_client import SessionClient
from bot.discord_io.translation import BotIdentity, incoming_message, is_written
from bot.messenger import MessageRef

logger = logging.getLogger(__name__)


class ClientDesk:
    """Makes clients, and implements `ClientEvents` for them.

    Args:
        link: What the rest of the program holds.
        reception: Takes what people do.
        register: Tells Discord of the commands.
        keeper: Keeps it told.
        options: How to log in.
        tasks: Owns what goes on beside the client.
        on_ready: Called before the first message of each new session is handed over.
        budget: How many sessions may be started.
    """

    def __init__(
        self,
        link: DiscordLink,
        reception: Reception,
        register: CommandRegister,
        keeper: CommandKeeper,
        options: DiscordOptions,
        tasks: asyncio.TaskGroup,
        on_ready: Callable[[BotIdentity], None],
        budget: SessionBudget,
    ) -> None:
        self.options = options
        self.budget = budget
        self._link = link
        self._reception = reception
        self._register = register
        self._keeper = keeper
        self._tasks = tasks
        self._on_ready = on_ready
        self._edits = Edits()
        self._patience: asyncio.Timeout | None = None

    async def serve_one_client(self) -> None:
        """Run a fresh client until it fails.

        Raises:
            TimeoutError: If it was without a connection for too long.
        """
        try:
            async with closed_in_the_end(SessionClient(self, self.options.connector())) as client:
                try:
                    await self._start(client)
                except asyncio.CancelledError:
                    # While there is somebody to say goodbye to.
                    await self._link.voice_door.leave_all()
                    raise
        finally:
            self._keeper.client_gone()
            self._link.pause()

    async def tell_time(self) -> NoReturn:
        """Have it told again and again, while there is a connection, that people are heard."""
        while True:
            await asyncio.sleep(self.options.heard_seconds)
            if self._link.state is DiscordState.CONNECTED:
                self._reception.take_time(time.time())

    async def _start(self, client: SessionClient) -> None:
        async with asyncio.timeout(self.options.patience_seconds) as patience:
            self._patience = patience
            try:
                await client.start(_sendable(self.options.token))
            finally:
                self._patience = None
                self.disconnected()

    async def logged_in(self, client: discord.Client) -> None:
        """Let everyone use the client; see `ClientEvents`."""
        self._link.use(client)
        try:
            _, _, limit = await client.http.get_bot_gateway()
        except (discord.DiscordException, aiohttp.ClientError, OSError, KeyError) as error:
            logger.warning("Discord does not say how many sessions are left: %r", error)
        else:
            self.budget.learn(limit)
        self.budget.refuse_if_spent()

    async def session_starts(self, *, is_first: bool) -> None:
        """Have it wait, or not start at all; see `ClientEvents`."""
        if not is_first:
            await asyncio.sleep(self.options.session_pause_seconds)
        await self.budget.begin()

    def connected(self, client: discord.Client, *, has_gap: bool) -> None:
        """Take up work; see `ClientEvents`."""
        if self._patience is None or self._patience.expired():
            return
        self._patience.reschedule(None)
        self._link.state = DiscordState.CONNECTED
        self._link.voice_door.client_connected(client, is_new_session=has_gap)
        assert self._link.identity is not None
        self._on_ready(self._link.identity)
        if has_gap:
            self._reception.take_gap()
            self._link.presence.session_began(client)
        self._link.ready.set()
        self._keeper.connected(client)

    def disconnected(self) -> None:
        """Be patient for a while; see `ClientEvents`."""
        self._link.voice_door.client_away()
        if self._link.state is DiscordState.CONNECTED:
            self._link.state = DiscordState.RECONNECTING
        if self._patience is not None and self._patience.when() is None:
            now = asyncio.get_running_loop().time()
            self._patience.reschedule(now + self.options.patience_seconds)

    def message_seen(self, client: discord.Client, message: discord.Message) -> None:
        """Have it handed over; see `ClientEvents`."""
        assert client.user is not None
        if message.author.id == client.user.id:
            self._link.messenger.saw_own(message)
        elif is_written(message):
            self._reception.take_message(incoming_message(message, client.user.id))

    def message_changed(self, client: discord.Client, message: discord.Message) -> None:
        """Have it handed over, if somebody else edited it; see `ClientEvents`."""
        assert client.user is not None
        if message.author.id == client.user.id or not is_written(message):
            return
        if self._edits.is_new(message.id, message.edited_at):
            self._reception.take_edit(incoming_message(message, client.user.id))

    def message_gone(self, ref: MessageRef) -> None:
        """Have it told; see `ClientEvents`."""
        self._reception.take_deletion(ref)

    def guild_joined(self, client: discord.Client, guild_id: int) -> None:
        """Offer the commands there, if it has its own; see `ClientEvents`."""
        if self._register.is_for(guild_id):
            self._tasks.create_task(self._register_anew(client, guild_id))

    def guild_left(self, guild_id: int) -> None:
        """End what goes on there; see `ClientEvents`."""
        self._link.voice_door.guild_left(guild_id)

    def channel_deleted(self, guild_id: int, channel_id: int) -> None:
        """End what goes on there; see `ClientEvents`."""
        self._link.voice_door.channel_deleted(guild_id, channel_id)
        self._reception.take_channel_end(channel_id)

    def voice_changed(self, member: discord.Member, after: discord.VoiceState) -> None:
        """Have it told; see `ClientEvents`."""
        self._link.voice_door.voice_changed(member, after)

    def interaction_begun(self, interaction: Interaction) -> None:
        """Have it answered; see `ClientEvents`."""
        self._reception.take_interaction(interaction)

    async def _register_anew(self, client: discord.Client, guild_id: int) -> None:
        try:
            await self._register.register_anew(client, guild_id)
        except Exception:
            logger.exception("the commands could not be registered")


def _sendable(token: str) -> str:
    """Refuse what no header can carry, before discord.py tries it for ever."""
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise discord.LoginFailure
    return token
