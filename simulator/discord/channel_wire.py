"""How channels and threads look on the wire."""

from simulator.discord.account_wire import user_json
from simulator.discord.model import VOICE_KINDS, Account, Channel, Json
from simulator.discord.permissions import Overwrite
from simulator.discord.world import World

_ROLE, _MEMBER = 0, 1


def channel_json(world: World, channel: Channel) -> Json:
    """Return a channel object: of a guild, a thread, or direct messages."""
    if channel.thread is not None:
        return thread_json(world, channel)
    common = _common(world, channel)
    if channel.recipient is not None:
        return common | {"recipients": [user_json(channel.recipient)]}
    overwrites = world.overwrites.get(channel.id, {})
    result: Json = common | {
        "guild_id": str(channel.guild_id),
        "name": channel.name,
        "position": channel.position,
        "permission_overwrites": [_overwrite(key, one) for key, one in overwrites.items()],
        "nsfw": False,
        "parent_id": None,
        "topic": channel.topic,
        "rate_limit_per_user": 0,
    }
    if channel.kind in VOICE_KINDS:
        result |= {"bitrate": 64_000, "user_limit": channel.user_limit, "rtc_region": None}
    return result


def thread_json(world: World, channel: Channel) -> Json:
    """Return a thread, with the bot's membership if it is in it."""
    thread = channel.thread
    assert thread is not None, "not a thread"
    result: Json = _common(world, channel) | {
        "guild_id": str(channel.guild_id),
        "name": channel.name,
        "parent_id": str(channel.parent_id),
        "owner_id": str(thread.owner.id),
        "rate_limit_per_user": 0,
        "message_count": thread.message_count,
        "total_message_sent": thread.total_message_count,
        "member_count": len(thread.members),
        "thread_metadata": {
            "archived": thread.is_archived,
            "archive_timestamp": world.clock.date_of(thread.archive_changed_at_seconds),
            "auto_archive_duration": thread.auto_archive_minutes,
            "locked": thread.is_locked,
            "create_timestamp": world.clock.date_of(thread.created_at_seconds),
        },
    }
    if world.bot.id in thread.members:
        result["member"] = thread_member_json(world, channel, world.bot)
    return result


def gone_thread_json(channel: Channel) -> Json:
    """Return what is told of a thread that was deleted."""
    return {
        "id": str(channel.id),
        "guild_id": str(channel.guild_id),
        "parent_id": str(channel.parent_id),
        "type": int(channel.kind),
    }


def thread_member_json(world: World, channel: Channel, account: Account) -> Json:
    """Return a thread member object."""
    thread = channel.thread
    assert thread is not None, "not a thread"
    return {
        "id": str(channel.id),
        "user_id": str(account.id),
        "join_timestamp": world.clock.date_of(thread.members[account.id]),
        "flags": 0,
    }


def _common(world: World, channel: Channel) -> Json:
    newest = next((m for m in reversed(world.messages.values()) if m.channel == channel), None)
    last_id = None if newest is None else str(newest.id)
    result: Json = {
        "id": str(channel.id),
        "type": int(channel.kind),
        "last_message_id": last_id,
        "flags": 0,
    }
    pinned = [m.pinned_at_seconds for m in world.pinned(channel) if m.pinned_at_seconds]
    if pinned:
        result["last_pin_timestamp"] = world.clock.date_of(max(pinned))
    return result


def _overwrite(target_id: int, overwrite: Overwrite) -> Json:
    return {
        "id": str(target_id),
        "type": _ROLE if overwrite.is_role else _MEMBER,
        "allow": str(overwrite.allow),
        "deny": str(overwrite.deny),
    }
