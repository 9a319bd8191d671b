"""What there is: one guild, its channels and accounts, their messages, the bot's commands."""

from dataclasses import dataclass, field
from typing import Any

from simulator.discord.clock import Clock, Snowflakes
from simulator.discord.errors import ApiError
from simulator.discord.model import (
    Account,
    AccountKind,
    Channel,
    ChannelKind,
    Json,
    Message,
    Role,
    UploadedFile,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guild:
    """The one server there is."""

    id: int
    name: str
    owner: Account


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
    commands: dict[int | None, list[Json]] = field(
        default_factory=dict[int | None, list[dict[str, Any]]]
    )
    """By guild; `None`: the global ones."""

    hidden_channels: set[int] = field(default_factory=set[int])
    """Channels that the bot does not see."""
    muted_channels: set[int] = field(default_factory=set[int])
    """Channels in which the bot may not write."""
    without_direct_messages: set[int] = field(default_factory=set[int])
    """Accounts that take no direct messages of the bot."""

    def add_account(self, name: str, kind: AccountKind) -> Account:
        """Make somebody."""
        account = Account(
            id=self.ids.next(), name=name, kind=kind, joined_at_seconds=self.clock.seconds()
        )
        self.accounts[account.id] = account
        return account

    def add_channel(self, name: str, kind: ChannelKind) -> Channel:
        """Make a channel in the guild."""
        channel = Channel(
            id=self.ids.next(),
            name=name,
            kind=kind,
            guild_id=self.guild.id,
            position=len(self.channels),
        )
        self.channels[channel.id] = channel
        return channel

    def add_role(self, name: str) -> Role:
        """Make a role in the guild."""
        role = Role(id=self.ids.next(), name=name, position=len(self.roles) + 1)
        self.roles[role.id] = role
        return role

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
        """Return the guild's channels."""
        return [channel for channel in self.channels.values() if channel.guild_id is not None]

    def history(self, channel_id: int) -> list[Message]:
        """Return the messages of a channel that are not ephemeral, oldest first."""
        return [
            message
            for message in self.messages.values()
            if message.channel.id == channel_id and not message.is_ephemeral
        ]

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
        if channel.id in self.hidden_channels:
            raise ApiError(403, 50001, "Missing Access")
        return channel

    def channel_to_write_in(self, wanted: str) -> Channel:
        """Return the channel with that id.

        Raises:
            ApiError: As for `channel`, and 403 if the bot may not write there.
        """
        channel = self.channel(wanted)
        if channel.id in self.muted_channels:
            raise ApiError(403, 50013, "Missing Permissions")
        if channel.recipient and channel.recipient.id in self.without_direct_messages:
            raise ApiError(403, 50007, "Cannot send messages to this user")
        return channel

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
