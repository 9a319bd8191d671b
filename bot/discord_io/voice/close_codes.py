"""What follows from the number with which Discord closes a voice connection. Pure.

https://docs.discord.com/developers/topics/opcodes-and-status-codes#voice
"""

from enum import StrEnum


class Sequel(StrEnum):
    """What is done about it."""

    REDIAL = "redial"
    """Connect anew at once."""
    REDIAL_LATER = "redial later"
    """Connect anew, but not soon: Discord has asked for that."""
    ASK_WHY = "ask why"
    """The bot was moved, thrown out, or the channel is gone: another message tells which."""
    NO_ENCRYPTION = "no encryption"
    """It is of no use: Discord wants an encryption that the bot does not have."""


_SEQUELS = {
    4014: Sequel.ASK_WHY,
    4017: Sequel.NO_ENCRYPTION,
    4021: Sequel.REDIAL_LATER,
    4022: Sequel.ASK_WHY,
}


def sequel_of(code: int | None) -> Sequel:
    """Return what is done when a connection was closed.

    Args:
        code: With that number; `None` if it just broke.

    All others (the session is not valid any more, the server has crashed ...) are mended by a new
    connection. To resume one is possible for some, and would save a few hundred milliseconds.
    """
    return Sequel.REDIAL if code is None else _SEQUELS.get(code, Sequel.REDIAL)
