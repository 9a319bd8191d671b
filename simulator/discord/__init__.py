"""A Discord on loopback, to which an unmodified client logs in, with people whom a test drives."""

from simulator.discord.connector import loopback_connector
from simulator.discord.forms import Modal
from simulator.discord.people import Person
from simulator.discord.permissions import Permission
from simulator.discord.replies import InteractionReply
from simulator.discord.running import running_discord
from simulator.discord.settings import Settings
from simulator.discord.sight import TextChannel
from simulator.discord.simulator import DiscordSimulator

__all__ = [
    "DiscordSimulator",
    "InteractionReply",
    "Modal",
    "Permission",
    "Person",
    "Settings",
    "TextChannel",
    "loopback_connector",
    "running_discord",
]
