"""What the gateway needs of voice. Pure."""

from typing import Protocol

from simulator.discord.model import Json


class VoiceDesk(Protocol):
    """Whoever lets the bot into voice channels."""

    def ask(self, session_id: str, data: Json) -> None:
        """Take what a session wants of voice (op 4)."""
        ...

    def session_lost(self, session_id: str, *, is_over: bool) -> None:
        """Take note that a session lost its connection, and whether it can be resumed no more."""
        ...
