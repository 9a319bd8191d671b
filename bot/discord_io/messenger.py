"""Carries messages to Discord, over whichever client is logged in."""

import asyncio
import hashlib
import logging
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, TypeVar

import aiohttp
import discord

from bot.access import Place
from bot.discord_io.components import custom_ids_in, custom_ids_of, files_of, view_of
from bot.discord_io.outgoing import outgoing
from bot.discord_io.splitting import MESSAGE_LIMIT
from bot.discord_io.typist import Typist
from bot.messenger import MessageContent, MessageRef, MessengerError
from bot.redaction import Redactor
from bot.wording import shortened

logger = logging.getLogger(__name__)

T = TypeVar("T")

_CALL_SECONDS = 60.0
"""discord.py itself tries five times in 25 seconds where Discord's servers are in trouble."""
_TYPING_SECONDS = 5.0
_NONCE_CHARACTERS = 25
_REMEMBERED_POSTS = 1000
_SEARCHED_MESSAGES = 100
_TRIED_BY_DISCORD_PY = frozenset({500, 502, 504, 524})
_PAUSES_SECONDS = (0.5, 1.0, 2.0)
"""Between the attempts while Discord says that it is overloaded, as with status 503."""
_TRIED_LATER = frozenset({401, 408, 429})
"""Refusals that say nothing about the message or the place."""

_FAULTS = (
    discord.DiscordException,
    aiohttp.ClientError,
    OSError,
    TimeoutError,
    RuntimeError,  # aiohttp says so of a session that was closed meanwhile
    KeyError,  # discord.py says so of an answer that lacks something
)


def wire_nonce(nonce: str) -> str:
    """Return `nonce` as Discord takes it: a long one becomes a digest of it."""
    if len(nonce) <= _NONCE_CHARACTERS:
        return nonce
    return hashlib.blake2b(nonce.encode(), digest_size=12).hexdigest()


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
        shown = self._shown(content)
        message = await carried(lambda: channel.send(**_parts(shown, nonce, reply_to)))
        return self._remember(place.channel_id, wire_nonce(nonce), message.id)

    async def edit(self, ref: MessageRef, content: MessageContent) -> None:
        """Replace what a message holds; see `Messenger.edit`."""
        message = (await self._channel(ref.channel_id)).get_partial_message(ref.message_id)
        shown = self._shown(content)
        await carried(
            lambda: message.edit(
                content=shown.text,
                attachments=files_of(shown),
                view=view_of(shown),
                allowed_mentions=_pinging(replied_to=False),
            )
        )

    async def react(self, ref: MessageRef, emoji: str) -> None:
        """Put the bot's reaction under a message; see `Messenger.react`."""
        message = (await self._channel(ref.channel_id)).get_partial_message(ref.message_id)
        await carried(lambda: message.add_reaction(emoji))

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
        shown = None if like is None else self._shown(like)
        for message in await carried(lambda: _newest(channel)):
            if self._is_own(message) and _is_it(message, wanted, shown):
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

    def _shown(self, content: MessageContent) -> MessageContent:
        shown = outgoing(content, self._redactor)
        # What stands in place of a secret may be longer than it.
        return replace(shown, text=shortened(shown.text, MESSAGE_LIMIT))

    async def _channel(self, channel_id: int) -> discord.PartialMessageable:
        return (await self._logged_in()).get_partial_messageable(channel_id)

    async def _logged_in(self) -> discord.Client:
        try:
            async with asyncio.timeout(self._wait_seconds):
                await self._usable.wait()
        except TimeoutError:
            raise MessengerError("there is no connection to it") from None
        assert self._client is not None
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


def _parts(content: MessageContent, nonce: str, reply_to: MessageRef | None) -> dict[str, Any]:
    """Return what discord.py is given to post; it makes Discord enforce the nonce."""
    parts: dict[str, Any] = {
        "content": content.text,
        "nonce": wire_nonce(nonce),
        "files": files_of(content),
        "allowed_mentions": _pinging(replied_to=reply_to is not None),
        # A preview would show whatever an address in somebody's words wants to be seen.
        "suppress_embeds": True,
    }
    if (view := view_of(content)) is not None:
        parts["view"] = view
    if reply_to is not None:
        parts["reference"] = _reference(reply_to)
    return parts


def _reference(ref: MessageRef) -> discord.MessageReference:
    return discord.MessageReference(
        message_id=ref.message_id, channel_id=ref.channel_id, fail_if_not_exists=False
    )


def _pinging(*, replied_to: bool) -> discord.AllowedMentions:
    return discord.AllowedMentions(
        everyone=False, users=False, roles=False, replied_user=replied_to
    )


async def _newest(channel: discord.PartialMessageable) -> list[discord.Message]:
    return [message async for message in channel.history(limit=_SEARCHED_MESSAGES)]


def _is_it(message: discord.Message, nonce: str, like: MessageContent | None) -> bool:
    if message.nonce is not None:
        return str(message.nonce) == nonce
    if like is None:
        return False
    is_alike = like.buttons or message.content.split() == like.text.split()
    return bool(is_alike) and custom_ids_in(message) == custom_ids_of(like)


async def carried(request: Callable[[], Awaitable[T]]) -> T:
    """Do what discord.py does not: try again while Discord is overloaded.

    Raises:
        MessengerError: If it failed.
    """
    try:
        async with asyncio.timeout(_CALL_SECONDS):
            for seconds in _PAUSES_SECONDS:
                try:
                    return await request()
                except discord.DiscordServerError as error:
                    if error.status in _TRIED_BY_DISCORD_PY:
                        raise
                await asyncio.sleep(seconds)
            return await request()
    except _FAULTS as error:
        raise messenger_error(error) from error


def messenger_error(error: Exception) -> MessengerError:
    """Return what a fault of a request means for the message in it."""
    if isinstance(error, TimeoutError):
        return MessengerError("it did not answer in time", fate_unknown=True)
    refused = isinstance(error, discord.DiscordException) and not isinstance(
        error, discord.DiscordServerError
    )
    never_left = isinstance(error, aiohttp.ClientConnectorError)
    return MessengerError(
        str(error) or repr(error),
        fate_unknown=not (refused or never_left),
        is_final=isinstance(error, discord.HTTPException) and _is_final(error),
        retry_after_seconds=error.retry_after if isinstance(error, discord.RateLimited) else 0.0,
    )


def _is_final(error: discord.HTTPException) -> bool:
    # Without a code of its own it is not Discord that refuses, but something on the way to it.
    is_refusal = 400 <= error.status < 500 and error.code != 0  # noqa: PLR2004 - of HTTP
    return is_refusal and error.status not in _TRIED_LATER
