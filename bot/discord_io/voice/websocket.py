"""discord.py's connection to a voice server, with what it gets wrong put right."""

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Any, cast

import discord
from discord.gateway import DiscordVoiceWebSocket

if TYPE_CHECKING:
    from bot.discord_io.voice.connection_state import ReceivingState

logger = logging.getLogger(__name__)

_ADDRESS_AT = 8
_PORT_BYTES = 2
_HEARTBEAT_ANSWER = 6


def round_trip_seconds(msg: dict[str, Any], *, now: float) -> float | None:
    """Return how long a heartbeat and its answer took, if a message is such an answer.

    discord.py tells the time between two heartbeats where the answer comes back before it has
    noted down when it sent the first.

    Args:
        msg: What the voice server says; it repeats the time that the heartbeat told it.
        now: Unix time, in seconds.
    """
    if msg.get("op") != _HEARTBEAT_ANSWER or not isinstance(msg.get("d"), dict):
        return None
    sent_at = msg["d"].get("t")
    return max(now - sent_at / 1000, 0.0) if isinstance(sent_at, int) else None


class ReceivingWebSocket(DiscordVoiceWebSocket):
    """Survives an odd message, asks for its address until it is told, and notices a dead server."""

    round_trip_seconds: float | None = None
    """How long the newest heartbeat took, there and back."""

    @property
    def _receiving(self) -> "ReceivingState":
        return cast("ReceivingState", self._connection)

    async def poll_event(self) -> None:
        """Handle the next message.

        Raises:
            TimeoutError: If there is none for too long.
        """
        async with asyncio.timeout(self._receiving.options.quiet_seconds):
            await super().poll_event()

    async def received_message(self, msg: dict[str, Any]) -> None:
        """Handle a message; see `Ears.message` for what it says to us."""
        self.round_trip_seconds = (
            round_trip_seconds(msg, now=time.time()) or self.round_trip_seconds
        )
        try:
            await super().received_message(msg)
        except (OSError, TimeoutError, discord.DiscordException):
            raise
        except Exception:
            logger.exception("a message of the voice server could not be handled")
            self._receiving.ears.odd_message()

    async def received_binary_message(self, msg: bytes) -> None:
        """Handle a message about keys.

        davey refuses some: a proposal that is of no use any more, for one. In discord.py that ends
        the connection, and nobody is told: all later keys are missed.
        """
        try:
            await super().received_binary_message(msg)
        except (OSError, TimeoutError, discord.DiscordException):
            raise
        except Exception:
            logger.warning("a message about the keys of a call was refused", exc_info=True)
            self._receiving.ears.odd_message()

    async def discover_ip(self) -> tuple[str, int]:
        """Return at which address and port the voice server sees the bot.

        discord.py asks once, and waits for ever should the datagram be lost.
        """
        answer = await self._receiving.discovered()
        address = answer[_ADDRESS_AT : answer.index(0, _ADDRESS_AT)]
        return address.decode("ascii"), int.from_bytes(answer[-_PORT_BYTES:])
