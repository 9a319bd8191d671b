"""What voice lines are made of."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from bot.access import Authorize
from bot.config import VoiceConfig
from bot.conversation.conversations import Conversations
from bot.conversation.line_pipeline import OpenPipeline
from bot.conversation.line_store import LineStore
from bot.conversation.line_surface import VoicedPlaces
from bot.conversation.message_store import MessageStore
from bot.conversation.session_cards import CardBoard
from bot.conversation.transcript_store import TranscriptStore
from bot.messenger import Messenger
from bot.voice_door import VoiceDoor


@dataclass(frozen=True, slots=True, kw_only=True)
class LineParts:
    """What all lines have in common."""

    door: VoiceDoor
    """Leads into the voice channels."""
    open_pipeline: OpenPipeline | None
    """Opens what hears and speaks; `None` where voice is not installed."""
    missing: str = ""
    """Why there is none then, and how it is added: a sentence."""
    conversations: Conversations
    voiced: VoicedPlaces
    """Told where lines are; the surfaces of the conversations ask it."""
    messages: MessageStore
    store: LineStore
    transcripts: TranscriptStore
    cards: CardBoard
    messenger: Messenger
    authorize: Authorize
    config: VoiceConfig
    clock: Callable[[], float]
    """Gives Unix time, in seconds."""
    new_id: Callable[[], str]
    """Gives each line an id."""
    ready: asyncio.Event
    """Set when people can be heard: lines of an earlier bot are then gone on with."""
