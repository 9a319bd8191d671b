"""What discord.py tells, in the product's own words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import discord
from discord import MessageType

from bot.access import Person, Place
from bot.conversation.incoming import Attachment, IncomingMessage
from bot.messenger import MessageRef


@dataclass(frozen=True, slots=True, kw_only=True)
class BotIdentity:
    """Who the bot is on Discord."""

    user_id: int
    name: str
    application_id: int
    owner_ids: frozenset[int]
    """The application's owner, or those of its team who may change it."""


def identity_of(client: discord.Client) -> BotIdentity:
    """Return who a client that is logged in is."""
    user, application = client.user, client.application
    assert user is not None
    assert application is not None
    owner_ids = {application.owner.id}
    if application.team is not None:
        owner_ids = {member.id for member in application.team.members if _may_change(member)}
        owner_ids |= {application.team.owner_id} if application.team.owner_id else set()
    return BotIdentity(
        user_id=user.id,
        name=user.display_name,
        application_id=application.id,
        owner_ids=frozenset(owner_ids),
    )


def _may_change(member: discord.TeamMember) -> bool:
    accepted = member.membership_state is discord.TeamMembershipState.accepted
    return accepted and member.role is not discord.TeamMemberRole.read_only


def person_of(user: discord.User | discord.Member, *, by_webhook: bool = False) -> Person:
    """Return who did something."""
    automatic = user.bot or user.system or by_webhook
    member = user if isinstance(user, discord.Member) and _has_guild(user) else None
    return Person(
        id=user.id,
        name=user.display_name,
        is_automatic=automatic,
        guild_id=None if member is None else member.guild.id,
        role_ids=frozenset() if member is None else _role_ids(member),
    )


def _has_guild(member: discord.Member) -> bool:
    """Say whether the guild is known: discord.py makes members of others, too."""
    return getattr(member, "guild", None) is not None


def _role_ids(member: discord.Member) -> frozenset[int]:
    """Return the roles that came with the message or the interaction; no others are kept."""
    return frozenset(role.id for role in member.roles if not role.is_default())


def ref_of(message: discord.Message) -> MessageRef:
    """Return where a message stands."""
    return MessageRef(channel_id=message.channel.id, message_id=message.id)


def place_of(channel: object, channel_id: int, guild_id: int | None) -> Place:
    """Return where something happened.

    Args:
        channel: Discord's channel; of a thread that is not known it does not tell the parent.
        channel_id: Its id.
        guild_id: The server's; `None` in direct messages.
    """
    parent_id = channel.parent_id if isinstance(channel, discord.Thread) else None
    return Place(guild_id=guild_id, channel_id=channel_id, parent_id=parent_id)


def is_written(message: discord.Message) -> bool:
    """Say whether somebody wrote a message, not Discord itself in somebody's name."""
    # discord.py does not count the copy of a message that stands first in its thread.
    return not message.is_system() and message.type is not MessageType.thread_starter_message


def incoming_message(message: discord.Message, bot_id: int) -> IncomingMessage:
    """Return what somebody wrote, for the bot with that id.

    What was forwarded counts as written by who forwarded it.
    """
    role_ids = _own_role_ids(message)
    own = without_mentions(message.content, bot_id, role_ids)
    texts = (own, *(snapshot.content.strip() for snapshot in message.message_snapshots))
    text, attachments = "\n\n".join(filter(None, texts)), tuple(_attachments(message))
    return IncomingMessage(
        ref=ref_of(message),
        author=person_of(message.author, by_webhook=message.webhook_id is not None),
        place=place_of(message.channel, message.channel.id, _guild_id(message)),
        text=text,
        mentions_bot=any(user.id == bot_id for user in message.mentions)
        or any(role.id in role_ids for role in message.role_mentions),
        attachments=tuple(attachment_of(attachment) for attachment in attachments),
        # Of a sticker that replies to the bot Discord says that it mentions it, too.
        is_mention_alone=bool(message.content) and not (text or attachments),
    )


def _attachments(message: discord.Message) -> Iterator[discord.Attachment]:
    yield from message.attachments
    for snapshot in message.message_snapshots:
        yield from snapshot.attachments


def attachment_of(attachment: discord.Attachment) -> Attachment:
    """Return what is known of a file that came with a message."""
    content_type = (attachment.content_type or "").partition(";")[0].strip().lower()
    return Attachment(
        id=attachment.id,
        name=attachment.filename,
        size_bytes=attachment.size,
        content_type=content_type or None,
        url=attachment.url,
        is_voice_message=attachment.is_voice_message(),
    )


def _own_role_ids(message: discord.Message) -> frozenset[int]:
    """Return the role that Discord made for the bot; people pick it in place of the bot."""
    role = None if message.guild is None else message.guild.self_role
    return frozenset() if role is None else frozenset({role.id})


def _guild_id(message: discord.Message) -> int | None:
    if message.guild is not None:
        return message.guild.id
    # A guild that Discord has not told of yet.
    channel = message.channel
    return channel.guild_id if isinstance(channel, discord.PartialMessageable) else None


def without_mentions(text: str, bot_id: int, role_ids: frozenset[int] = frozenset()) -> str:
    """Return `text` without the mentions of the bot."""
    roles = "".join(f"|<@&{role_id}>" for role_id in sorted(role_ids))
    return re.sub(rf"(?:<@!?{bot_id}>{roles})[ \t]*", "", text).strip()
