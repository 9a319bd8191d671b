"""What can be made to go wrong on a Discord: each method is one fault."""

from collections.abc import Mapping

from simulator.discord.core import Core
from simulator.discord.errors import RateLimitedError
from simulator.discord.model import Json
from simulator.discord.people import Person
from simulator.discord.permissions import Permission
from simulator.discord.sight import WAIT_SECONDS, TextChannel

_TOKEN_REVOKED = 4004
_WRITE = Permission.SEND_MESSAGES | Permission.SEND_MESSAGES_IN_THREADS


class FaultsOnDemand:
    """The faults of a `DiscordSimulator`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def fail_next(
        self,
        pattern: str,
        status: int,
        *,
        body: Json | None = None,
        headers: Mapping[str, str] | None = None,
        times: int = 1,
        takes_effect: bool = False,
    ) -> None:
        """Let the next requests that fit be refused.

        Args:
            pattern: A regular expression, searched for in `POST /channels/1/messages`.
            status: What they are answered with.
            body: The answer; `None`: an error object as Discord makes it.
            headers: In addition to the usual ones.
            times: How many requests.
            takes_effect: Whether what they ask for is done all the same.
        """
        self._core.faults.add(
            pattern, status, body=body, headers=headers, times=times, takes_effect=takes_effect
        )

    def limit_next(self, pattern: str, *, retry_after_seconds: float, times: int = 1) -> None:
        """Let the next requests that fit be answered with 429."""
        limit = RateLimitedError(retry_after_seconds)
        self._core.faults.add(pattern, 429, body=limit.body(), headers=limit.headers(), times=times)

    def cut_next(self, pattern: str, *, times: int = 1, takes_effect: bool = True) -> None:
        """Let the next requests that fit lose their connection before the answer."""
        self._core.faults.add(pattern, None, times=times, takes_effect=takes_effect)

    def delay_next(self, pattern: str, seconds: float, *, times: int = 1) -> None:
        """Let the answers to the next requests that fit come late; they take effect at once."""
        self._core.faults.add_delay(pattern, seconds, times=times)

    def refuse_next_connection(self, status: int | None = 503, *, times: int = 1) -> None:
        """Let the gateway refuse the next connections; `None` cuts them without a word."""
        self._core.faults.add("^CONNECT gateway$", status, times=times)

    async def drop_gateway(
        self, code: int = 4000, *, can_resume: bool = True, timeout_seconds: float = WAIT_SECONDS
    ) -> None:
        """Close the gateway's connections, and return when they are closed.

        Args:
            code: Why, as the client is told.
            can_resume: Whether a client may go on with its session.
            timeout_seconds: How long to wait for it.

        Raises:
            TimeoutError: If they were still open then.
        """
        await self._core.gateway.drop(code, timeout_seconds=timeout_seconds)
        if not can_resume:
            self._core.gateway.forget_sessions()

    def invalidate_sessions(self, *, can_resume: bool = False) -> None:
        """Tell the clients that their sessions are not good any more.

        Args:
            can_resume: Whether they may try to go on with them all the same.
        """
        self._core.gateway.invalidate(can_resume=can_resume)

    def ask_to_reconnect(self) -> None:
        """Tell the clients to come back over another connection, as before a deployment."""
        self._core.gateway.ask_to_reconnect()

    def send_odd_event(self, name: str = "MESSAGE_CREATE", data: Json | None = None) -> None:
        """Tell the clients of an event whose payload is not as it should be."""
        odd: Json = {"id": "1", "odd": True} if data is None else data
        self._core.gateway.dispatch(name, odd)

    def send_raw_frame(self, text: str) -> None:
        """Send the clients a gateway frame that need not be one."""
        self._core.gateway.send_raw(text)

    def revoke_token(self) -> None:
        """Let the bot's token be good no more, and throw its clients out."""
        self._core.settings.token = f"renewed-{self._core.world.ids.next()}"
        self._core.gateway.close_all(_TOKEN_REVOKED)

    def delete_channel(self, channel: TextChannel) -> None:
        """Take a channel or a thread away, with all that stands in it."""
        self._core.places.delete(channel.channel)

    def shut_out(self, channel: TextChannel, *, may_read: bool = False) -> None:
        """Let the bot write in a channel no more.

        Args:
            channel: Which.
            may_read: Whether it still sees what is written there.
        """
        denied = _WRITE if may_read else Permission.VIEW_CHANNEL
        self._core.places.set_for(channel.channel, self._core.world.bot, deny=denied)

    def let_in(self, channel: TextChannel) -> None:
        """Let the bot read and write in a channel again."""
        allowed = Permission.VIEW_CHANNEL | _WRITE
        self._core.places.set_for(channel.channel, self._core.world.bot, allow=allowed)

    def refuse_bot(self, permission: Permission) -> None:
        """Let the bot have some permissions nowhere in the guild, as if it was never given them."""
        self._core.world.refused_to_bot |= permission

    def grant_bot(self, permission: Permission) -> None:
        """Let the bot have some permissions wherever no channel says otherwise."""
        self._core.world.refused_to_bot &= ~permission
        self._core.world.granted_to_bot |= permission

    def expire_files(self) -> None:
        """Let every address of a file that was given out so far be good no more."""
        self._core.world.file_key += 1

    def refuse_direct_messages(self, person: Person) -> None:
        """Let a person take no direct messages of the bot, as one can choose for a server."""
        self._core.world.without_direct_messages.add(person.id)
