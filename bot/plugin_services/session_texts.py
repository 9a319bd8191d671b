"""What is said of what plugins do in a session, and how the session is described to them. Pure."""

from collections.abc import Sequence
from typing import Any

from bot.conversation.session import Session
from bot.messenger import File
from bot.quoting import cleaned, plain, quotation, unmasked
from bot.speaker.speaker import Knobs
from bot.text.layout import Layout

LONGEST_QUOTATION = 1500
FILE_NAME = "said.md"

_LONGEST_NAME = 64
_MOST_LINES = 20
"""Of a quotation."""


def mark_of(plugin_id: str) -> str:
    """Return the line by which people know whose words stand below it."""
    return f"-# 🧩 {plain(plugin_id, _LONGEST_NAME)}"


def own_words(plugin_id: str, text: str) -> str:
    """Return a message of a plugin as people see it."""
    return f"{mark_of(plugin_id)}\n{unmasked(text)}"


def words_in_stead(plugin_id: str, text: str, name: str) -> Layout:
    """Return how people see what a plugin says in somebody's stead.

    Of more than a message holds, all goes with it as a file: nothing is said unseen.
    """
    quoted = quotation(text, LONGEST_QUOTATION)
    message = f"{mark_of(plugin_id)}, in the stead of {plain(name, _LONGEST_NAME)}:\n{quoted}"
    is_whole = len(text) <= LONGEST_QUOTATION and len(text.splitlines()) <= _MOST_LINES
    file = None if is_whole else File(name=FILE_NAME, content=text.encode(errors="replace"))
    return Layout(messages=(message,), file=file)


def in_stead_of(plugin_id: str, text: str) -> str:
    """Return what the speaker is told that a plugin says in a person's stead.

    Each line is marked, so that none can pass for one that the person said, before it or after.
    """
    lines = "\n".join(f"> {line}" for line in cleaned(text).splitlines())
    return f"(the plugin {plugin_id} says this in my stead:)\n{lines}"


def state_of(
    session: Session,
    usual: Knobs,
    *,
    is_answering: bool,
    waiting: int,
    entries: Sequence[dict[str, Any]],
) -> dict[str, Any]:
    """Return how a session stands, as a plugin is told it.

    Args:
        session: The session.
        usual: What the configuration says of what is not set.
        is_answering: Whether a turn is being answered.
        waiting: How many turns wait.
        entries: What the plugin keeps with it.
    """
    mode = session.knobs.permission_mode or usual.permission_mode
    return {
        "session_id": session.id,
        "name": session.name,
        "mode": "voice" if session.knobs.is_spoken else "text",
        "model": session.knobs.model or usual.model,
        "thinking": session.knobs.effort or usual.effort,
        "permission_mode": None if mode is None else mode.value,
        "notify": session.notify.value,
        "streaming": session.streaming.value,
        "created_at": session.created_at,
        "last_active_at": session.last_active_at,
        "is_answering": is_answering,
        "waiting": waiting,
        "entries": list(entries),
    }
