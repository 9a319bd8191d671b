"""What there is: one guild, its channels and accounts, their messages, the bot's commands."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from simulator.discord.clock import Clock, Snowflakes
from simulator.discord.errors import ApiError
from simulator.discord.model import (
    Account,
    AccountKind,
    Channel,
    ChannelKind,
    Guild,
    Json,
    Message,
    Role,
    ThreadState,
    UploadedFile,
)
from simulator.discord.permissions import (
    ALL_PERMISSIONS,
    EVERYONES_PERMISSIONS,
    Overwrite,
    Permission,
    permissions_in_channel,
)
from simulator.discord.voice.voice_state import VoiceState


@dataclass(slots=True, kw_only=True)
class World:
    """Everything that a Discord remembers."""

    clock: Clock
    ids: Snowflakes
    bot: Account
    """The bot user; its id is the application's, too."""
    application_owner: Account
    guild: Guild
    accounts: dict[int, Account] = field(default_factory=dict[int, Account])
    channels: dict[int, Channel] = field(default_factory=dict[int, Channel])
    roles: dict[int, Role] = field(default_factory=dict[int, Role])
    """But for @everyone."""
    members_roles: dict[int, set[int]] = field(default_factory=dict[int, set[int]])
    """By account, the ids of the roles that it has."""
    messages: dict[int, Message] = field(default_factory=dict[int, Message])
    """By id, hence oldest first."""
    uploads: dict[int, UploadedFile] = field(default_factory=dict[int, UploadedFile])
    file_key: int = 1
    """What addresses of files are signed with; those signed with another are good no more."""
    commands: dict[int | None, list[Json]] = field(
        default_factory=dict[int | None, list[dict[str, Any]]]
    )
    """By guild; `None`: the global ones."""

    overwrites: dict[int, dict[int, Overwrite]] = field(
        default_factory=dict[int, dict[int, Overwrite]]
    )
    """By channel, what a role or a member has there otherwise than in the guild."""
    voice_states: dict[int, VoiceState] = field(default_factory=dict[int, VoiceState])
    """By account: who is in a voice channel."""
    granted_to_bot: int = 0
    """Permissions that the bot was given in the guild besides those of its role."""
    refused_to_bot: int = 0
    """Permissions that the bot was not given in the guild."""
    without_direct_messages: set[int] = field(default_factory=set[int])
    """Accounts that take no direct messages of the bot."""

    def add_account(self, name: str, kind: AccountKind) -> Account:
        """Make somebody."""
        account = Account(
            id=self.ids.next(), name=name, kind=kind, joined_at_seconds=self.clock.seconds()
        )
        self.accounts[account.id] = account
        return account

    def add_channel(self, name: str, kind: ChannelKind, *, user_limit: int = 0) -> Channel:
        """Make a channel in the guild."""
        channel = Channel(
            id=self.ids.next(),
            name=name,
            kind=kind,
            guild_id=self.guild.id,
            position=len(self.channels),
            user_limit=user_limit,
        )
        self.channels[channel.id] = channel
        return channel

    def add_thread(self, parent: Channel, name: str, thread: ThreadState, *, at: int) -> Channel:
        """Make a thread in a channel; `at` is its id."""
        channel = Channel(
            id=at,
            name=name,
            kind=ChannelKind.THREAD,
            guild_id=parent.guild_id,
            parent_id=parent.id,
            thread=thread,
        )
        self.channels[at] = channel
        return channel

    def threads(self, parent: Channel | None = None) -> list[Channel]:
        """Return the threads, oldest first; of that channel, if it is given."""
        return [
            channel
            for channel in self.channels.values()
            if channel.thread is not None
            and parent in {None, self.channels.get(channel.parent_id or 0)}
        ]

    def active_threads(self) -> list[Channel]:
        """Return the threads that are not put away, where the bot may see them."""
        return [
            channel
            for channel in self.threads()
            if channel.thread is not None
            and not channel.thread.is_archived
            and self.may(self.bot, Permission.VIEW_CHANNEL, channel)
        ]

    def forget_channel(self, channel: Channel) -> Iterator[Channel]:
        """Take a channel away with its threads; gives each that is gone, the threads first."""
        for thread in self.threads(channel) if channel.thread is None else ():
            yield self.channels.pop(thread.id)
        yield self.channels.pop(channel.id)

    def add_role(self, name: str, *, permissions: int = 0, is_managed: bool = False) -> Role:
        """Make a role in the guild."""
        role = Role(
            id=self.ids.next(),
            name=name,
            position=len(self.roles) + 1,
            permissions=permissions,
            is_managed=is_managed,
        )
        self.roles[role.id] = role
        return role

    def permissions(self, account: Account, channel: Channel) -> int:
        """Return what somebody may do in a channel; everything in direct messages."""
        if channel.guild_id is None or account == self.guild.owner:
            return ALL_PERMISSIONS
        if account.kind is AccountKind.WEBHOOK:
            return ALL_PERMISSIONS
        return permissions_in_channel(
            self.guild_permissions(account),
            self.overwrites.get(channel.parent_id or channel.id, {}),
            everyone_id=self.guild.id,
            role_ids=self.roles_of(account),
            account_id=account.id,
        )

    def guild_permissions(self, account: Account) -> int:
        """Return what a member may do in the guild, whatever a channel says."""
        found = EVERYONES_PERMISSIONS
        for role_id in self.roles_of(account):
            found |= self.roles[role_id].permissions
        if account == self.bot:
            found = (found | self.granted_to_bot) & ~self.refused_to_bot
        return found

    def may(self, account: Account, permission: Permission, channel: Channel) -> bool:
        """Say whether somebody may do something in a channel."""
        return self.permissions(account, channel) & permission == permission

    def may_write(self, account: Account, channel: Channel) -> bool:
        """Say whether somebody may write in a channel or thread."""
        in_threads = Permission.SEND_MESSAGES_IN_THREADS
        wanted = Permission.SEND_MESSAGES if channel.thread is None else in_threads
        return self.may(account, wanted, channel)

    def overwrite(self, channel: Channel, target_id: int, *, allow: int = 0, deny: int = 0) -> None:
        """Let a role or a member have something else in a channel than in the guild."""
        overwrites = self.overwrites.setdefault(channel.id, {})
        is_role = target_id in self.roles or target_id == self.guild.id
        old = overwrites.get(target_id, Overwrite(is_role=is_role))
        overwrites[target_id] = old.changed(allow=allow, deny=deny)

    def roles_of(self, account: Account) -> list[int]:
        """Return the ids of the roles that a member has."""
        return sorted(self.members_roles.get(account.id, ()))

    def direct_channel(self, recipient: Account) -> Channel:
        """Return the direct messages between the bot and somebody; there is only one."""
        for channel in self.channels.values():
            if channel.recipient == recipient:
                return channel
        channel = Channel(
            id=self.ids.next(),
            name=f"@{recipient.name}",
            kind=ChannelKind.DIRECT,
            guild_id=None,
            recipient=recipient,
        )
        self.channels[channel.id] = channel
        return channel

    def members(self) -> list[Account]:
        """Return who is in the guild; webhooks are not."""
        return [a for a in self.accounts.values() if a.kind is not AccountKind.WEBHOOK]

    def guild_channels(self) -> list[Channel]:
        """Return the guild's channels, without their threads."""
        return [
            channel
            for channel in self.channels.values()
            if channel.guild_id is not None and channel.thread is None
        ]

    def history(self, channel_id: int) -> list[Message]:
        """Return the messages of a channel that are not ephemeral, oldest first."""
        return [
            message
            for message in self.messages.values()
            if message.channel.id == channel_id and not message.is_ephemeral
        ]

    def pinned(self, channel: Channel) -> list[Message]:
        """Return the pinned messages of a channel, the newest pin first."""
        pinned = [message for message in self.history(channel.id) if message.is_pinned]
        return sorted(pinned, key=lambda message: -(message.pinned_at_seconds or 0.0))

    def commands_in(self, guild_id: int | None) -> list[Json]:
        """Return the commands that can be called there; the guild's own go first."""
        scopes: list[int | None] = [None] if guild_id is None else [guild_id, None]
        return [command for scope in scopes for command in self.commands.get(scope, [])]

    def channel(self, wanted: str) -> Channel:
        """Return the channel with that id.

        Raises:
            ApiError: 404 if there is none, 403 if the bot does not see it.
        """
        channel = self.channels.get(int(wanted)) if wanted.isdecimal() else None
        if channel is None:
            raise ApiError(404, 10003, "Unknown Channel")
        if not self.may(self.bot, Permission.VIEW_CHANNEL, channel):
            raise ApiError(403, 50001, "Missing Access")
        return channel

    def channel_to_write_in(self, wanted: str) -> Channel:
        """Return the channel with that id.

        Raises:
            ApiError: As for `channel`, and 403 if the bot may not write there.
        """
        channel = self.channel(wanted)
        if not self.may_write(self.bot, channel):
            raise ApiError(403, 50013, "Missing Permissions")
        if channel.thread is not None and channel.thread.is_locked:
            self.require(Permission.MANAGE_THREADS, channel)
        if channel.recipient and channel.recipient.id in self.without_direct_messages:
            raise ApiError(403, 50007, "Cannot send messages to this user")
        return channel

    def require(self, permission: Permission, channel: Channel) -> None:
        """Refuse the bot what it may not do.

        Raises:
            ApiError: 403 if it may not.
        """
        if not self.may(self.bot, permission, channel):
            raise ApiError(403, 50013, "Missing Permissions")

    def account(self, wanted: str) -> Account:
        """Return the account with that id.

        Raises:
            ApiError: 404 if there is none.
        """
        account = self.accounts.get(int(wanted)) if wanted.isdecimal() else None
        if account is None:
            raise ApiError(404, 10013, "Unknown User")
        return account

    def message(self, wanted: str, channel: Channel | None = None) -> Message:
        """Return the message with that id; of that channel, if it is given.

        Raises:
            ApiError: 404 if there is none.
        """
        message = self.messages.get(int(wanted)) if wanted.isdecimal() else None
        if message is None or (channel is not None and message.channel != channel):
            raise ApiError(404, 10008, "Unknown Message")
        return message

    def check_guild(self, wanted: str) -> None:
        """Refuse any guild but the one there is.

        Raises:
            ApiError: 404 if it is another.
        """
        if wanted != str(self.guild.id):
            raise ApiError(404, 10004, "Unknown Guild")
