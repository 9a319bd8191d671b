"""How the guild and the application look on the wire."""

from typing import Any

from simulator.discord.account_wire import member_json, own_user_json, user_json
from simulator.discord.channel_wire import channel_json, thread_json
from simulator.discord.model import Json, Role
from simulator.discord.permissions import EVERYONES_PERMISSIONS
from simulator.discord.voice.wire import voice_state_json
from simulator.discord.world import World

_MESSAGE_CONTENT_ALLOWED = 1 << 18


def guild_json(world: World) -> Json:
    """Return a guild object as REST gives it."""
    everyone = Role(
        id=world.guild.id, name="@everyone", position=0, permissions=EVERYONES_PERMISSIONS
    )
    return {
        "id": str(world.guild.id),
        "name": world.guild.name,
        "owner_id": str(world.guild.owner.id),
        "roles": [role_json(world, role) for role in (everyone, *world.roles.values())],
        "emojis": [],
        "stickers": [],
        "features": [],
        "region": "rotterdam",
        "preferred_locale": "en-US",
        "afk_timeout": 300,
        "verification_level": 0,
        "default_message_notifications": 0,
        "explicit_content_filter": 0,
        "mfa_level": 0,
        "premium_tier": 0,
        "premium_subscription_count": 0,
        "premium_progress_bar_enabled": False,
        "system_channel_flags": 0,
        "nsfw": False,
        "nsfw_level": 0,
        "widget_enabled": False,
        "max_members": 500_000,
        "max_video_channel_users": 25,
        "max_stage_video_channel_users": 50,
        **dict.fromkeys(_ABSENT),
    }


def role_json(world: World, role: Role) -> Json:
    """Return a role object."""
    result: Json = {
        "id": str(role.id),
        "name": role.name,
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "icon": None,
        "unicode_emoji": None,
        "position": role.position,
        "permissions": str(role.permissions),
        "managed": role.is_managed,
        "mentionable": False,
        "flags": 0,
    }
    return result | {"tags": {"bot_id": str(world.bot.id)}} if role.is_managed else result


_ABSENT = (
    "icon",
    "description",
    "home_header",
    "splash",
    "discovery_splash",
    "banner",
    "application_id",
    "afk_channel_id",
    "system_channel_id",
    "widget_channel_id",
    "max_presences",
    "vanity_url_code",
    "rules_channel_id",
    "safety_alerts_channel_id",
    "public_updates_channel_id",
    "incidents_data",
)


def ready_json(world: World, *, session_id: str, shard: list[int]) -> Json:
    """Return what a session that begins is told first, but for where it can be resumed."""
    return {
        "v": 10,
        "user": own_user_json(world.bot),
        "guilds": [{"id": str(world.guild.id), "unavailable": True}],
        "private_channels": [],
        "session_id": session_id,
        "application": {"id": str(world.bot.id), "flags": 0},
        "shard": shard,
    }


def guild_create_json(world: World) -> Json:
    """Return a guild with all that is in it, as the gateway gives it."""
    members = [member_json(world, account) for account in world.members()]
    return guild_json(world) | {
        "joined_at": world.clock.date_of(world.bot.joined_at_seconds),
        "large": False,
        "unavailable": False,
        "member_count": len(members),
        "members": members,
        "channels": [channel_json(world, channel) for channel in world.guild_channels()],
        "voice_states": [voice_state_json(world, one) for one in world.voice_states.values()],
        "threads": [thread_json(world, thread) for thread in world.active_threads()],
        "presences": [],
        "stage_instances": [],
        "guild_scheduled_events": [],
        "soundboard_sounds": [],
    }


def members_chunk_json(world: World, wanted: Json) -> Json:
    """Return the members whom a client asks for: by their ids, or by how their names begin."""
    members = world.members()
    if ids := wanted.get("user_ids"):
        asked: list[Any] = [ids] if isinstance(ids, str | int) else ids
        members = [account for account in members if str(account.id) in map(str, asked)]
    elif query := wanted.get("query"):
        members = [account for account in members if account.name.startswith(query)]
    chunk: Json = {
        "guild_id": str(world.guild.id),
        "members": [member_json(world, account) for account in members],
        "chunk_index": 0,
        "chunk_count": 1,
        "not_found": [],
    }
    return chunk | ({"nonce": wanted["nonce"]} if "nonce" in wanted else {})


def application_json(world: World, *, is_message_content_allowed: bool) -> Json:
    """Return the application as its bot sees it."""
    flags = _MESSAGE_CONTENT_ALLOWED if is_message_content_allowed else 0
    return {
        "id": str(world.bot.id),
        "name": world.bot.name,
        "icon": None,
        "description": "",
        "type": None,
        "bot": user_json(world.bot),
        "bot_public": True,
        "bot_require_code_grant": False,
        "verify_key": "0" * 64,
        "flags": flags,
        "flags_new": str(flags),
        "owner": user_json(world.application_owner),
        "team": None,
        "tags": [],
        "redirect_uris": [],
        "interactions_endpoint_url": None,
        "role_connections_verification_url": None,
        "approximate_guild_count": 1,
        "approximate_user_install_count": 0,
        "approximate_user_authorization_count": 0,
        "explicit_content_filter": 0,
        "eligible_oauth2_scopes": ["bot", "applications.commands"],
    }
