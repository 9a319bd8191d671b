"""People who call commands: typed ones, and those in the menu of a message or a person."""

from collections.abc import Mapping

from simulator.discord.acting import Actor, is_direct
from simulator.discord.command_rules import MESSAGE_MENU, USER_MENU
from simulator.discord.commands import Choice, autocomplete_data, call_data, menu_data
from simulator.discord.errors import NoAnswerError
from simulator.discord.interaction import InteractionKind
from simulator.discord.journal import CommandCalled
from simulator.discord.model import Account, Channel, Json, Message, UploadedFile
from simulator.discord.option_values import OptionValue, resolved_json
from simulator.discord.permissions import Permission
from simulator.discord.replies import InteractionReply, acknowledgement, choices_of, outcome
from simulator.discord.sight import WAIT_SECONDS, TextChannel

Given = OptionValue | TextChannel | Actor
"""What a test may fill into an option."""


class Caller(Actor):
    """Somebody who calls commands."""

    async def slash(
        self,
        channel: TextChannel,
        command: str,
        /,
        *,
        timeout_seconds: float = WAIT_SECONDS,
        **options: Given,
    ) -> InteractionReply:
        """Call a slash command, and return the final answer.

        Args:
            channel: Where.
            command: Its whole name without the slash: `notify`, `jobs list`.
            timeout_seconds: How long to wait for the answer after it was acknowledged.
            **options: What is filled in; channels, people and roles as they are.

        Raises:
            UnknownCommandError: If there is no such command here.
            BadOptionError: If Discord would not let a person send that.
            ApplicationDidNotRespondError: If the bot did not acknowledge it in time.
            NoAnswerError: If the bot acknowledged it, but never answered, or took it back.
        """
        values = {name: _plain(value) for name, value in options.items()}
        data = call_data(
            self._commands(channel),
            command,
            values,
            is_direct=is_direct(channel.channel),
            permissions=self._permissions(channel),
        )
        if resolved := resolved_json(self._core.world, values.values(), by=self.account):
            data["resolved"] = resolved
        shown = " ".join([f"/{command}", *(f"{key}:{_shown(one)}" for key, one in values.items())])
        return await self._call(
            channel.channel, data, f"/{command}", shown, timeout_seconds=timeout_seconds
        )

    async def use_on(
        self,
        target: Message | Actor,
        command: str,
        /,
        *,
        channel: TextChannel | None = None,
        timeout_seconds: float = WAIT_SECONDS,
    ) -> InteractionReply:
        """Call a command in the menu of a message or a person, and return the final answer.

        Args:
            target: The message, in any version, or the person.
            command: Its name, as the menu shows it: `Ask Papercup`.
            channel: Where a person's menu is opened; a message's is where the message is.
            timeout_seconds: How long to wait for the answer after it was acknowledged.

        Raises:
            UnknownCommandError: If there is no such command in that menu.
            ApplicationDidNotRespondError: If the bot did not acknowledge it in time.
            NoAnswerError: If the bot acknowledged it, but never answered, or took it back.
        """
        thing: Message | Account
        if isinstance(target, Message):
            thing, kind, place = self._newest(target), MESSAGE_MENU, target.channel
        else:
            assert channel is not None, "a person's menu is opened in a channel"
            thing, kind, place = target.account, USER_MENU, channel.channel
        where = TextChannel(self._core, place)
        data = menu_data(
            self._commands(where),
            command,
            kind,
            thing.id,
            is_direct=is_direct(place),
            permissions=self._permissions(where),
        )
        data["resolved"] = resolved_json(self._core.world, [thing], by=self.account)
        return await self._call(
            where.channel, data, command, command, timeout_seconds=timeout_seconds
        )

    async def autocomplete(
        self,
        channel: TextChannel,
        command: str,
        option: str,
        typed: str,
        *,
        filled: Mapping[str, Given] | None = None,
    ) -> tuple[Choice, ...]:
        """Type into an option of a command, and return what the bot offers.

        Args:
            channel: Where.
            command: Its whole name without the slash.
            option: Into which option.
            typed: What stands there so far.
            filled: What the other options hold already.

        Raises:
            UnknownCommandError: If there is no such command here.
            BadOptionError: If that option does not complete.
            ApplicationDidNotRespondError: If the bot did not answer in time.
        """
        data = autocomplete_data(
            self._commands(channel),
            command,
            option,
            typed,
            filled={name: _plain(value) for name, value in (filled or {}).items()},
            is_direct=is_direct(channel.channel),
            permissions=self._permissions(channel),
        )
        interaction = self._core.interactions.begin(
            InteractionKind.AUTOCOMPLETE, data, account=self.account, channel=channel.channel
        )
        await acknowledgement(self._core, interaction, f"/{command} {option}:{typed}")
        return choices_of(interaction)

    async def _call(
        self, channel: Channel, data: Json, title: str, shown: str, *, timeout_seconds: float
    ) -> InteractionReply:
        self._core.journal.record(
            CommandCalled(
                at_seconds=self._core.clock.seconds(),
                account=self.account,
                channel=channel,
                text=shown,
            )
        )
        interaction = self._core.interactions.begin(
            InteractionKind.COMMAND, data, account=self.account, channel=channel, title=title
        )
        reply = await outcome(self._core, interaction, shown, timeout_seconds=timeout_seconds)
        if reply is None:
            raise NoAnswerError(shown)
        return reply

    def _commands(self, channel: TextChannel) -> list[Json]:
        wanted = Permission.VIEW_CHANNEL | Permission.USE_APPLICATION_COMMANDS
        if not self._core.world.may(self.account, wanted, channel.channel):
            return []
        return self._core.world.commands_in(channel.channel.guild_id)

    def _permissions(self, channel: TextChannel) -> int:
        return self._core.world.permissions(self.account, channel.channel)


def _plain(value: Given) -> OptionValue:
    if isinstance(value, TextChannel):
        return value.channel
    return value.account if isinstance(value, Actor) else value


def _shown(value: OptionValue) -> object:
    if isinstance(value, str | int | float):
        return value
    return f"#{value.name}" if isinstance(value, Channel) else _named(value)


def _named(value: OptionValue) -> str:
    name = value.name if not isinstance(value, str | int | float) else str(value)
    return name if isinstance(value, UploadedFile) else f"@{name}"
