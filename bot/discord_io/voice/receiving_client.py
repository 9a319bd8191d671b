"""A voice client of discord.py that receives."""

import asyncio
from typing import cast

import discord
from discord import SpeakingState
from discord.voice_state import VoiceConnectionState

from bot.discord_io.voice import end_to_end, rtp, transport
from bot.discord_io.voice.connection_state import Ears, ReceivingState
from bot.discord_io.voice.options import VoiceOptions
from bot.discord_io.voice.transport import TransportMode

_FRAME_SAMPLES = 960


class ReceivingVoiceClient(discord.VoiceClient):
    """One voice connection: made by `dialing.dial`, and never used again once it is over.

    Args:
        client: As whom.
        channel: Where to.
        ears: Is told what comes in.
        options: Limits.
    """

    # discord.py does not know the first, which Discord prefers; those that it knows beside the
    # second are not in use any more.
    supported_modes = (TransportMode.AES_GCM, TransportMode.XCHACHA)  # type: ignore[assignment] # pyright: ignore[reportAssignmentType]

    def __init__(
        self,
        client: discord.Client,
        channel: discord.abc.Connectable,
        ears: Ears,
        options: VoiceOptions,
    ) -> None:
        self._ears = ears
        self._options = options
        self._sequence = 0
        self._timestamp = 0
        self._nonce = 0
        super().__init__(client, channel)

    @property
    def receiving(self) -> ReceivingState:
        """The course of the connection, with its present keys."""
        return cast("ReceivingState", self._connection)

    def create_connection_state(self) -> VoiceConnectionState:
        """Called by discord.py when this is made."""
        return ReceivingState(self, self._ears, self._options)

    def send(self, opus: bytes) -> bool:
        """Send a packet, encrypted as the call demands; see `Wire`.

        Returns:
            False if that is not possible at present: there are no keys, or no connection.
        """
        state = self.receiving
        if not state.is_connected() or not state.secret_key:
            return False
        audio = end_to_end.encrypted(state, opus)
        if audio is None:
            return False
        self._sequence = (self._sequence + 1) % (1 << 16)
        self._timestamp = (self._timestamp + _FRAME_SAMPLES) % (1 << 32)
        self._nonce = (self._nonce + 1) % (1 << 32)
        header = rtp.header(sequence=self._sequence, timestamp=self._timestamp, ssrc=state.ssrc)
        packet = transport.sealed(state.mode, bytes(state.secret_key), self._nonce, header, audio)
        try:
            state.send_packet(packet)
        except OSError:
            # Lost, as any datagram may be.
            return True
        return True

    async def tell_speaking(self, *, is_speaking: bool) -> None:
        """Let the others' clients show that the bot speaks, or does not any more."""
        await self.ws.speak(SpeakingState.voice if is_speaking else SpeakingState.none)

    async def disconnect(self, *, force: bool = False) -> None:
        """Leave, and do not wait for word of it: discord.py waits for 30 s where there is none."""
        try:
            async with asyncio.timeout(self._options.leave_seconds):
                await self.receiving.disconnect(force=force, wait=False)
        finally:
            self.cleanup()
