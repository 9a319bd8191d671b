"""Cards that are only kept, to be looked at."""

from bot.access import Place
from bot.cards.card import Card
from bot.messenger import MessageContent, MessageRef

CARD_MESSAGES = 7_000_000
"""The first card stands in the message with this id, the next in the one after it."""


class FakeCards:
    """Has what `Cards` has, without a messenger."""

    def __init__(self) -> None:
        self.shown: list[Card] = []
        """Every card as it was handed in, the earliest first."""
        self.withdrawn: list[tuple[str, str]] = []
        self._refs: dict[tuple[str, str], MessageRef] = {}

    def show(self, card: Card) -> None:
        self.shown.append(card)
        self.stands((card.kind, card.subject), card.place)

    async def ref_of(self, kind: str, subject: str, *, timeout_seconds: float) -> MessageRef | None:
        del timeout_seconds
        return self._refs.get((kind, subject))

    async def withdraw(self, kind: str, subject: str) -> None:
        self.withdrawn.append((kind, subject))
        self._refs.pop((kind, subject), None)

    def stands(self, key: tuple[str, str], place: Place) -> None:
        """Have a card stand there already, as from an earlier bot."""
        if key not in self._refs:
            number = CARD_MESSAGES + len(self._refs)
            self._refs[key] = MessageRef(channel_id=place.channel_id, message_id=number)

    @property
    def contents(self) -> list[MessageContent]:
        return [card.content for card in self.shown]
