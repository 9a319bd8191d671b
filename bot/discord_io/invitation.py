"""How the bot is invited to a server, and what it needs there. Pure."""

from collections.abc import Mapping

_BITS: Mapping[str, int] = {
    "add reactions": 6,
    "view channels": 10,
    "send messages": 11,
    "embed links": 14,
    "attach files": 15,
    "read message history": 16,
    "connect": 20,
    "speak": 21,
    "request to speak": 32,
    "create public threads": 35,
    "send messages in threads": 38,
    "pin messages": 51,
}
"""Discord's number of each permission that the bot needs."""

PERMISSIONS = sum(1 << bit for bit in _BITS.values())
"""All of them, as Discord takes them."""

_MESSAGE_CONTENT = 1 << 18
_MESSAGE_CONTENT_LIMITED = 1 << 19
"""Below 100 servers, where Discord does not ask what for."""


def invitation_url(application_id: int) -> str:
    """Return the address at which somebody can invite the bot to their server."""
    return (
        f"https://discord.com/oauth2/authorize?client_id={application_id}"
        f"&scope=bot+applications.commands&permissions={PERMISSIONS}"
    )


def portal_url(application_id: int) -> str:
    """Return where the bot's token and its intents are."""
    return f"https://discord.com/developers/applications/{application_id}/bot"


def may_read_messages(application_flags: int) -> bool:
    """Say whether the message content intent is switched on."""
    return bool(application_flags & (_MESSAGE_CONTENT | _MESSAGE_CONTENT_LIMITED))
