"""How sessions are described to people. Pure."""

from collections.abc import Iterable

from bot.access import Place
from bot.conversation.session import Session
from bot.quoting import code
from bot.speaker.speaker import Knobs
from bot.wording import shortened

NOT_OPEN = "No conversation is open here. Call `/pickup`, or mention me."
LONGEST_MESSAGE = 2000

_MOST_SERVERS = 10
_MINUTE = 60
_HOUR = 3600
_DAY = 86_400
_LABEL_LENGTH = 100
_LONGEST_NAME = 80


def settings(session: Session, usual: Knobs) -> list[str]:
    """Return how a session is set, a few words for each setting.

    Args:
        session: The session.
        usual: What the configuration says of what is not set.
    """
    knobs = session.knobs
    mode = knobs.permission_mode or usual.permission_mode
    servers = [code(name, _LONGEST_NAME) for name in sorted(knobs.mcp_servers)]
    more = [f"{len(servers) - _MOST_SERVERS} more"] if len(servers) > _MOST_SERVERS else []
    return [
        f"model {_set(knobs.model or usual.model)}",
        f"effort {_set(knobs.effort or usual.effort)}",
        f"permissions {_set(None if mode is None else mode.value)}",
        f"MCP servers: {', '.join([*servers[:_MOST_SERVERS], *more]) or 'none'}",
        f"notices {session.notify.value}",
        f"streaming {session.streaming.value}",
    ]


def open_already(session: Session) -> str:
    """Return what is said where a session is open that somebody wants to open."""
    return f"**{session.name}** is open here already. `/hangup` ends it, `/new` begins afresh."


def where(place: Place, seen_from: Place) -> str:
    """Return where something is held, as a link where people there may follow it."""
    if place.channel_id == seen_from.channel_id:
        return "here"
    if place.guild_id is None:
        return "in direct messages"
    if place.guild_id != seen_from.guild_id:
        return "in another server" if seen_from.guild_id is not None else "in a server"
    return f"in <#{place.channel_id}>"


def list_line(session: Session, seen_from: Place, usual: Knobs) -> str:
    """Return a session as a line of a list; the one that is open here is marked."""
    is_here = session.is_open and session.place.channel_id == seen_from.channel_id
    mark = "📍" if is_here else "🟢" if session.is_open else "⚪"
    model = session.knobs.model or usual.model
    facts = [
        f"{mark} **{session.name}**",
        where(session.place, seen_from),
        *([code(model, _LONGEST_NAME)] if model else []),
        f"<t:{int(session.last_used_at)}:R>",
    ]
    return " · ".join(facts)


def label(session: Session, seen_from: Place, *, now: float) -> str:
    """Return a session as a suggestion: its name, how old, and where it is or was."""
    place = where(session.place, seen_from)
    # A suggestion is plain text, in which a channel's link would be a number.
    plain_place = place if "<" not in place else "in another channel"
    facts = f" · {ago(now - session.last_used_at)} · {plain_place}"
    return shortened(session.name, _LABEL_LENGTH - len(facts)) + facts


def ago(seconds: float) -> str:
    """Return how long ago something was: "5 minutes ago"."""
    for length, thing in ((_DAY, "day"), (_HOUR, "hour"), (_MINUTE, "minute")):
        if (number := int(seconds // length)) > 0:
            return f"{number} {thing}{'' if number == 1 else 's'} ago"
    return "just now"


def as_message(lines: Iterable[str]) -> str:
    """Return the lines as one message; those at the end that do not fit are left out."""
    text = "\n".join(lines)
    if len(text) <= LONGEST_MESSAGE:
        return text
    whole, _, _ = text[: LONGEST_MESSAGE - 1].rpartition("\n")
    return f"{whole}\n…"


def _set(value: str | None) -> str:
    return "as usual" if value is None else code(value, _LONGEST_NAME)
