"""What can be seen of a Discord, and waited for."""

from collections.abc import Generator
from contextlib import contextmanager

from simulator.discord.commands import command_names
from simulator.discord.core import Core
from simulator.discord.journal import Journal, Observer, PresenceChanged, TypingStarted
from simulator.discord.markdown_html import Names
from simulator.discord.model import Account, Message
from simulator.discord.people import Person
from simulator.discord.render import ChannelView, html_of
from simulator.discord.sight import WAIT_SECONDS, Predicate, TextChannel


class Onlooker:
    """Sees all that happens on one Discord."""

    def __init__(self, core: Core) -> None:
        self._core = core

    @property
    def journal(self) -> Journal:
        """What happened, in order."""
        return self._core.journal

    @property
    def bot(self) -> Account:
        """The bot's user; its id is the application's, too."""
        return self._core.world.bot

    @property
    def commands(self) -> list[str]:
        """What can be called in the guild, whole: `notify`, `jobs list`."""
        return command_names(self._core.world.commands_in(self._core.world.guild.id))

    @property
    def typing(self) -> list[TypingStarted]:
        """Who was shown as typing, and when, oldest first."""
        return self.journal.of(TypingStarted)

    @property
    def presence(self) -> PresenceChanged | None:
        """What the bot told last of what it is doing; `None` if nothing."""
        told = self.journal.of(PresenceChanged)
        return told[-1] if told else None

    def threads(self, channel: TextChannel) -> list[TextChannel]:
        """Return the threads of a channel, oldest first, archived ones included."""
        threads = self._core.world.threads(channel.channel)
        return [TextChannel(self._core, thread) for thread in threads]

    def message(self, message: Message) -> Message | None:
        """Return a message as it is now; `None` if it was deleted."""
        return self._core.world.messages.get(message.id)

    def bot_messages(self, channel: TextChannel) -> list[Message]:
        """Return what the bot posted there for everyone, oldest first.

        Not the lines in which Discord says that the bot pinned something or opened a thread.
        """
        history = self._core.world.history(channel.id)
        return [one for one in history if one.author == self.bot and not one.is_system]

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

    async def commands_withdrawn(self, *names: str, timeout_seconds: float = 30.0) -> list[str]:
        """Wait until these commands cannot be called any more, and return all that still can.

        Raises:
            TimeoutError: If they could for longer.
        """

        def left() -> list[str] | None:
            commands = self.commands
            return commands if set(names).isdisjoint(commands) else None

        return await self.journal.until(left, timeout_seconds=timeout_seconds)

    async def thread_in(
        self, channel: TextChannel, name: str = "", *, timeout_seconds: float = WAIT_SECONDS
    ) -> TextChannel:
        """Wait until a channel has a thread with that in its title, and return the newest such.

        Raises:
            TimeoutError: If there was none in time.
        """

        def found() -> TextChannel | None:
            return next((one for one in reversed(self.threads(channel)) if name in one.name), None)

        return await self.journal.until(found, timeout_seconds=timeout_seconds)

    async def presence_shown(
        self, text: str, *, timeout_seconds: float = WAIT_SECONDS
    ) -> PresenceChanged:
        """Wait until that stands under the bot's name.

        Raises:
            TimeoutError: If it was not in time.
        """

        def found() -> PresenceChanged | None:
            presence = self.presence
            return presence if presence is not None and text in presence.text else None

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

    def page_of(
        self,
        channel: TextChannel,
        person: Person,
        *,
        shown_at: str = "Today at 14:02",
        after: Message | None = None,
        now_unix_seconds: float | None = None,
        width_pixels: int = 760,
    ) -> str:
        """Return an HTML page that shows what a person sees in a channel.

        Args:
            channel: Which channel, thread, or direct messages.
            person: Who looks.
            shown_at: The time that stands beside every author's name.
            after: Only messages posted after this one are shown.
            now_unix_seconds: By which relative times are told; `None`: the present.
            width_pixels: How wide it is.
        """
        world = self._core.world
        oldest = 0 if after is None else after.id
        names = Names(
            users={account.id: account.name for account in world.accounts.values()},
            roles={role.id: role.name for role in world.roles.values()},
            channels={one.id: one.name for one in world.channels.values()},
            now_unix_seconds=(
                self._core.clock.unix_seconds() if now_unix_seconds is None else now_unix_seconds
            ),
        )
        view = ChannelView(
            title=channel.name,
            messages=[one for one in channel.messages_for(person) if one.id > oldest],
            bot=self.bot,
            names=names,
            shown_at=shown_at,
            everything=world.messages,
            width_pixels=width_pixels,
        )
        return html_of(view)

    @contextmanager
    def watched_by(self, observer: Observer) -> Generator[None]:
        """Tell `observer` of everything that happens while the block lasts."""
        self.journal.add_observer(observer)
        try:
            yield
        finally:
            self.journal.remove_observer(observer)
