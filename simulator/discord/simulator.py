"""One running Discord, as tests and the demo use it."""

from collections.abc import Sequence
from pathlib import Path

from simulator.discord.account_wire import member_json
from simulator.discord.core import Core
from simulator.discord.gateway_session import Intent
from simulator.discord.guild_wire import role_json
from simulator.discord.model import AccountKind, ChannelKind, Guild, Role
from simulator.discord.onlooking import Onlooker
from simulator.discord.people import Person
from simulator.discord.rest.server import rest_routes
from simulator.discord.settings import Settings
from simulator.discord.sight import TextChannel
from simulator.discord.voice_on_demand import VoiceOnDemand


class DiscordSimulator(Onlooker, VoiceOnDemand):
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
    def guild(self) -> Guild:
        """The one server there is."""
        return self._core.world.guild

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
        return TextChannel(self._core, self._core.places.add(name))

    def restrict(
        self,
        channel: TextChannel,
        *,
        seen_by: Sequence[Role] | None = None,
        written_by: Sequence[Role] | None = None,
        with_bot: bool = True,
    ) -> None:
        """Let a channel be for people with certain roles.

        Args:
            channel: Which; it holds for its threads, too.
            seen_by: The roles that see it; `None`: everybody sees it.
            written_by: The roles that may write there; `None`: who sees it may.
            with_bot: Whether the bot may both all the same.
        """
        bot = [self.bot] if with_bot else []
        self._core.places.restrict(
            channel.channel,
            seen_by=None if seen_by is None else [*seen_by, *bot],
            written_by=None if written_by is None else [*written_by, *bot],
        )

    def role(self, name: str, *, permissions: int = 0) -> Role:
        """Return the guild's role of that name; it is made if there is none.

        Args:
            name: What it is called.
            permissions: What a new one gives to those who have it.
        """
        world = self._core.world
        for role in world.roles.values():
            if role.name == name:
                return role
        role = world.add_role(name, permissions=permissions)
        told = {"guild_id": str(world.guild.id), "role": role_json(world, role)}
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
