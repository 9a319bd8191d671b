"""What is sent of a message, and by what it is known again."""

import hashlib
from typing import Any

import discord
from discord.http import MultipartParameters, handle_message_parameters

from bot.discord_io.components import custom_ids_in, custom_ids_of, files_of, view_of
from bot.messenger import MessageContent, MessageRef

_NONCE_CHARACTERS = 25


def wire_nonce(nonce: str) -> str:
    """Return `nonce` as Discord takes it: a long one becomes a digest of it."""
    if len(nonce) <= _NONCE_CHARACTERS:
        return nonce
    return hashlib.blake2b(nonce.encode(), digest_size=12).hexdigest()


def parts_to_post(
    content: MessageContent, nonce: str, reply_to: MessageRef | None
) -> dict[str, Any]:
    """Return what discord.py is given to post; it makes Discord enforce the nonce."""
    parts: dict[str, Any] = {
        "content": content.text,
        "nonce": wire_nonce(nonce),
        "files": files_of(content),
        "allowed_mentions": _pinging(replied_to=reply_to is not None),
        # A preview would show whatever an address in somebody's words wants to be seen.
        "suppress_embeds": True,
        "silent": content.is_silent,
    }
    if (view := view_of(content)) is not None:
        parts["view"] = view
    if reply_to is not None:
        parts["reference"] = _reference(reply_to)
    return parts


def parameters_to_edit(content: MessageContent) -> MultipartParameters:
    """Return what replaces all that a message holds; discord.py's own edit has no such flag."""
    return handle_message_parameters(
        content=content.text,
        attachments=files_of(content),
        view=view_of(content),
        flags=discord.MessageFlags(suppress_embeds=True),
        allowed_mentions=_pinging(replied_to=False),
    )


def is_it(message: discord.Message, nonce: str, like: MessageContent | None) -> bool:
    """Say whether a message was posted with that nonce, or else holds what `like` holds."""
    if message.nonce is not None:
        return str(message.nonce) == nonce
    if like is None:
        return False
    is_alike = custom_ids_of(like) or message.content.split() == like.text.split()
    return bool(is_alike) and custom_ids_in(message) == custom_ids_of(like)


def _reference(ref: MessageRef) -> discord.MessageReference:
    return discord.MessageReference(
        message_id=ref.message_id, channel_id=ref.channel_id, fail_if_not_exists=False
    )


def _pinging(*, replied_to: bool) -> discord.AllowedMentions:
    return discord.AllowedMentions(
        everyone=False, users=False, roles=False, replied_user=replied_to
    )
