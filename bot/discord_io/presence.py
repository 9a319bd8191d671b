"""What stands under the bot's name."""

import asyncio
import logging

import discord

from bot.redaction import Redactor
from bot.wording import shortened

logger = logging.getLogger(__name__)

_EVERY_SECONDS = 15.0
"""Discord takes five changes in twenty seconds, over all that is sent to the gateway."""
_SEND_SECONDS = 10.0
_MOST_CHARACTERS = 128


class Presence:
    """Shows a text there, and shows it again in each new session.

    Args:
        redactor: Takes secrets out of it.
        every_seconds: How much time lies between two changes at least.
    """

    def __init__(
        self, redactor: Redactor | None = None, *, every_seconds: float = _EVERY_SECONDS
    ) -> None:
        self._redactor = redactor or Redactor()
        self._every_seconds = every_seconds
        self._client: discord.Client | None = None
        self._wanted = ""
        self._shown = ""
        self._changed = asyncio.Event()

    def show(self, text: str) -> None:
        """Have `text` stand there, soon."""
        self._wanted = shortened(self._redactor.redact(text), _MOST_CHARACTERS)
        self._changed.set()

    def session_began(self, client: discord.Client) -> None:
        """Show the text by `client`, whose new session shows nothing yet."""
        self._client = client
        self._shown = ""
        self._changed.set()

    def pause(self) -> None:
        """Show nothing until there is a session again."""
        self._client = None

    async def run(self) -> None:
        """Send the changes until cancelled."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            if self._client is not None and self._wanted != self._shown:
                await self._send(self._client, self._wanted)
                await asyncio.sleep(self._every_seconds)

    async def _send(self, client: discord.Client, text: str) -> None:
        try:
            async with asyncio.timeout(_SEND_SECONDS):
                await client.change_presence(activity=_activity(text))
        except Exception:
            # The next session or the next change shows it.
            logger.debug("the presence could not be changed", exc_info=True)
        else:
            self._shown = text


def _activity(text: str) -> discord.CustomActivity | None:
    return discord.CustomActivity(name=text) if text else None
