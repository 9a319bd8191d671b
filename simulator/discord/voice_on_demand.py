"""Voice on a Discord: its channels, and what can be made to go wrong there."""

import re
from collections import Counter

from simulator.discord.faults_on_demand import FaultsOnDemand
from simulator.discord.model import VOICE_KINDS, ChannelKind
from simulator.discord.people import Person
from simulator.discord.sight import WAIT_SECONDS
from simulator.discord.voice.channel import VoiceChannel
from simulator.discord.voice.opcodes import CloseCode
from simulator.discord.voice.settings import Network, VoiceSettings
from simulator.discord.voice.voice_state import VoiceState

_SERVER_NUMBER = re.compile(r"\d+")


class VoiceOnDemand(FaultsOnDemand):
    """The voice of a `DiscordSimulator`."""

    @property
    def voice(self) -> VoiceSettings:
        """How voice behaves; may be changed at any time."""
        return self._core.settings.voice

    @property
    def voice_counts(self) -> Counter[str]:
        """Datagrams, by what became of them: `received`, `keepalive`, `sent`, `lost` ..."""
        return self._core.calls.udp.counts

    @property
    def bot_voice(self) -> VoiceState | None:
        """In which voice channel the bot is, and how; `None`: in none."""
        return self._core.calls.states.of(self._core.world.bot)

    def voice_channel(self, name: str, *, user_limit: int = 0) -> VoiceChannel:
        """Return the guild's voice channel of that name; it is made if there is none.

        Args:
            name: What it is called.
            user_limit: How many may be in a new one; 0: as many as like.
        """
        return self._channel(name, ChannelKind.VOICE, user_limit=user_limit)

    def stage_channel(self, name: str) -> VoiceChannel:
        """Return the guild's stage channel of that name; it is made if there is none."""
        return self._channel(name, ChannelKind.STAGE)

    def move_bot(self, channel: VoiceChannel) -> None:
        """Move the bot to another voice channel, as a moderator can."""
        self._core.calls.move_bot(channel.channel)

    def throw_bot_out(self) -> None:
        """Let the bot be in no voice channel any more, as a moderator can."""
        self._core.calls.put_out(self._core.world.bot)

    def mute_bot(self, *, is_muted: bool = True) -> None:
        """Let nobody hear the bot, as a moderator can, or let them again."""
        self._core.calls.states.change(self._core.world.bot, is_muted=is_muted)

    def let_speak(self, person: Person | None = None) -> None:
        """Let somebody speak on a stage, as a moderator can; the bot, if nobody is named."""
        account = self._core.world.bot if person is None else person.account
        self._core.calls.states.change(account, is_suppressed=False, asked_to_speak_at_seconds=None)

    async def drop_voice(
        self,
        code: int | None = CloseCode.SESSION_NO_LONGER_VALID,
        *,
        timeout_seconds: float = WAIT_SECONDS,
    ) -> None:
        """Close the bot's connection to the voice server, and return when it is closed.

        Args:
            code: Why, as the client is told; after 4006 it cannot be resumed. `None`: it is cut
                without a word, which the client sees as 1006.
            timeout_seconds: How long to wait for it.

        Raises:
            TimeoutError: If it was still open then.
        """
        if code == CloseCode.SESSION_NO_LONGER_VALID:
            self._core.calls.forget_token()
        await self._core.voice_gateway.drop(code, timeout_seconds=timeout_seconds)

    def refuse_next_voice(self, code: int, *, times: int = 1) -> None:
        """Let the voice server close the next connections when they identify themselves."""
        self._core.voice_gateway.refuse_next(code, times=times)

    def change_voice_server(self) -> None:
        """Let all calls go on through another server, as after a change of region or a crash."""
        number = _SERVER_NUMBER.search(self.voice.endpoint)
        newer = str(int(number[0]) + 1) if number else ""
        self._core.calls.change_server(_SERVER_NUMBER.sub(newer, self.voice.endpoint, count=1))

    def lose_discoveries(self, times: int = 1) -> None:
        """Let the next questions of a client for its own address get no answer."""
        self._core.calls.udp.discoveries_to_lose += times

    def worsen_network(
        self, network: Network | None = None, *, of_bot: Network | None = None
    ) -> None:
        """Let packets be lost, late or out of order from now on.

        Args:
            network: What becomes of packets to the bot; `None`: they all arrive in time.
            of_bot: What becomes of packets of the bot.
        """
        self.voice.to_bot = network or Network()
        self.voice.from_bot = of_bot or Network()

    def _channel(self, name: str, kind: ChannelKind, *, user_limit: int = 0) -> VoiceChannel:
        for channel in self._core.world.guild_channels():
            if channel.name == name and channel.kind in VOICE_KINDS:
                return VoiceChannel(self._core, channel)
        made = self._core.places.add(name, kind, user_limit=user_limit)
        return VoiceChannel(self._core, made)
