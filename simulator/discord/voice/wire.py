"""How somebody in a voice channel looks on the gateway's wire."""

from simulator.discord.model import Json
from simulator.discord.voice.voice_state import VoiceState
from simulator.discord.world import World


def voice_state_json(world: World, state: VoiceState) -> Json:
    """Return a voice state object without its guild and member."""
    asked_at = state.asked_to_speak_at_seconds
    return {
        "channel_id": str(state.channel.id),
        "user_id": str(state.account.id),
        "session_id": state.session_id,
        "deaf": state.is_deafened,
        "mute": state.is_muted,
        "self_deaf": state.is_self_deafened,
        "self_mute": state.is_self_muted,
        "self_video": False,
        "self_stream": False,
        "suppress": state.is_suppressed,
        "request_to_speak_timestamp": None if asked_at is None else world.clock.date_of(asked_at),
    }
