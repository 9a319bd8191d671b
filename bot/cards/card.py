"""A card: a message about one thing that is edited in place. Pure."""

from collections import OrderedDict
from dataclasses import dataclass

from bot.access import Place
from bot.messenger import MessageContent, MessageRef

SECONDS_BETWEEN_EDITS = 2.0
"""Of one card."""

SECONDS_BETWEEN_EDITS_IN_A_CHANNEL = 1.0
"""Of all cards there: Discord takes about five edits in five seconds, and answers come first."""

_MOST_CHANNELS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class CardKey:
    """What a card is of; there is one card for each."""

    kind: str
    """One lower-case word: `job`, `session`, `work`."""
    subject: str
    """The id of the thing."""

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A card as it should look now."""

    kind: str
    """One lower-case word: `job`, `session`, `work`."""
    subject: str
    """The id of the thing that it shows."""
    place: Place
    """Where it is posted."""
    content: MessageContent
    is_final: bool = False
    """Whether it shows how the thing ended, so that nothing more is to come."""
    is_pinned: bool = False
    reply_to: MessageRef | None = None
    """What it is posted as a reply to."""

    @property
    def key(self) -> CardKey:
        """What it is of."""
        return CardKey(kind=self.kind, subject=self.subject)


class EditPace:
    """Says when a card of a channel may be edited: one after another, first come, first served."""

    def __init__(self, seconds: float = SECONDS_BETWEEN_EDITS_IN_A_CHANNEL) -> None:
        self._seconds = seconds
        self._free_at: OrderedDict[int, float] = OrderedDict()

    def wait(self, channel_id: int, *, now: float) -> float:
        """Take the next turn in that channel, and return in how many seconds it comes."""
        at = max(now, self._free_at.get(channel_id, now))
        self._leave_alone(channel_id, until=at + self._seconds, now=now)
        return at - now

    def hold(self, channel_id: int, seconds: float, *, now: float) -> None:
        """Let nobody have a turn in that channel for a while, besides those that have one."""
        free_at = self._free_at.get(channel_id, now)
        self._leave_alone(channel_id, until=max(free_at, now + seconds), now=now)

    def _leave_alone(self, channel_id: int, *, until: float, now: float) -> None:
        self._free_at[channel_id] = until
        if len(self._free_at) > _MOST_CHANNELS:
            waiting = {channel: at for channel, at in self._free_at.items() if at > now}
            self._free_at = OrderedDict(waiting)
