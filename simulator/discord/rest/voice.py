"""Routes about who is in a voice channel."""

from simulator.discord.core import Core
from simulator.discord.errors import ApiError
from simulator.discord.model import Account, ChannelKind, Json
from simulator.discord.permissions import Permission
from simulator.discord.rest.call import NOTHING, Answer, Call, Route
from simulator.discord.voice.voice_state import VoiceState
from simulator.discord.voice.wire import voice_state_json

_OWN = "/guilds/{guild_id}/voice-states/@me"
_OF_USER = "/guilds/{guild_id}/voice-states/{user_id}"


class VoiceRoutes:
    """Voice states; stages are what they are changed for."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def routes(self) -> list[Route]:
        """Return what is served here."""
        return [
            Route(method="GET", template=_OWN, handler=self._own),
            Route(method="PATCH", template=_OWN, handler=self._change_own),
            Route(method="GET", template=_OF_USER, handler=self._of_user),
            Route(method="PATCH", template=_OF_USER, handler=self._change_of_user),
        ]

    async def _own(self, call: Call) -> Answer:
        return Answer(body=self._json(self._state(call, self._core.world.bot)))

    async def _of_user(self, call: Call) -> Answer:
        return Answer(body=self._json(self._state(call, self._account(call))))

    async def _change_own(self, call: Call) -> Answer:
        state = self._on_stage(call, self._core.world.bot)
        if call.body.get("suppress") is False:
            self._core.world.require(Permission.MUTE_MEMBERS, state.channel)
        if call.body.get("request_to_speak_timestamp") is not None:
            self._core.world.require(Permission.REQUEST_TO_SPEAK, state.channel)
        self._change(state, call.body)
        return NOTHING

    async def _change_of_user(self, call: Call) -> Answer:
        state = self._on_stage(call, self._account(call))
        self._core.world.require(Permission.MUTE_MEMBERS, state.channel)
        self._change(state, call.body)
        return NOTHING

    def _change(self, state: VoiceState, wanted: Json) -> None:
        states = self._core.calls.states
        if "suppress" in wanted:
            states.change(
                state.account,
                is_suppressed=bool(wanted["suppress"]),
                asked_to_speak_at_seconds=None,
            )
        if "request_to_speak_timestamp" in wanted:
            asks = wanted["request_to_speak_timestamp"] is not None
            now = self._core.clock.seconds() if asks else None
            states.change(state.account, asked_to_speak_at_seconds=now)

    def _account(self, call: Call) -> Account:
        return self._core.world.account(call.params["user_id"])

    def _state(self, call: Call, account: Account) -> VoiceState:
        self._core.world.check_guild(call.params["guild_id"])
        state = self._core.calls.states.of(account)
        if state is None:
            raise ApiError(404, 10065, "Unknown Voice State")
        return state

    def _on_stage(self, call: Call, account: Account) -> VoiceState:
        state = self._state(call, account)
        if state.channel.kind is not ChannelKind.STAGE:
            raise ApiError(400, 50024, "Cannot execute action on this channel type")
        return state

    def _json(self, state: VoiceState) -> Json:
        guild_id = str(self._core.world.guild.id)
        return voice_state_json(self._core.world, state) | {"guild_id": guild_id}
