"""What discord.py tells, in the product's own words."""

import re
from dataclasses import dataclass

import discord

from bot.access import Person, Place
from bot.conversation.incoming import IncomingMessage
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


def incoming_message(message: discord.Message, bot_id: int) -> IncomingMessage:
    """Return what somebody wrote, for the bot with that id."""
    role_ids = _own_role_ids(message)
    return IncomingMessage(
        ref=ref_of(message),
        author=person_of(message.author, by_webhook=message.webhook_id is not None),
        place=Place(guild_id=_guild_id(message), channel_id=message.channel.id),
        text=without_mentions(message.content, bot_id, role_ids),
        mentions_bot=any(user.id == bot_id for user in message.mentions)
        or any(role.id in role_ids for role in message.role_mentions),
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
