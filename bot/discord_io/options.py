"""How the bot logs in to Discord, and where that is."""

from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

from bot.discord_io.connector import discord_connector


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where to find Discord, where that is not the real one."""

    host: str
    port: int
    ca_path: Path | None = None
    """Who signed its certificate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandPauses:
    """How long is waited before Discord is told."""

    start_seconds: float = 20.0
    """For the commands that come late at the start: else it would be told twice each time."""
    settle_seconds: float = 2.0
    """After a change: others may follow."""
    between_seconds: float = 20.0
    """Between two changes."""
    retry_seconds: float = 60.0
    """After a failure; after each further one twice as long."""
    longest_retry_seconds: float = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordOptions:
    """How to log in, and what to do when it fails."""

    token: str = field(repr=False)
    endpoint: Endpoint | None = None
    command_guild_ids: tuple[int, ...] = ()
    """The guilds that the commands are for; none means everywhere."""
    patience_seconds: float = 60.0
    """How long a client may be without a connection before another takes its place."""
    first_retry_seconds: float = 1.0
    longest_retry_seconds: float = 120.0
    session_pause_seconds: float = 5.0
    """Between the end of a session that cannot be resumed and the next one of the same client, as
    Discord asks for."""
    steady_seconds: float = 300.0
    """A client that was there for so long did not fail at once: retries begin anew."""

    heard_seconds: float = 10.0
    """How often it is told that people were heard until now."""
    command_pauses: CommandPauses = field(default_factory=CommandPauses)
    """How long is waited before Discord is told of commands."""

    def connector(self) -> aiohttp.BaseConnector | None:
        """Return what leads to Discord; `None` for the usual way."""
        endpoint = self.endpoint
        if endpoint is None:
            return None
        return discord_connector(endpoint.host, endpoint.port, endpoint.ca_path)

    def retry_seconds(self, failures: int) -> float:
        """Return how long to wait after that many failures on end."""
        return min(self.first_retry_seconds * 2.0 ** (failures - 1), self.longest_retry_seconds)
