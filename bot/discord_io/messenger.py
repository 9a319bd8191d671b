"""Carries messages to Discord, over whichever client is logged in."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Literal

import discord

from bot.access import Place
from bot.discord_io.carrying import carried, carried_unless
from bot.discord_io.outgoing import outgoing_with_files
from bot.discord_io.posting import is_it, parameters_to_edit, parts_to_post, wire_nonce
from bot.discord_io.typist import Typist
from bot.messenger import MessageContent, MessageRef, MessengerError
from bot.redaction import Redactor
from bot.text.splitting import MESSAGE_LIMIT
from bot.wording import shortened

logger = logging.getLogger(__name__)

_TYPING_SECONDS = 5.0
_REMEMBERED_POSTS = 1000
_SEARCHED_MESSAGES = 100
_THREAD_NAME_CHARACTERS = 100
_PUBLIC_THREAD: Literal[11] = 11
_THREAD_SLEEPS_AFTER_MINUTES: Literal[10080] = 10080
"""A week without a message, the longest that Discord takes; the next message wakes it."""
_UNKNOWN_MESSAGE = 10008
_UNKNOWN_EMOJI = 10014


class DiscordMessenger:
    """Implements `bot.messenger.Messenger`; outlives the clients that it uses.

    Args:
        redactor: Takes secrets out of all that is sent.
        wait_seconds: How long a message waits for a client that is logged in.
    """

    def __init__(self, redactor: Redactor | None = None, *, wait_seconds: float = 10.0) -> None:
        self._redactor = redactor or Redactor()
        self._wait_seconds = wait_seconds
        self._client: discord.Client | None = None
        self._usable = asyncio.Event()
        self._posted: OrderedDict[tuple[int, str], MessageRef] = OrderedDict()
        self._typist = Typist()

    def use(self, client: discord.Client) -> None:
        """Send by `client` from now on; it is logged in."""
        self._client = client
        self._usable.set()

    def pause(self) -> None:
        """Let messages wait until there is a client again."""
        self._client = None
        self._usable.clear()

    async def post(
        self,
        place: Place,
        content: MessageContent,
        *,
        nonce: str,
        reply_to: MessageRef | None = None,
    ) -> MessageRef:
        """Post a message, once; see `Messenger.post`."""
        known = self._posted.get((place.channel_id, wire_nonce(nonce)))
        if known is not None:
            return known
        channel = await self._channel(place.channel_id)
        shown = await self._shown(content)
        message = await carried(lambda: channel.send(**parts_to_post(shown, nonce, reply_to)))
        return self._remember(place.channel_id, wire_nonce(nonce), message.id)

    async def edit(self, ref: MessageRef, content: MessageContent) -> None:
        """Replace what a message holds; see `Messenger.edit`."""
        client = await self._logged_in()
        shown = await self._shown(content)

        async def edit() -> None:
            with parameters_to_edit(shown) as params:
                await client.http.edit_message(ref.channel_id, ref.message_id, params=params)

        await carried(edit)

    async def delete(self, ref: MessageRef) -> None:
        """Take a message away; see `Messenger.delete`."""
        message = await self._message(ref)
        await carried_unless(frozenset({_UNKNOWN_MESSAGE}), message.delete)

    async def react(self, ref: MessageRef, emoji: str) -> None:
        """Put the bot's reaction under a message; see `Messenger.react`."""
        message = await self._message(ref)
        await carried(lambda: message.add_reaction(emoji))

    async def take_reaction_back(self, ref: MessageRef, emoji: str) -> None:
        """Take the bot's own reaction away; see `Messenger.take_reaction_back`."""
        client = await self._logged_in()
        await carried_unless(
            frozenset({_UNKNOWN_EMOJI}),
            lambda: client.http.remove_own_reaction(ref.channel_id, ref.message_id, emoji),
        )

    async def pin(self, ref: MessageRef) -> None:
        """Pin a message in its channel; see `Messenger.pin`."""
        await carried((await self._message(ref)).pin)

    async def unpin(self, ref: MessageRef) -> None:
        """Take a message's pin out; see `Messenger.unpin`."""
        message = await self._message(ref)
        await carried_unless(frozenset({_UNKNOWN_MESSAGE}), message.unpin)

    async def open_thread(self, place: Place, name: str) -> Place:
        """Open a public thread in a channel, and return it; see `Messenger.open_thread`."""
        client = await self._logged_in()
        made = await carried(
            lambda: client.http.start_thread_without_message(
                place.channel_id,
                name=self._thread_name(name),
                auto_archive_duration=_THREAD_SLEEPS_AFTER_MINUTES,
                type=_PUBLIC_THREAD,
            )
        )
        return Place(
            guild_id=place.guild_id, channel_id=int(made["id"]), parent_id=place.channel_id
        )

    async def rename_thread(self, place: Place, name: str) -> None:
        """Give a thread another title; see `Messenger.rename_thread`."""
        client = await self._logged_in()
        title = self._thread_name(name)
        await carried(lambda: client.http.edit_channel(place.channel_id, name=title))

    async def find(
        self, place: Place, nonce: str, *, like: MessageContent | None = None
    ) -> MessageRef | None:
        """Return the bot's recent message with that nonce; see `Messenger.find`.

        What this process posted is always found, even if its own request seemed to fail.
        """
        wanted = wire_nonce(nonce)
        known = self._posted.get((place.channel_id, wanted))
        if known is not None:
            return known
        channel = await self._channel(place.channel_id)
        # By its files it is not known again.
        shown = None if like is None else await self._shown(replace(like, files=()))
        for message in await carried(lambda: _newest(channel)):
            if self._is_own(message) and is_it(message, wanted, shown):
                return self._remember(place.channel_id, wanted, message.id)
        return None

    async def direct_messages(self, person_id: int) -> Place:
        """Return where that person is written to; see `Messenger.direct_messages`."""
        client = await self._logged_in()
        channel = await carried(lambda: client.create_dm(discord.Object(person_id)))
        return Place(guild_id=None, channel_id=channel.id)

    @asynccontextmanager
    async def typing(self, place: Place) -> AsyncGenerator[None]:
        """Show that the bot is typing while the block lasts."""
        with self._typist.showing(place.channel_id):
            yield

    def saw_own(self, message: discord.Message) -> None:
        """Remember a message of the bot that Discord told of, whatever became of the request."""
        if message.nonce is not None:
            self._remember(message.channel.id, str(message.nonce), message.id)

    async def keep_typing(self) -> None:
        """Send the typing signs until cancelled."""
        await self._typist.run(self._send_typing)

    async def _send_typing(self, channel_id: int) -> None:
        if self._client is None:
            return
        try:
            async with asyncio.timeout(_TYPING_SECONDS):
                await self._client.get_partial_messageable(channel_id).typing()
        except Exception:
            # Nothing is lost, and nobody could do anything about it.
            logger.debug("typing is not shown in channel %s", channel_id, exc_info=True)

    async def _shown(self, content: MessageContent) -> MessageContent:
        shown = await outgoing_with_files(content, self._redactor)
        # What stands in place of a secret may be longer than it.
        return replace(shown, text=shortened(shown.text, MESSAGE_LIMIT))

    def _thread_name(self, name: str) -> str:
        return shortened(self._redactor.redact(name), _THREAD_NAME_CHARACTERS)

    async def _channel(self, channel_id: int) -> discord.PartialMessageable:
        return (await self._logged_in()).get_partial_messageable(channel_id)

    async def _message(self, ref: MessageRef) -> discord.PartialMessage:
        return (await self._channel(ref.channel_id)).get_partial_message(ref.message_id)

    async def _logged_in(self) -> discord.Client:
        try:
            async with asyncio.timeout(self._wait_seconds):
                await self._usable.wait()
        except TimeoutError:
            raise MessengerError("there is no connection to it") from None
        if self._client is None:  # it is gone again already
            raise MessengerError("there is no connection to it")
        return self._client

    def _is_own(self, message: discord.Message) -> bool:
        user = None if self._client is None else self._client.user
        return user is not None and message.author.id == user.id

    def _remember(self, channel_id: int, nonce: str, message_id: int) -> MessageRef:
        ref = MessageRef(channel_id=channel_id, message_id=message_id)
        self._posted[channel_id, nonce] = ref
        if len(self._posted) > _REMEMBERED_POSTS:
            self._posted.popitem(last=False)
        return ref


async def _newest(channel: discord.PartialMessageable) -> list[discord.Message]:
    return [message async for message in channel.history(limit=_SEARCHED_MESSAGES)]
