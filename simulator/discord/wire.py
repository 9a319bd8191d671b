"""How everything looks on the wire: the payloads of Discord's REST API and gateway, version 10."""

from typing import Any

from simulator.discord.model import (
    Account,
    AccountKind,
    Channel,
    ChannelKind,
    Json,
    Message,
    UploadedFile,
)
from simulator.discord.world import World

ALL_PERMISSIONS = str((1 << 53) - 1)
_REPLY = 19
_CHAT_INPUT_COMMAND = 20
_COMMAND_INTERACTION = 2


def user_json(account: Account) -> Json:
    """Return a user object."""
    return {
        "id": str(account.id),
        "username": account.name,
        "discriminator": "0",
        "global_name": None if account.kind is AccountKind.BOT else account.name,
        "avatar": None,
        "bot": account.kind is not AccountKind.PERSON,
        "public_flags": 0,
        "flags": 0,
        "primary_guild": None,
    }


def own_user_json(bot: Account) -> Json:
    """Return the bot's user as it sees itself."""
    return user_json(bot) | {
        "verified": True,
        "mfa_enabled": False,
        "locale": "en-US",
        "email": None,
        "premium_type": 0,
    }


def bare_member_json(world: World, account: Account) -> Json:
    """Return a member object without its user."""
    return {
        "nick": None,
        "avatar": None,
        "banner": None,
        "roles": [str(role_id) for role_id in world.roles_of(account)],
        "joined_at": world.clock.date_of(account.joined_at_seconds),
        "premium_since": None,
        "communication_disabled_until": None,
        "deaf": False,
        "mute": False,
        "pending": False,
        "flags": 0,
    }


def member_json(world: World, account: Account) -> Json:
    """Return a member object."""
    return bare_member_json(world, account) | {"user": user_json(account)}


def channel_json(channel: Channel) -> Json:
    """Return a channel object, of a guild or of direct messages."""
    common: Json = {
        "id": str(channel.id),
        "type": int(channel.kind),
        "last_message_id": None,
        "flags": 0,
    }
    if channel.recipient is not None:
        return common | {"recipients": [user_json(channel.recipient)]}
    result: Json = common | {
        "guild_id": str(channel.guild_id),
        "name": channel.name,
        "position": channel.position,
        "permission_overwrites": list[Json](),
        "nsfw": False,
        "parent_id": None,
        "topic": None,
        "rate_limit_per_user": 0,
    }
    if channel.kind is ChannelKind.VOICE:
        result |= {"bitrate": 64_000, "user_limit": 0, "rtc_region": None}
    return result


def attachment_json(file: UploadedFile) -> Json:
    """Return an attachment object."""
    path = f"attachments/{file.id}/{file.name}"
    result: dict[str, Any] = {
        "id": str(file.id),
        "filename": file.name,
        "size": len(file.content),
        "url": f"https://cdn.discordapp.com/{path}",
        "proxy_url": f"https://media.discordapp.net/{path}",
        "content_type": file.content_type,
    }
    return result if file.description is None else result | {"description": file.description}


def message_json(world: World, message: Message, *, with_reference: bool = True) -> Json:
    """Return a message object.

    Args:
        world: Where the message is.
        message: The message.
        with_reference: Whether what it replies to comes with it.
    """
    now = message.versions[-1]
    result: dict[str, Any] = {
        "id": str(message.id),
        "type": _message_type(message),
        "channel_id": str(message.channel.id),
        "author": user_json(message.author),
        "content": now.text,
        "timestamp": world.clock.date_of(message.posted_at_seconds),
        "edited_timestamp": world.clock.date_of(now.at_seconds) if message.is_edited else None,
        "tts": False,
        "mention_everyone": message.pings_everyone,
        "mentions": [user_json(account) for account in message.mentions],
        "mention_roles": [],
        "attachments": [attachment_json(file) for file in now.files],
        "embeds": list(now.embeds),
        "pinned": False,
        "flags": message.flags,
        "components": list(now.components),
    }
    if message.nonce is not None:
        result["nonce"] = message.nonce
    if message.author.kind is AccountKind.WEBHOOK:
        result["webhook_id"] = str(message.author.id)
    if message.reactions:
        result["reactions"] = _reactions(world, message)
    if message.interaction is not None:
        result |= {
            "webhook_id": str(world.bot.id),
            "application_id": str(world.bot.id),
            "interaction_metadata": message.interaction,
        }
    return result | (_reference(world, message) if with_reference else {})


def _message_type(message: Message) -> int:
    if message.interaction is not None and message.interaction["type"] == _COMMAND_INTERACTION:
        return _CHAT_INPUT_COMMAND
    return 0 if message.reply_to is None else _REPLY


def _reference(world: World, message: Message) -> Json:
    if message.reply_to is None:
        return {}
    reference: Json = {
        "type": 0,
        "channel_id": str(message.channel.id),
        "message_id": str(message.reply_to),
    }
    if message.channel.guild_id is not None:
        reference["guild_id"] = str(message.channel.guild_id)
    target = world.messages.get(message.reply_to)
    shown = None if target is None else message_json(world, target, with_reference=False)
    return {"message_reference": reference, "referenced_message": shown}


def _reactions(world: World, message: Message) -> list[Json]:
    return [
        {
            "emoji": {"id": None, "name": emoji},
            "count": len(who),
            "count_details": {"normal": len(who), "burst": 0},
            "burst_colors": [],
            "me": world.bot.id in who,
            "me_burst": False,
        }
        for emoji, who in message.reactions.items()
        if who
    ]
