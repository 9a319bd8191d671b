"""People whom a test drives: they write, call commands, press buttons, and look."""

import mimetypes
from collections.abc import Mapping
from dataclasses import replace

from simulator.discord.commands import Choice, OptionValue, autocomplete_data, call_data
from simulator.discord.core import Core
from simulator.discord.drafts import Draft
from simulator.discord.errors import NoAnswerError, NoSuchButtonError
from simulator.discord.gateway_session import Intent
from simulator.discord.interaction import InteractionKind
from simulator.discord.journal import ButtonPressed, CommandCalled
from simulator.discord.model import (
    Account,
    Button,
    Channel,
    ChannelKind,
    Json,
    Message,
    Role,
    UploadedFile,
)
from simulator.discord.replies import (
    InteractionReply,
    acknowledgement,
    choices_of,
    outcome,
    submission,
)
from simulator.discord.sight import WAIT_SECONDS, Predicate, TextChannel, wait_to_see
from simulator.discord.wire import member_json

_BUTTON = 2


class Person:
    """Somebody on Discord whom a test drives."""

    def __init__(self, core: Core, account: Account) -> None:
        self._core = core
        self.account = account
        """What others see."""

    @property
    def id(self) -> int:
        """The id of the account."""
        return self.account.id

    @property
    def name(self) -> str:
        """As others see it."""
        return self.account.name

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
        files: Mapping[str, bytes] | None = None,
    ) -> Message:
        """Write a message.

        Args:
            channel: Where.
            text: What.
            mention_bot: Whether it begins with a mention of the bot; never in direct messages.
            reply_to: The message that it replies to.
            files: What hangs on it, by name.
        """
        if mention_bot and channel.channel.kind is not ChannelKind.DIRECT:
            text = f"<@{self._core.world.bot.id}> {text}"
        draft = Draft(
            text=text,
            reply_to=None if reply_to is None else reply_to.id,
            files=tuple(self._upload(name, data) for name, data in (files or {}).items()),
        )
        return self._core.board.put_up(self.account, channel.channel, draft)

    def edit(self, message: Message, text: str) -> Message:
        """Let one's message say something else."""
        now = self._newest(message)
        version = replace(now.versions[-1], at_seconds=self._core.clock.seconds(), text=text)
        return self._core.board.edit(now, version)

    def delete(self, message: Message) -> None:
        """Take a message away; anybody's, as a moderator can."""
        self._core.board.delete(message)

    def react(self, message: Message, emoji: str) -> None:
        """React to a message."""
        self._core.board.react(self._newest(message), self.account, emoji, is_on=True)

    def type_in(self, channel: TextChannel) -> None:
        """Be shown as typing."""
        self._core.board.start_typing(self.account, channel.channel)

    def direct_messages(self) -> TextChannel:
        """Return the direct messages with the bot."""
        return TextChannel(self._core, self._core.world.direct_channel(self.account))

    async def slash(
        self,
        channel: TextChannel,
        command: str,
        /,
        *,
        timeout_seconds: float = WAIT_SECONDS,
        **options: OptionValue,
    ) -> InteractionReply:
        """Call a slash command, and return the final answer.

        Args:
            channel: Where.
            command: Its whole name without the slash: `notify`, `jobs list`.
            timeout_seconds: How long to wait for the answer after it was acknowledged.
            **options: What is filled in.

        Raises:
            UnknownCommandError: If there is no such command here.
            BadOptionError: If Discord would not let a person send that.
            ApplicationDidNotRespondError: If the bot did not acknowledge it in time.
            NoAnswerError: If the bot acknowledged it, but never answered, or took it back.
        """
        data = call_data(
            self._commands(channel), command, options, is_direct=_is_direct(channel.channel)
        )
        shown = " ".join([f"/{command}", *(f"{name}:{value}" for name, value in options.items())])
        self._core.journal.record(
            CommandCalled(
                at_seconds=self._core.clock.seconds(),
                account=self.account,
                channel=channel.channel,
                text=shown,
            )
        )
        interaction = self._core.interactions.begin(
            InteractionKind.COMMAND, data, account=self.account, channel=channel.channel
        )
        reply = await outcome(self._core, interaction, shown, timeout_seconds=timeout_seconds)
        if reply is None:
            raise NoAnswerError(shown)
        return reply

    async def autocomplete(
        self, channel: TextChannel, command: str, option: str, typed: str
    ) -> tuple[Choice, ...]:
        """Type into an option of a command, and return what the bot offers.

        Raises:
            UnknownCommandError: If there is no such command here.
            BadOptionError: If that option does not complete.
            ApplicationDidNotRespondError: If the bot did not answer in time.
        """
        data = autocomplete_data(
            self._commands(channel), command, option, typed, is_direct=_is_direct(channel.channel)
        )
        interaction = self._core.interactions.begin(
            InteractionKind.AUTOCOMPLETE, data, account=self.account, channel=channel.channel
        )
        await acknowledgement(self._core, interaction, f"/{command} {option}:{typed}")
        return choices_of(interaction)

    async def click(
        self,
        message: Message,
        *,
        label: str | None = None,
        custom_id: str | None = None,
        timeout_seconds: float = WAIT_SECONDS,
    ) -> InteractionReply | None:
        """Press a button, and return the final answer; `None` if it was only acknowledged.

        Args:
            message: Under which it is, in any version; the newest counts.
            label: What stands on it.
            custom_id: Or its id, where the label does not tell.
            timeout_seconds: How long to wait for the answer after it was acknowledged.

        Raises:
            NoSuchButtonError: If there is none that this person can press.
            ApplicationDidNotRespondError: If the bot did not acknowledge it in time.
            NoAnswerError: If the bot deferred its answer, and never gave it.
        """
        now = self._newest(message)
        button = self._button(now, label, custom_id)
        self._core.journal.record(
            ButtonPressed(
                at_seconds=self._core.clock.seconds(),
                account=self.account,
                message=now,
                label=button.label,
            )
        )
        data: Json = {
            "custom_id": button.custom_id,
            "component_type": _BUTTON,
            "id": button.component_id,
        }
        interaction = self._core.interactions.begin(
            InteractionKind.COMPONENT,
            data,
            account=self.account,
            channel=now.channel,
            message=now,
        )
        what = f"button {button.label!r}"
        return await outcome(self._core, interaction, what, timeout_seconds=timeout_seconds)

    async def submit(
        self,
        reply: InteractionReply,
        /,
        *,
        timeout_seconds: float = WAIT_SECONDS,
        **values: str,
    ) -> InteractionReply | None:
        """Fill in the form that a command or a button answered with, and send it off.

        Raises:
            ApplicationDidNotRespondError: If the bot did not acknowledge it in time.
            NoAnswerError: If the bot deferred its answer, and never gave it.
        """
        assert reply.modal is not None, "the answer was no form"
        interaction = self._core.interactions.begin(
            InteractionKind.MODAL,
            submission(reply.modal, values),
            account=self.account,
            channel=reply.modal.opened_by.channel,
            message=reply.modal.opened_by.message,
            opened_by=reply.modal.opened_by,
        )
        what = f"form {reply.modal.title!r}"
        return await outcome(self._core, interaction, what, timeout_seconds=timeout_seconds)

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

    def _set_roles(self, role_ids: set[int]) -> None:
        world = self._core.world
        world.members_roles[self.id] = role_ids
        told = member_json(world, self.account) | {"guild_id": str(world.guild.id)}
        self._core.gateway.dispatch("GUILD_MEMBER_UPDATE", told, intent=Intent.GUILD_MEMBERS)

    def _commands(self, channel: TextChannel) -> list[Json]:
        return self._core.world.commands_in(channel.channel.guild_id)

    def _newest(self, message: Message) -> Message:
        return self._core.world.messages.get(message.id, message)

    def _button(self, message: Message, label: str | None, custom_id: str | None) -> Button:
        wanted = label if label is not None else custom_id or ""
        pressable = [one for one in message.buttons if one.custom_id and not one.is_disabled]
        is_there = message.id in self._core.world.messages and message.visible_to(self.account)
        for button in pressable if is_there else []:
            if label in {None, button.label} and custom_id in {None, button.custom_id}:
                return button
        raise NoSuchButtonError(wanted, [button.label for button in pressable])

    def _upload(self, name: str, content: bytes) -> UploadedFile:
        content_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return UploadedFile(
            id=self._core.world.ids.next(), name=name, content=content, content_type=content_type
        )


def _is_direct(channel: Channel) -> bool:
    return channel.kind is ChannelKind.DIRECT
