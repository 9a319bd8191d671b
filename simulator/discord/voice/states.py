"""Who is in which voice channel, and that the bot hears of it."""

import dataclasses
from typing import Any

from simulator.discord.account_wire import member_json
from simulator.discord.gateway import Gateway
from simulator.discord.gateway_session import Intent
from simulator.discord.journal import Journal
from simulator.discord.model import VOICE_KINDS, Account, Channel, ChannelKind, Json
from simulator.discord.permissions import Permission
from simulator.discord.voice.happenings import VoiceStateChanged
from simulator.discord.voice.voice_state import VoiceState
from simulator.discord.voice.wire import voice_state_json
from simulator.discord.world import World


class VoiceStates:
    """The voice states of one guild; everybody is in one channel at most."""

    def __init__(self, world: World, gateway: Gateway, journal: Journal) -> None:
        self._world = world
        self._gateway = gateway
        self._journal = journal

    def of(self, account: Account) -> VoiceState | None:
        """Return where somebody is, if they are in a voice channel."""
        return self._world.voice_states.get(account.id)

    def in_channel(self, channel: Channel) -> list[VoiceState]:
        """Return who is in a channel, in the order in which they came."""
        return [one for one in self._world.voice_states.values() if one.channel == channel]

    def refusal(self, account: Account, channel: Channel) -> str | None:
        """Say why somebody is not let into a channel; `None`: they are."""
        if channel.kind not in VOICE_KINDS:
            return f"{channel.name} is no voice channel"
        if not self._world.may(account, Permission.CONNECT, channel):
            return f"{account.name} may not connect to {channel.name}"
        others = [one for one in self.in_channel(channel) if one.account != account]
        is_full = 0 < channel.user_limit <= len(others)
        if is_full and not self._world.may(account, Permission.MOVE_MEMBERS, channel):
            return f"{channel.name} is full"
        return None

    def enter(
        self,
        account: Account,
        channel: Channel,
        *,
        session_id: str,
        is_self_muted: bool,
        is_self_deafened: bool,
    ) -> VoiceState:
        """Let somebody be in a channel, and nowhere else."""
        old = self._world.voice_states.pop(account.id, None)
        state = VoiceState(
            account=account,
            channel=channel,
            session_id=session_id,
            is_muted=old is not None and old.is_muted,
            is_deafened=old is not None and old.is_deafened,
            is_self_muted=is_self_muted,
            is_self_deafened=is_self_deafened,
            is_suppressed=self._is_suppressed(account, channel),
        )
        self._world.voice_states[account.id] = state
        self._tell(state)
        return state

    def change(self, account: Account, **changes: Any) -> VoiceState | None:
        """Let something be otherwise of somebody who is in a channel."""
        old = self.of(account)
        if old is None:
            return None
        state = dataclasses.replace(old, **changes)
        self._world.voice_states[account.id] = state
        self._tell(state)
        return state

    def leave(self, account: Account) -> VoiceState | None:
        """Let somebody be in no channel; returns how it was, if they were."""
        state = self._world.voice_states.pop(account.id, None)
        if state is not None:
            self._tell(state, is_there=False)
        return state

    def _is_suppressed(self, account: Account, channel: Channel) -> bool:
        is_stage = channel.kind is ChannelKind.STAGE
        wanted = Permission.MUTE_MEMBERS if is_stage else Permission.SPEAK
        return not self._world.may(account, wanted, channel)

    def _tell(self, state: VoiceState, *, is_there: bool = True) -> None:
        world = self._world
        told: Json = voice_state_json(world, state) | {
            "guild_id": str(world.guild.id),
            "member": member_json(world, state.account)
            | {"deaf": state.is_deafened, "mute": state.is_muted},
        }
        if not is_there:
            told |= {"channel_id": None, "suppress": False, "request_to_speak_timestamp": None}
        if (
            world.may(world.bot, Permission.VIEW_CHANNEL, state.channel)
            or state.account == world.bot
        ):
            intent = Intent.GUILD_VOICE_STATES
            self._gateway.dispatch("VOICE_STATE_UPDATE", told, intent=intent)
        self._journal.record(
            VoiceStateChanged(
                at_seconds=world.clock.seconds(),
                account=state.account,
                channel=state.channel if is_there else None,
                can_speak=state.can_speak,
                can_hear=state.can_hear,
            )
        )
