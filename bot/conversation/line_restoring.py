"""Ends a voice line that an earlier bot held, and this one does not go on with."""

from bot.conversation.line_board import line_card
from bot.conversation.line_parts import LineParts
from bot.conversation.line_status import last_status
from bot.conversation.line_store import KeptLine
from bot.conversation.line_table import LineEvent, Situation, step_after
from bot.conversation.voice_line import VoiceLine


async def finish_kept(kept: KeptLine, event: LineEvent, parts: LineParts) -> None:
    """Hang up on a line that is not open, and say why in its channel.

    Raises:
        sqlite3.Error: If that cannot be stored.
    """
    line = VoiceLine(kept, parts)
    name, why = line.session_name, step_after(event, Situation()).written
    assert kept.place.guild_id is not None, "voice channels are in servers"
    await parts.conversations.close(kept.place)
    await parts.store.forget(kept.place.guild_id)
    parts.cards.show(line_card(kept.id, kept.place, last_status(name, [], why)))
    await line.post(why)
