"""People whom a test drives: they write, call commands, press buttons, and look."""

import mimetypes
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.discord.account_wire import member_json
from simulator.discord.acting import is_direct
from simulator.discord.calling import Caller
from simulator.discord.drafts import Draft
from simulator.discord.errors import NotAllowedError
from simulator.discord.gateway_session import Intent
from simulator.discord.model import (
    SILENT_FLAG,
    SUPPRESS_EMBEDS_FLAG,
    VOICE_FLAG,
    Message,
    Role,
    UploadedFile,
)
from simulator.discord.permissions import Permission
from simulator.discord.pressing import Presser
from simulator.discord.sight import WAIT_SECONDS, Predicate, TextChannel, wait_to_see

if TYPE_CHECKING:
    from simulator.discord.voice.channel import VoiceChannel
    from simulator.discord.voice.peers import PeerMaker
    from simulator.discord.voice.talker import Talker

_WAVEFORM = "AAECAwQFBgcICQoLDA0ODw=="


class Person(Caller, Presser):
    """Somebody on Discord whom a test drives."""

    def give(self, *roles: Role) -> None:
        """Let them have roles, from now on."""
        had = self._core.world.roles_of(self.account)
        self._set_roles({*had, *(role.id for role in roles)})

    def take(self, *roles: Role) -> None:
        """Let them have roles no more."""
        had = self._core.world.roles_of(self.account)
        self._set_roles(set(had).difference(role.id for role in roles))

    def say(
        self,
        channel: TextChannel,
        text: str,
        *,
        mention_bot: bool = True,
        reply_to: Message | None = None,
        files: Mapping[str, bytes] | Sequence[UploadedFile] | None = None,
        is_silent: bool = False,
    ) -> Message:
        """Write a message.

        Args:
            channel: Where: in a channel, a thread, or direct messages.
            text: What.
            mention_bot: Whether it begins with a mention of the bot; never in direct messages.
            reply_to: The message that it replies to.
            files: What hangs on it: by name, or as `file` makes them.
            is_silent: Whether nobody's device makes a sound for it.

        Raises:
            NotAllowedError: If they may not write there.
        """
        if mention_bot and not is_direct(channel.channel):
            text = f"<@{self._core.world.bot.id}> {text}"
        if isinstance(files, Mapping):
            files = [self.file(name, content) for name, content in files.items()]
        draft = Draft(
            text=text,
            reply_to=None if reply_to is None else reply_to.id,
            files=tuple(files or ()),
            flags=SILENT_FLAG if is_silent else 0,
        )
        return self._post(channel, draft)

    def say_aloud(
        self,
        channel: TextChannel,
        content: bytes,
        *,
        duration_seconds: float = 1.0,
        reply_to: Message | None = None,
    ) -> Message:
        """Send a voice message.

        Raises:
            NotAllowedError: If they may not write there.
        """
        voice = replace(
            self.file("voice-message.ogg", content, content_type="audio/ogg"),
            duration_seconds=duration_seconds,
            waveform=_WAVEFORM,
        )
        draft = Draft(
            files=(voice,), flags=VOICE_FLAG, reply_to=None if reply_to is None else reply_to.id
        )
        return self._post(channel, draft)

    def file(self, name: str, content: bytes, *, content_type: str | None = "") -> UploadedFile:
        """Return a file to send, or to fill into a command.

        Args:
            name: What it is called.
            content: What it holds.
            content_type: What it is; unset, Discord goes by the name; `None`: it cannot tell.
        """
        if content_type == "":
            content_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return UploadedFile(
            id=self._core.world.ids.next(), name=name, content=content, content_type=content_type
        )

    def edit(self, message: Message, text: str) -> Message:
        """Let one's message say something else."""
        now = self._newest(message)
        version = replace(now.versions[-1], at_seconds=self._core.clock.seconds(), text=text)
        return self._core.board.edit(now, version)

    def hide_embeds(self, message: Message) -> Message:
        """Let a message show no previews of its links, as its author or a moderator can."""
        now = self._newest(message)
        version = replace(now.versions[-1], at_seconds=self._core.clock.seconds(), embeds=())
        return self._core.board.edit(now, version, flags=now.flags | SUPPRESS_EMBEDS_FLAG)

    def delete(self, *messages: Message) -> None:
        """Take messages away; anybody's, as a moderator can. Several go at once."""
        now = [self._newest(message) for message in messages]
        if len(now) == 1:
            self._core.board.delete(now[0])
        else:
            self._core.board.delete_all(now[0].channel, now)

    def react(self, message: Message, emoji: str) -> None:
        """React to a message."""
        self._require(Permission.ADD_REACTIONS, message.channel, "react")
        self._core.reactions.add(self._newest(message), self.account, emoji)

    def unreact(self, message: Message, emoji: str) -> None:
        """Take one's reaction back."""
        self._core.reactions.take_back(self._newest(message), self.account, emoji)

    def pin(self, message: Message) -> None:
        """Pin a message, as a moderator can."""
        self._core.pins.pin(self.account, self._newest(message))

    def unpin(self, message: Message) -> None:
        """Take a message's pin out, as a moderator can."""
        self._core.pins.unpin(self._newest(message))

    def type_in(self, channel: TextChannel) -> None:
        """Be shown as typing."""
        self._core.board.start_typing(self.account, channel.channel)

    def direct_messages(self) -> TextChannel:
        """Return the direct messages with the bot."""
        return TextChannel(self._core, self._core.world.direct_channel(self.account))

    def join_voice(
        self,
        channel: "VoiceChannel",
        *,
        make_peer: "PeerMaker | None" = None,
        is_muted: bool = False,
        is_deafened: bool = False,
    ) -> "Talker":
        """Join a voice channel, to speak and hear there.

        Args:
            channel: Which.
            make_peer: Makes their side of the end-to-end encryption; `None`: by davey.
            is_muted: Whether nobody hears them.
            is_deafened: Whether they hear nobody.

        Raises:
            NotAllowedError: If they may not, or it is full.
        """
        # Text works without the packages that audio needs.
        from simulator.discord.voice.peers import DaveyPeer  # noqa: PLC0415
        from simulator.discord.voice.talker import Talker  # noqa: PLC0415

        talker = Talker(self._core, self.account, make_peer or DaveyPeer)
        talker.join(channel.channel, is_muted=is_muted, is_deafened=is_deafened)
        return talker

    def open_thread(self, where: TextChannel | Message, name: str) -> TextChannel:
        """Open a public thread in a channel, or from a message.

        Raises:
            NotAllowedError: If they may not.
            ApiError: If there cannot be one.
        """
        opening = self._core.opening
        channel = where.channel
        self._require(Permission.CREATE_PUBLIC_THREADS, channel, "open a thread")
        if isinstance(where, Message):
            thread = opening.open_from(self.account, self._newest(where), name)
        else:
            thread = opening.open(self.account, channel, name)
        return TextChannel(self._core, thread)

    def rename(self, channel: TextChannel, name: str) -> None:
        """Give a channel or a thread another name, as a moderator can."""
        self._core.places.rename(channel.channel, name)

    def archive(self, thread: TextChannel, *, is_locked: bool = False) -> None:
        """Put a thread away, as a moderator can; writing in it brings it back unless locked."""
        self._core.threads.change(thread.channel, is_archived=True, is_locked=is_locked)

    async def sees(
        self,
        channel: TextChannel,
        wanted: Predicate,
        *,
        after: Message | None = None,
        timeout_seconds: float = WAIT_SECONDS,
    ) -> Message:
        """Wait until a message there is as wanted, be it new or edited, and return it.

        Args:
            channel: Where to look.
            wanted: What the message must be; a text is looked for in what it says.
            after: Only messages posted after this one count.
            timeout_seconds: How long to wait.

        Raises:
            NotSeenError: If there was none in time; it shows what was there.
        """
        return await wait_to_see(
            self._core, self, channel, wanted, after=after, timeout_seconds=timeout_seconds
        )

    def _post(self, channel: TextChannel, draft: Draft) -> Message:
        place = channel.channel
        may_write = self._core.world.may_write(self.account, place)
        if channel.is_locked and not self._core.world.may(
            self.account, Permission.MANAGE_THREADS, place
        ):
            may_write = False
        if not may_write:
            raise NotAllowedError(self.name, "write", place.name)
        return self._core.board.put_up(self.account, place, draft)

    def _set_roles(self, role_ids: set[int]) -> None:
        world = self._core.world
        world.members_roles[self.id] = role_ids
        told = member_json(world, self.account) | {"guild_id": str(world.guild.id)}
        self._core.gateway.dispatch("GUILD_MEMBER_UPDATE", told, intent=Intent.GUILD_MEMBERS)
