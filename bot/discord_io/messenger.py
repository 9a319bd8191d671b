"""Carries messages to Discord, over whichever client is logged in."""

import asyncio
import hashlib
import logging
from collections import OrderedDict
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import aiohttp
import discord

from bot.access import Place
from bot.discord_io.components import files_of, view_of
from bot.discord_io.typist import Typist
from bot.messenger import MessageContent, MessageRef, MessengerError

logger = logging.getLogger(__name__)

_CALL_SECONDS = 60.0
"""discord.py itself tries five times in 25 seconds where Discord's servers are in trouble."""
_TYPING_SECONDS = 5.0
_NONCE_CHARACTERS = 25
_REMEMBERED_POSTS = 1000
_SEARCHED_MESSAGES = 50

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
        wait_seconds: How long a message waits for a client that is logged in.
    """

    def __init__(self, *, wait_seconds: float = 10.0) -> None:
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
        with _faults_as_messenger_errors():
            async with asyncio.timeout(_CALL_SECONDS):
                message = await channel.send(**_parts(content, nonce, reply_to))
        return self._remember(place.channel_id, wire_nonce(nonce), message.id)

    async def edit(self, ref: MessageRef, content: MessageContent) -> None:
        """Replace what a message holds; see `Messenger.edit`."""
        channel = await self._channel(ref.channel_id)
        with _faults_as_messenger_errors():
            async with asyncio.timeout(_CALL_SECONDS):
                await channel.get_partial_message(ref.message_id).edit(
                    content=content.text,
                    attachments=files_of(content),
                    view=view_of(content),
                    allowed_mentions=_pinging(replied_to=False),
                )

    async def find(self, place: Place, nonce: str) -> MessageRef | None:
        """Return the bot's recent message with that nonce; see `Messenger.find`.

        What this process posted is always found, even if its own request seemed to fail. Of what
        an earlier one posted, Discord may no longer tell the nonce; it still refuses to post the
        same nonce a second time for some minutes, so that posting again is safe then.

        Raises:
            MessengerError: If Discord could not be asked.
        """
        wanted = wire_nonce(nonce)
        known = self._posted.get((place.channel_id, wanted))
        if known is not None:
            return known
        channel = await self._channel(place.channel_id)
        with _faults_as_messenger_errors():
            async with asyncio.timeout(_CALL_SECONDS):
                async for message in channel.history(limit=_SEARCHED_MESSAGES):
                    if self._is_own(message) and str(message.nonce) == wanted:
                        return self._remember(place.channel_id, wanted, message.id)
        return None

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

    async def _channel(self, channel_id: int) -> discord.PartialMessageable:
        try:
            async with asyncio.timeout(self._wait_seconds):
                await self._usable.wait()
        except TimeoutError:
            raise MessengerError("there is no connection to it") from None
        assert self._client is not None
        return self._client.get_partial_messageable(channel_id)

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


@contextmanager
def _faults_as_messenger_errors() -> Generator[None]:
    try:
        yield
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
    return MessengerError(str(error) or repr(error), fate_unknown=not (refused or never_left))
