"""How long things may take on a voice connection."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from bot.discord_io.voice.deafness import DeafnessOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceOptions:
    """Limits, all in seconds."""

    dial_seconds: float = 8.0
    """For connecting once."""
    discovery_seconds: float = 0.4
    """Between two of the questions at which address the bot is seen; each may get lost."""
    quiet_seconds: float = 12.0
    """Without a word from the voice server, which answers a heartbeat every five, it is dead."""
    word_seconds: float = 1.0
    """How long to wait for the word whether the bot was moved or thrown out."""
    departure_seconds: float = 0.3
    """For the word that it was thrown out, and that the channel is gone: they come together."""
    move_seconds: float = 4.0
    """For going on in another channel, or with another server."""
    leave_seconds: float = 1.0
    """For being told that the bot has left."""
    keepalive_seconds: float = 5.0
    """Between two datagrams that keep the way for the answers open in routers."""
    unanswered_keepalives: int = 4
    """After so many of them, where they used to be answered, the way is taken to be broken."""
    keyless_seconds: float = 10.0
    """How long people may be there without the bot having keys for the call."""
    give_up_seconds: float = 240.0
    """After a break that is not mended by then, nobody tries any more."""
    rate_limited_seconds: float = 10.0
    """How long to wait first when Discord has said that there were too many connections."""
    first_pause_seconds: float = 0.25
    """Before the second try; the first one is made at once."""
    longest_pause_seconds: float = 20.0

    deafness: DeafnessOptions = field(default_factory=DeafnessOptions)

    def pauses(self) -> Iterator[float]:
        """Return how long to wait before each time that it is tried to connect anew; endless."""
        yield 0.0
        pause_seconds = self.first_pause_seconds
        while True:
            yield pause_seconds
            pause_seconds = min(2 * pause_seconds, self.longest_pause_seconds)
