"""What the rest of the program holds of Discord, whichever client is logged in."""

import asyncio
from collections.abc import Mapping
from enum import StrEnum

import discord

from bot.discord_io.command_ids import CommandIds
from bot.discord_io.downloads import DiscordDownloads
from bot.discord_io.history import DiscordHistory
from bot.discord_io.messenger import DiscordMessenger
from bot.discord_io.presence import Presence
from bot.discord_io.translation import BotIdentity, identity_of
from bot.discord_io.voice.door import DiscordVoiceDoor
from bot.discord_io.voice.options import VoiceOptions
from bot.redaction import Redactor


class DiscordState(StrEnum):
    """How the connection stands."""

    CONNECTING = "connecting"
    CONNECTED = "connected"
    RECONNECTING = "reconnecting"


class DiscordLink:
    """What outlives the clients: made before the first, and used by everyone else."""

    def __init__(
        self, redactor: Redactor | None = None, *, voice: VoiceOptions | None = None
    ) -> None:
        """Make it.

        Args:
            redactor: Takes secrets out of all that is sent.
            voice: How long things may take in voice channels.
        """
        self.redactor = redactor or Redactor()
        self.messenger = DiscordMessenger(self.redactor)
        """Carries messages whenever there is a client that is logged in."""
        self.history = DiscordHistory()
        """Reads messages then."""
        self.attachments = DiscordDownloads()
        """Fetches the files of messages then."""
        self.presence = Presence(self.redactor)
        """Shows what stands under the bot's name."""
        self.voice_door = DiscordVoiceDoor(voice)
        """Leads into voice channels then; its lines outlive the clients."""
        self.commands = CommandIds()
        """Knows the ids of the commands once they are registered."""
        self.state = DiscordState.CONNECTING
        self.identity: BotIdentity | None = None
        """Who the bot is, once that is known."""
        self.ready = asyncio.Event()
        """Set when people have been heard for the first time."""
        self.commands_are_registered = False
        """In this process; once is enough."""

    @property
    def command_ids(self) -> Mapping[str, int]:
        """The ids of the commands by their first words, once they are registered."""
        return self.commands.known()

    def mention(self, name: str) -> str:
        """Return how a message names a slash command, so that it can be clicked if possible.

        Args:
            name: Whole, without the slash: `jobs show`.
        """
        return self.commands.mention(name)

    def show_presence(self, text: str) -> None:
        """Have `text` stand under the bot's name; cheap if it does already."""
        self.presence.show(text)

    def use(self, client: discord.Client) -> None:
        """Go on with `client`, which is logged in."""
        self.identity = identity_of(client)
        self.messenger.use(client)
        self.history.use(client)
        self.attachments.use(client)

    def pause(self) -> None:
        """Let all that is to be sent wait until there is a client again."""
        self.messenger.pause()
        self.history.pause()
        self.attachments.pause()
        self.presence.pause()
        self.voice_door.client_gone()
