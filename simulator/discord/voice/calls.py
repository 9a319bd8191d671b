"""All calls of one guild: who is let in, and through which voice server the bot takes part."""

import secrets

from simulator.discord.gateway import Gateway
from simulator.discord.journal import Journal
from simulator.discord.model import Account, Channel, Json
from simulator.discord.voice.call import Call
from simulator.discord.voice.client import Client
from simulator.discord.voice.happenings import VoiceRefused
from simulator.discord.voice.opcodes import CloseCode
from simulator.discord.voice.settings import VoiceSettings
from simulator.discord.voice.states import VoiceStates
from simulator.discord.voice.udp import VoiceUdp
from simulator.discord.voice.voice_state import VoiceState
from simulator.discord.world import World

_FIRST_SSRC = 1000


class Calls:
    """The calls, by channel, and the bot's way into them."""

    def __init__(
        self, world: World, gateway: Gateway, journal: Journal, settings: VoiceSettings
    ) -> None:
        self.world = world
        self.journal = journal
        self.settings = settings
        self.states = VoiceStates(world, gateway, journal)
        self.udp = VoiceUdp(settings)
        self.client: Client | None = None
        """The bot's, once it is identified at the voice server."""
        self._gateway = gateway
        self._calls: dict[int, Call] = {}
        self._token: str | None = None
        """With which the bot may identify itself at the voice server."""
        self._ssrc = _FIRST_SSRC
        gateway.serve_voice(self)

    def next_ssrc(self) -> int:
        """Return an SSRC that nobody had."""
        self._ssrc += 1
        return self._ssrc

    def call_in(self, channel: Channel) -> Call:
        """Return the call in a channel."""
        if channel.id not in self._calls:
            self._calls[channel.id] = Call(channel, self.world, self.journal, self.settings)
        return self._calls[channel.id]

    def ask(self, session_id: str, data: Json) -> None:
        """Let the bot be where it asks to be, if it may (op 4)."""
        if str(data["guild_id"]) != str(self.world.guild.id):
            return
        if data["channel_id"] is None:
            self.put_out(self.world.bot)
            return
        wanted = str(data["channel_id"])
        channel = self.world.channels.get(int(wanted)) if wanted.isdecimal() else None
        if channel is None:
            self._refuse(f"there is no channel {wanted}")
        elif reason := self.states.refusal(self.world.bot, channel):
            self._refuse(reason)
        else:
            self._let_in(session_id, channel, data)

    def session_lost(self, session_id: str, *, is_over: bool) -> None:
        """Let the bot be in no channel if its session is over, or if it is gone for good."""
        state = self.states.of(self.world.bot)
        if state is None or state.session_id != session_id:
            return
        if is_over or not self._is_connected:
            self.put_out(self.world.bot)

    def client_lost(self, client: Client) -> None:
        """Let the bot be in no channel if its other connection is lost, too."""
        if client is self.client and not self._gateway.has_connection(client.session_id):
            self.put_out(self.world.bot)

    def admit(self, *, token: str, session_id: str, user_id: str) -> VoiceState | None:
        """Return where a client is that shows a token; `None` if it is not good (any more)."""
        state = self.states.of(self.world.bot)
        if state is None or self._token is None or token != self._token:
            return None
        is_right = (session_id, user_id) == (state.session_id, str(state.account.id))
        return state if is_right else None

    def identify(self, state: VoiceState, token: str) -> Client:
        """Make a client of the bot; one that it had is in no call any more."""
        self._forget_client()
        self.client = Client(
            state,
            self.call_in(state.channel),
            token=token,
            ssrc=self.next_ssrc(),
            settings=self.settings,
        )
        self.udp.add(self.client)
        return self.client

    def resumable(self, *, token: str, session_id: str) -> Client | None:
        """Return the client with which a connection may go on."""
        client = self.client
        is_right = client is not None and (client.token, client.session_id) == (token, session_id)
        return client if is_right else None

    def forget_token(self) -> None:
        """Let the bot's session at the voice server be good no more."""
        self._token = None
        if self.client is not None:
            self.client.token = ""

    def move_bot(self, channel: Channel) -> None:
        """Let the bot be in another channel, as a moderator can."""
        old = self.states.of(self.world.bot)
        if old is not None and old.channel != channel:
            self._enter(
                old.session_id,
                channel,
                is_self_muted=old.is_self_muted,
                is_self_deafened=old.is_self_deafened,
            )

    def put_out(self, account: Account) -> None:
        """Let somebody be in no channel."""
        state = self.states.leave(account)
        if state is None:
            return
        if account == self.world.bot:
            self._token = None
            self._forget_client(code=CloseCode.DISCONNECTED)
        else:
            self.call_in(state.channel).drop(account)

    def end(self, channel: Channel) -> None:
        """Let nobody be in a channel any more."""
        for state in self.states.in_channel(channel):
            self.put_out(state.account)
        call = self._calls.pop(channel.id, None)
        if call is not None:
            call.close()

    def change_server(self, endpoint: str) -> None:
        """Let the calls go on through another server, which knows nothing of them."""
        self.settings.endpoint = endpoint
        for call in self._calls.values():
            call.restart()
        if self.states.of(self.world.bot) is not None:
            self._send_server()

    def close(self) -> None:
        """Wait for nobody any more."""
        for call in self._calls.values():
            call.close()

    @property
    def _is_connected(self) -> bool:
        return self.client is not None and self.client.is_connected

    def _let_in(self, session_id: str, channel: Channel, data: Json) -> None:
        old = self.states.of(self.world.bot)
        is_same = old is not None and (old.channel, old.session_id) == (channel, session_id)
        choice = {
            "is_self_muted": bool(data["self_mute"]),
            "is_self_deafened": bool(data["self_deaf"]),
        }
        if not is_same:
            self._enter(session_id, channel, **choice)
            return
        self.states.change(self.world.bot, **choice)
        if self.settings.is_server_told_again:
            self._send_server()

    def _enter(
        self, session_id: str, channel: Channel, *, is_self_muted: bool, is_self_deafened: bool
    ) -> None:
        self.states.enter(
            self.world.bot,
            channel,
            session_id=session_id,
            is_self_muted=is_self_muted,
            is_self_deafened=is_self_deafened,
        )
        # A client is told of the new server first: else it takes the closure for the end.
        self._send_server()
        self._forget_client(code=CloseCode.DISCONNECTED)

    def _send_server(self) -> None:
        self._token = secrets.token_hex(8)
        told: Json = {
            "token": self._token,
            "guild_id": str(self.world.guild.id),
            "endpoint": self.settings.endpoint,
        }
        self._gateway.dispatch("VOICE_SERVER_UPDATE", told)

    def _forget_client(self, *, code: int | None = None) -> None:
        client, self.client = self.client, None
        if client is None:
            return
        client.call.leave(client)
        self.udp.remove(client)
        if client.socket is not None and code is not None:
            client.socket.close(code)

    def _refuse(self, reason: str) -> None:
        now = self.world.clock.seconds()
        self.journal.record(VoiceRefused(at_seconds=now, reason=reason))
