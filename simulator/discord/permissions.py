"""Who may do what in a channel, by Discord's own rules. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntFlag


class Permission(IntFlag):
    """Discord's number of a permission."""

    NONE = 0
    ADMINISTRATOR = 1 << 3
    MANAGE_CHANNELS = 1 << 4
    MANAGE_GUILD = 1 << 5
    ADD_REACTIONS = 1 << 6
    VIEW_CHANNEL = 1 << 10
    SEND_MESSAGES = 1 << 11
    MANAGE_MESSAGES = 1 << 13
    EMBED_LINKS = 1 << 14
    ATTACH_FILES = 1 << 15
    READ_MESSAGE_HISTORY = 1 << 16
    MENTION_EVERYONE = 1 << 17
    CONNECT = 1 << 20
    SPEAK = 1 << 21
    MUTE_MEMBERS = 1 << 22
    DEAFEN_MEMBERS = 1 << 23
    MOVE_MEMBERS = 1 << 24
    USE_VAD = 1 << 25
    MANAGE_ROLES = 1 << 28
    MANAGE_WEBHOOKS = 1 << 29
    USE_APPLICATION_COMMANDS = 1 << 31
    REQUEST_TO_SPEAK = 1 << 32
    MANAGE_THREADS = 1 << 34
    CREATE_PUBLIC_THREADS = 1 << 35
    SEND_MESSAGES_IN_THREADS = 1 << 38
    PIN_MESSAGES = 1 << 51


ALL_PERMISSIONS = (1 << 53) - 1
_KICK_AND_BAN = (1 << 1) | (1 << 2) | (1 << 40)
VOICE_MODERATORS_PERMISSIONS = (
    Permission.MUTE_MEMBERS | Permission.DEAFEN_MEMBERS | Permission.MOVE_MEMBERS
)
"""Who has them may speak on a stage unasked, and enter a channel that is full."""
EVERYONES_PERMISSIONS = ALL_PERMISSIONS & ~(
    Permission.ADMINISTRATOR
    | Permission.MANAGE_CHANNELS
    | Permission.MANAGE_GUILD
    | Permission.MANAGE_MESSAGES
    | Permission.MANAGE_ROLES
    | Permission.MANAGE_WEBHOOKS
    | Permission.MANAGE_THREADS
    | Permission.PIN_MESSAGES
    | VOICE_MODERATORS_PERMISSIONS
    | _KICK_AND_BAN
)
"""What @everyone has: all but what moderators do."""
BOTS_PERMISSIONS = ALL_PERMISSIONS & ~(Permission.ADMINISTRATOR | VOICE_MODERATORS_PERMISSIONS)
"""What the bot was invited with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overwrite:
    """What a role or a member has in one channel otherwise than in the guild."""

    is_role: bool
    allow: int = 0
    deny: int = 0

    def changed(self, *, allow: int = 0, deny: int = 0) -> "Overwrite":
        """Return it with more that is allowed or denied."""
        return Overwrite(
            is_role=self.is_role,
            allow=(self.allow & ~deny) | allow,
            deny=(self.deny & ~allow) | deny,
        )


def permissions_in_channel(
    base: int,
    overwrites: Mapping[int, Overwrite],
    *,
    everyone_id: int,
    role_ids: Iterable[int],
    account_id: int,
) -> int:
    """Return what a member may do in a channel.

    Args:
        base: What the member may do in the guild.
        overwrites: Those of the channel, by the id of the role or member.
        everyone_id: The id of the role that everybody has.
        role_ids: The other roles of the member.
        account_id: Who it is.
    """
    if base & Permission.ADMINISTRATOR:
        return ALL_PERMISSIONS
    found = base
    if everyone := overwrites.get(everyone_id):
        found = (found & ~everyone.deny) | everyone.allow
    roles = [overwrites[role_id] for role_id in role_ids if role_id in overwrites]
    for role in roles:
        found &= ~role.deny
    for role in roles:
        found |= role.allow
    if own := overwrites.get(account_id):
        found = (found & ~own.deny) | own.allow
    return found if found & Permission.VIEW_CHANNEL else 0
