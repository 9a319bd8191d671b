"""The card of a session that is open: what it is, and how it is set. Pure."""

from bot.conversation.session import Session
from bot.conversation.session_words import settings
from bot.messenger import MessageContent
from bot.speaker.speaker import Knobs

SESSION_CARD = "session"
"""The kind of this card."""


def session_card(session: Session, usual: Knobs) -> MessageContent:
    """Return the card of a session.

    Args:
        session: The session, which is open.
        usual: What the configuration says of what is not set.
    """
    model, effort, permissions, servers, notices, streaming = settings(session, usual)
    lines = (
        f"📍 Active session: **{session.name}**",
        f"{model} · {effort} · {permissions}",
        servers,
        f"{notices} · {streaming}",
        f"-# Opened by <@{session.opened_by}> · since <t:{int(session.opened_at)}:f>",
    )
    return MessageContent(text="\n".join(lines), is_silent=True)
