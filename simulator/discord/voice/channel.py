"""A voice channel as tests see it."""

from simulator.discord.model import Account
from simulator.discord.sight import WAIT_SECONDS, TextChannel


class VoiceChannel(TextChannel):
    """A place to talk and to write in."""

    @property
    def people(self) -> list[Account]:
        """Who is in it, bots too, in the order in which they came."""
        return [state.account for state in self._core.calls.states.in_channel(self.channel)]

    @property
    def has_bot(self) -> bool:
        """Whether the bot is in it."""
        return self._core.world.bot in self.people

    async def connected(self, *, timeout_seconds: float = WAIT_SECONDS) -> None:
        """Wait until the bot takes part in the call, and all in it can hear each other.

        Raises:
            TimeoutError: If it was not so in time.
        """

        def is_so() -> bool | None:
            call = self._core.calls.call_in(self.channel)
            client = self._core.calls.client
            return (client in call.members and call.is_settled) or None

        await self._core.journal.until(is_so, timeout_seconds=timeout_seconds)

    async def settled(self, *, timeout_seconds: float = WAIT_SECONDS) -> None:
        """Wait until all who take part in the call can hear each other.

        Raises:
            TimeoutError: If it was not so in time.
        """
        call = self._core.calls.call_in(self.channel)
        await self._core.journal.until(
            lambda: call.is_settled or None, timeout_seconds=timeout_seconds
        )

    async def empty_of_bot(self, *, timeout_seconds: float = WAIT_SECONDS) -> None:
        """Wait until the bot is not in it.

        Raises:
            TimeoutError: If it still was then.
        """
        await self._core.journal.until(
            lambda: not self.has_bot or None, timeout_seconds=timeout_seconds
        )
