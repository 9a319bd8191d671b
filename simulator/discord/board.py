"""Posting, editing and deleting: the one place where messages change and the bot is told of it."""

from dataclasses import replace

from simulator.discord.drafts import Draft
from simulator.discord.errors import invalid_field
from simulator.discord.gateway import Gateway
from simulator.discord.gateway_session import Intent
from simulator.discord.journal import (
    Journal,
    MessageDeleted,
    MessageEdited,
    MessagePosted,
    TypingStarted,
)
from simulator.discord.mentions import pings_of
from simulator.discord.model import (
    EPHEMERAL_FLAG,
    Account,
    AccountKind,
    Channel,
    Json,
    Message,
    MessageVersion,
)
from simulator.discord.settings import Settings
from simulator.discord.wire import bare_member_json, member_json, message_json
from simulator.discord.world import World


class Board:
    """Where messages hang."""

    def __init__(
        self, world: World, journal: Journal, gateway: Gateway, settings: Settings
    ) -> None:
        self._world = world
        self._journal = journal
        self._gateway = gateway
        self._settings = settings

    def post(self, author: Account, channel: Channel, draft: Draft) -> Message:
        """Post a message, or give back the one that the same author posted with its nonce.

        Raises:
            ApiError: If it must reply to a message that is not there.
        """
        if draft.is_nonce_enforced and (twin := self._twin(author, draft.nonce)) is not None:
            return twin
        return self.put_up(author, channel, draft)

    def put_up(
        self,
        author: Account,
        channel: Channel,
        draft: Draft,
        *,
        seen_only_by: Account | None = None,
        interaction: Json | None = None,
    ) -> Message:
        """Post a message, whatever was posted before.

        Args:
            author: Who posts it.
            channel: Where.
            draft: What it says.
            seen_only_by: The one person who sees it, if it is ephemeral.
            interaction: Which interaction it answers, as on the wire.
        """
        target = self._reply_target(channel, draft)
        pings = pings_of(
            draft.text,
            draft.allowed_mentions,
            accounts=self._world.accounts,
            replied_to=None if target is None else target.author,
        )
        message = Message(
            id=self._world.ids.next(),
            channel=channel,
            author=author,
            versions=(self._first_version(draft),),
            flags=draft.flags | (EPHEMERAL_FLAG if seen_only_by is not None else 0),
            nonce=draft.nonce,
            reply_to=None if target is None else target.id,
            mentions=pings.accounts,
            pings_everyone=pings.everyone,
            seen_only_by=seen_only_by,
            reactions={},
            interaction=interaction,
        )
        self._store(message)
        self._journal.record(MessagePosted(at_seconds=message.posted_at_seconds, message=message))
        self._tell("MESSAGE_CREATE", message)
        return message

    def edit(
        self, message: Message, version: MessageVersion, *, flags: int | None = None
    ) -> Message:
        """Let a message hold something else."""
        edited = message.edited(version, flags=flags)
        self._store(edited)
        self._journal.record(MessageEdited(at_seconds=version.at_seconds, message=edited))
        self._tell("MESSAGE_UPDATE", edited)
        return edited

    def delete(self, message: Message) -> None:
        """Take a message away."""
        del self._world.messages[message.id]
        self._journal.record(
            MessageDeleted(at_seconds=self._world.clock.seconds(), message=message)
        )
        if not message.is_ephemeral:
            data = {"id": str(message.id), "channel_id": str(message.channel.id)}
            intent = Intent.DIRECT_MESSAGES
            if message.channel.guild_id is not None:
                data["guild_id"] = str(message.channel.guild_id)
                intent = Intent.GUILD_MESSAGES
            self._gateway.dispatch("MESSAGE_DELETE", data, intent=intent)

    def react(self, message: Message, account: Account, emoji: str, *, is_on: bool) -> None:
        """Add or take back a reaction."""
        who = message.reactions.get(emoji, frozenset())
        now = who | {account.id} if is_on else who - {account.id}
        reactions = {**message.reactions, emoji: now}
        self._world.messages[message.id] = replace(message, reactions=reactions)
        data: Json = {
            "user_id": str(account.id),
            "channel_id": str(message.channel.id),
            "message_id": str(message.id),
            "emoji": {"id": None, "name": emoji},
            "burst": False,
            "type": 0,
        }
        intent = Intent.DIRECT_MESSAGE_REACTIONS
        if message.channel.guild_id is not None:
            data["guild_id"] = str(message.channel.guild_id)
            intent = Intent.GUILD_MESSAGE_REACTIONS
            if is_on:
                data["member"] = member_json(self._world, account)
        name = "MESSAGE_REACTION_ADD" if is_on else "MESSAGE_REACTION_REMOVE"
        self._gateway.dispatch(name, data, intent=intent)

    def start_typing(self, account: Account, channel: Channel) -> None:
        """Show somebody as typing."""
        now = self._world.clock.seconds()
        self._journal.record(TypingStarted(at_seconds=now, account=account, channel=channel))
        data: Json = {
            "channel_id": str(channel.id),
            "user_id": str(account.id),
            "timestamp": int(self._world.clock.unix_seconds()),
        }
        intent = Intent.DIRECT_MESSAGE_TYPING
        if channel.guild_id is not None:
            data |= {
                "guild_id": str(channel.guild_id),
                "member": member_json(self._world, account),
            }
            intent = Intent.GUILD_MESSAGE_TYPING
        self._gateway.dispatch("TYPING_START", data, intent=intent)

    def _twin(self, author: Account, nonce: str | int | None) -> Message | None:
        oldest = self._world.clock.seconds() - self._settings.nonce_seconds
        for message in reversed(self._world.messages.values()):
            if message.posted_at_seconds < oldest:
                return None
            if message.author == author and nonce is not None and message.nonce == nonce:
                return message
        return None

    def _reply_target(self, channel: Channel, draft: Draft) -> Message | None:
        if draft.reply_to is None:
            return None
        target = self._world.messages.get(draft.reply_to)
        if target is not None and target.channel == channel and not target.is_ephemeral:
            return target
        if draft.must_reply_to_exist:
            raise invalid_field("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
        return None

    def _first_version(self, draft: Draft) -> MessageVersion:
        return MessageVersion(
            at_seconds=self._world.clock.seconds(),
            text=draft.text,
            files=draft.files,
            components=draft.components,
            embeds=draft.embeds,
        )

    def _store(self, message: Message) -> None:
        self._world.messages[message.id] = message
        for file in message.files:
            self._world.uploads[file.id] = file

    def _tell(self, name: str, message: Message) -> None:
        if message.is_ephemeral:
            return
        data = message_json(self._world, message)
        intent = Intent.DIRECT_MESSAGES
        if message.channel.guild_id is not None:
            intent = Intent.GUILD_MESSAGES
            data["guild_id"] = str(message.channel.guild_id)
            if message.author.kind is not AccountKind.WEBHOOK:
                data["member"] = bare_member_json(self._world, message.author)
        hidden = None if self._may_always_read(message) else data | _HIDDEN_CONTENT
        self._gateway.dispatch(name, data, intent=intent, without_content=hidden)

    def _may_always_read(self, message: Message) -> bool:
        bot = self._world.bot
        is_direct = message.channel.guild_id is None
        return is_direct or message.author == bot or bot in message.mentions


_HIDDEN_CONTENT: Json = {"content": "", "embeds": [], "attachments": [], "components": []}
