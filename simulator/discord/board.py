"""Posting, editing and deleting: the one place where messages change and the bot is told of it."""

from collections.abc import Sequence
from dataclasses import replace

from simulator.discord.account_wire import bare_member_json, member_json
from simulator.discord.drafts import Draft
from simulator.discord.errors import invalid_field
from simulator.discord.herald import MESSAGES, TYPING, Herald
from simulator.discord.journal import (
    Journal,
    MessageDeleted,
    MessageEdited,
    MessagePosted,
    TypingStarted,
)
from simulator.discord.mentions import Pings, pings_of
from simulator.discord.message_wire import message_json
from simulator.discord.model import (
    EPHEMERAL_FLAG,
    Account,
    AccountKind,
    Channel,
    Json,
    Message,
    MessageKind,
    MessageVersion,
    Pointer,
)
from simulator.discord.settings import Settings
from simulator.discord.threads import Threads
from simulator.discord.world import World


class Board:
    """Where messages hang."""

    def __init__(
        self, world: World, journal: Journal, herald: Herald, threads: Threads, settings: Settings
    ) -> None:
        self._world = world
        self._journal = journal
        self._herald = herald
        self._threads = threads
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
        command: str | None = None,
        kind: MessageKind = MessageKind.DEFAULT,
        points_to: Pointer | None = None,
    ) -> Message:
        """Post a message, whatever was posted before.

        Args:
            author: Who posts it.
            channel: Where.
            draft: What it says.
            seen_only_by: The one person who sees it, if it is ephemeral.
            interaction: Which interaction it answers, as on the wire.
            command: Which command it answers, as people see it.
            kind: What kind of message it is.
            points_to: What a system message is about.
        """
        target = self._reply_target(channel, draft)
        pings = self._pings(draft.text, draft.allowed_mentions, target)
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
            command=command,
            kind=kind,
            points_to=points_to,
        )
        self._store(message)
        if channel.thread is not None and not message.is_ephemeral:
            self._threads.posted(author, channel, is_system=message.is_system)
        self._journal.record(MessagePosted(at_seconds=message.posted_at_seconds, message=message))
        self._tell("MESSAGE_CREATE", message)
        return message

    def edit(
        self,
        message: Message,
        version: MessageVersion,
        *,
        flags: int | None = None,
        allowed_mentions: Json | None = None,
    ) -> Message:
        """Let a message hold something else; whom it mentions is found out anew."""
        edited = message.edited(version, flags=flags)
        if version.text != message.text:
            target = self._world.messages.get(message.reply_to or 0)
            pings = self._pings(version.text, allowed_mentions, target)
            edited = replace(edited, mentions=pings.accounts, pings_everyone=pings.everyone)
        self._store(edited)
        self._journal.record(MessageEdited(at_seconds=version.at_seconds, message=edited))
        self._tell("MESSAGE_UPDATE", edited)
        return edited

    def replace(self, message: Message) -> None:
        """Let something be otherwise with a message, but not what it holds."""
        self._store(message)
        self._tell("MESSAGE_UPDATE", message)

    def delete(self, message: Message) -> None:
        """Take a message away."""
        self._remove(message)
        if not message.is_ephemeral:
            data = {"id": str(message.id), "channel_id": str(message.channel.id)}
            self._herald.tell("MESSAGE_DELETE", data, channel=message.channel, topic=MESSAGES)

    def delete_all(self, channel: Channel, messages: Sequence[Message]) -> None:
        """Take messages of one channel away at once."""
        for message in messages:
            self._remove(message)
        ids = [str(message.id) for message in messages if not message.is_ephemeral]
        data: Json = {"ids": ids, "channel_id": str(channel.id)}
        self._herald.tell("MESSAGE_DELETE_BULK", data, channel=channel, topic=MESSAGES)

    def start_typing(self, account: Account, channel: Channel) -> None:
        """Show somebody as typing."""
        now = self._world.clock.seconds()
        self._journal.record(TypingStarted(at_seconds=now, account=account, channel=channel))
        data: Json = {
            "channel_id": str(channel.id),
            "user_id": str(account.id),
            "timestamp": int(self._world.clock.unix_seconds()),
        }
        if channel.guild_id is not None:
            data["member"] = member_json(self._world, account)
        self._herald.tell("TYPING_START", data, channel=channel, topic=TYPING)

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

    def _pings(self, text: str, allowed: Json | None, target: Message | None) -> Pings:
        return pings_of(
            text,
            allowed,
            accounts=self._world.accounts,
            replied_to=None if target is None else target.author,
        )

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

    def _remove(self, message: Message) -> None:
        del self._world.messages[message.id]
        if message.channel.thread is not None and not message.is_ephemeral:
            self._threads.unposted(message.channel)
        self._journal.record(
            MessageDeleted(at_seconds=self._world.clock.seconds(), message=message)
        )

    def _tell(self, name: str, message: Message) -> None:
        if message.is_ephemeral:
            return
        data = message_json(self._world, message)
        is_member = message.author.kind is not AccountKind.WEBHOOK
        if message.channel.guild_id is not None and is_member:
            data["member"] = bare_member_json(self._world, message.author)
        hidden = None if self._may_always_read(message) else data | _HIDDEN_CONTENT
        self._herald.tell(
            name, data, channel=message.channel, topic=MESSAGES, without_content=hidden
        )

    def _may_always_read(self, message: Message) -> bool:
        bot = self._world.bot
        is_direct = message.channel.guild_id is None
        return is_direct or message.author == bot or bot in message.mentions


_HIDDEN_CONTENT: Json = {"content": "", "embeds": [], "attachments": [], "components": []}
