"""One running Discord, as tests and the demo use it."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from simulator.discord.commands import command_names
from simulator.discord.core import Core
from simulator.discord.faults_on_demand import FaultsOnDemand
from simulator.discord.gateway_session import Intent
from simulator.discord.guild_wire import role_json
from simulator.discord.journal import Journal, Observer, TypingStarted
from simulator.discord.model import Account, AccountKind, ChannelKind, Message, Role
from simulator.discord.people import Person
from simulator.discord.rest.server import rest_routes
from simulator.discord.settings import Settings
from simulator.discord.sight import WAIT_SECONDS, Predicate, TextChannel
from simulator.discord.wire import channel_json, member_json
from simulator.discord.world import Guild


class DiscordSimulator(FaultsOnDemand):
    """One running Discord; `running_discord` makes it."""

    def __init__(self, core: Core, *, ca_path: Path, tls_port: int, http_port: int) -> None:
        super().__init__(core)
        self.host = "127.0.0.1"
        self.tls_port = tls_port
        """Every Discord host name may lead here, over TLS."""
        self.http_port = http_port
        """The same without TLS: `http://127.0.0.1:PORT/api/v10`."""
        self.ca_path = ca_path
        """The authority that a client must trust."""

    @property
    def token(self) -> str:
        """What the bot logs in with."""
        return self._core.settings.token

    @property
    def settings(self) -> Settings:
        """How it behaves; may be changed at any time."""
        return self._core.settings

    @property
    def journal(self) -> Journal:
        """What happened, in order."""
        return self._core.journal

    @property
    def guild(self) -> Guild:
        """The one server there is."""
        return self._core.world.guild

    @property
    def bot(self) -> Account:
        """The bot's user; its id is the application's, too."""
        return self._core.world.bot

    @property
    def commands(self) -> list[str]:
        """What can be called in the guild, whole: `notify`, `jobs list`."""
        return command_names(self._core.world.commands_in(self.guild.id))

    @property
    def typing(self) -> list[TypingStarted]:
        """Who was shown as typing, and when, oldest first."""
        return self.journal.of(TypingStarted)

    @property
    def routes(self) -> list[tuple[str, str]]:
        """Method and template of every REST route that is served."""
        return [(route.method, route.template) for route in rest_routes(self._core)]

    def seconds(self) -> float:
        """Return the time in which everything here is told; monotonic."""
        return self._core.clock.seconds()

    def text_channel(self, name: str) -> TextChannel:
        """Return the guild's text channel of that name; it is made if there is none."""
        for channel in self._core.world.guild_channels():
            if channel.name == name and channel.kind is ChannelKind.TEXT:
                return TextChannel(self._core, channel)
        channel = self._core.world.add_channel(name, ChannelKind.TEXT)
        self._core.gateway.dispatch("CHANNEL_CREATE", channel_json(channel), intent=Intent.GUILDS)
        return TextChannel(self._core, channel)

    def role(self, name: str) -> Role:
        """Return the guild's role of that name; it is made if there is none."""
        world = self._core.world
        for role in world.roles.values():
            if role.name == name:
                return role
        role = world.add_role(name)
        told = {"guild_id": str(world.guild.id), "role": role_json(role)}
        self._core.gateway.dispatch("GUILD_ROLE_CREATE", told, intent=Intent.GUILDS)
        return role

    def person(self, name: str, *, is_owner: bool = False) -> Person:
        """Return the person of that name, who is made a member if there is none.

        Args:
            name: As others see it.
            is_owner: Whether to make them the owner of the bot's application.
        """
        person = self._somebody(name, AccountKind.PERSON)
        if is_owner:
            self._core.world.application_owner = person.account
        return person

    def add_bot_person(self, name: str) -> Person:
        """Return another bot, which can write as a person does."""
        return self._somebody(name, AccountKind.BOT)

    def add_webhook(self, name: str) -> Person:
        """Return a webhook, which can write, but is no member."""
        return self._somebody(name, AccountKind.WEBHOOK)

    def message(self, message: Message) -> Message | None:
        """Return a message as it is now; `None` if it was deleted."""
        return self._core.world.messages.get(message.id)

    def bot_messages(self, channel: TextChannel) -> list[Message]:
        """Return what the bot posted there for everyone, oldest first."""
        history = self._core.world.history(channel.id)
        return [message for message in history if message.author == self.bot]

    async def connected(self, *, timeout_seconds: float = 30.0) -> None:
        """Wait until the bot is logged in at the gateway.

        Raises:
            TimeoutError: If it was not in time.
        """
        await self.journal.until(
            lambda: self._core.gateway.is_connected or None, timeout_seconds=timeout_seconds
        )

    async def commands_registered(self, *names: str, timeout_seconds: float = 30.0) -> list[str]:
        """Wait until these commands can be called, and return all that can.

        Raises:
            TimeoutError: If they could not in time.
        """

        def found() -> list[str] | None:
            commands = self.commands
            return commands if commands and set(names) <= set(commands) else None

        return await self.journal.until(found, timeout_seconds=timeout_seconds)

    async def sees(
        self,
        person: Person,
        channel: TextChannel,
        wanted: Predicate,
        *,
        after: Message | None = None,
        timeout_seconds: float = WAIT_SECONDS,
    ) -> Message:
        """Wait until a person sees such a message; see `Person.sees`.

        Raises:
            NotSeenError: If there was none in time; it shows what was there.
        """
        return await person.sees(channel, wanted, after=after, timeout_seconds=timeout_seconds)

    async def sees_typing(
        self,
        channel: TextChannel,
        *,
        after_seconds: float = 0.0,
        timeout_seconds: float = WAIT_SECONDS,
    ) -> TypingStarted:
        """Wait until the bot is shown as typing there, at or after a moment.

        Raises:
            TimeoutError: If it was not in time.
        """

        def found() -> TypingStarted | None:
            for typing in self.typing:
                is_here = typing.channel == channel.channel and typing.account == self.bot
                if is_here and typing.at_seconds >= after_seconds:
                    return typing
            return None

        return await self.journal.until(found, timeout_seconds=timeout_seconds)

    @contextmanager
    def watched_by(self, observer: Observer) -> Generator[None]:
        """Tell `observer` of everything that happens while the block lasts."""
        self.journal.add_observer(observer)
        try:
            yield
        finally:
            self.journal.remove_observer(observer)

    def _somebody(self, name: str, kind: AccountKind) -> Person:
        world = self._core.world
        for account in world.accounts.values():
            if account.name == name and account.kind is kind and account != world.bot:
                return Person(self._core, account)
        account = world.add_account(name, kind)
        if kind is not AccountKind.WEBHOOK:
            joined = member_json(world, account) | {"guild_id": str(world.guild.id)}
            self._core.gateway.dispatch("GUILD_MEMBER_ADD", joined, intent=Intent.GUILD_MEMBERS)
        return Person(self._core, account)
