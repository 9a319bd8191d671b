"""How messages and their files look on the wire."""

from typing import Any
from urllib.parse import quote

from simulator.discord.account_wire import user_json
from simulator.discord.channel_wire import thread_json
from simulator.discord.model import (
    HAS_THREAD_FLAG,
    AccountKind,
    Json,
    Message,
    MessageKind,
    Pointer,
    UploadedFile,
)
from simulator.discord.world import World

_URL_SECONDS = 24 * 3600


def attachment_json(world: World, file: UploadedFile) -> Json:
    """Return an attachment object; its address is good for a day."""
    issued_at = int(world.clock.unix_seconds())
    signed = f"ex={issued_at + _URL_SECONDS:x}&is={issued_at:x}&hm={world.file_key:064x}&"
    path = f"attachments/{file.id}/{file.id}/{quote(file.name)}?{signed}"
    optional: Json = {
        "content_type": file.content_type,
        "description": file.description,
        "duration_secs": file.duration_seconds,
        "waveform": file.waveform,
    }
    return {
        "id": str(file.id),
        "filename": file.name,
        "size": len(file.content),
        "url": f"https://cdn.discordapp.com/{path}",
        "proxy_url": f"https://media.discordapp.net/{path}",
        **{key: value for key, value in optional.items() if value is not None},
    }


def is_good_address(world: World, *, expires: str, key: str) -> bool:
    """Say whether the CDN still gives out a file under an address that it was once given."""
    try:
        return int(expires, 16) > world.clock.unix_seconds() and int(key, 16) == world.file_key
    except ValueError:
        return False


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
        "type": int(_kind(message)),
        "channel_id": str(message.channel.id),
        "author": user_json(message.author),
        "content": now.text,
        "timestamp": world.clock.date_of(message.posted_at_seconds),
        "edited_timestamp": world.clock.date_of(now.at_seconds) if message.is_edited else None,
        "tts": False,
        "mention_everyone": message.pings_everyone,
        "mentions": [user_json(account) for account in message.mentions],
        "mention_roles": [],
        "attachments": [attachment_json(world, file) for file in now.files],
        "embeds": list(now.embeds),
        "pinned": message.is_pinned,
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
    thread = world.channels.get(message.id)
    if thread is not None:
        result["flags"] |= HAS_THREAD_FLAG
        result["thread"] = thread_json(world, thread)
    if message.points_to is not None:
        return result | _pointer(world, message, message.points_to)
    return result | (_reference(world, message) if with_reference else {})


def _kind(message: Message) -> MessageKind:
    is_reply = message.kind is MessageKind.DEFAULT and message.reply_to is not None
    return MessageKind.REPLY if is_reply else message.kind


def _pointer(world: World, message: Message, pointer: Pointer) -> Json:
    reference: Json = {
        "type": 0,
        "channel_id": str(pointer.channel_id),
        "guild_id": str(message.channel.guild_id),
    }
    if pointer.message_id is None:
        return {"message_reference": reference}
    reference["message_id"] = str(pointer.message_id)
    target = world.messages.get(pointer.message_id)
    if message.kind is not MessageKind.THREAD_STARTER:
        return {"message_reference": reference}
    shown = None if target is None else message_json(world, target, with_reference=False)
    return {"message_reference": reference, "referenced_message": shown}


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
