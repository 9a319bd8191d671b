"""Where the cards stand, in the database."""

import secrets
import sqlite3
from dataclasses import dataclass

from bot.cards.card import Card, CardKey
from bot.messenger import MessageRef
from extensions.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptCard:
    """What is kept of a card over restarts."""

    nonce: str
    """With which it is posted; no two cards ever have the same."""
    channel_id: int
    message_id: int | None = None
    """`None` until it is known to stand there."""
    is_final: bool = False
    """Whether it shows how its thing ended."""
    is_pinned: bool = False
    """Whether it was pinned, or may not be."""
    is_withdrawn: bool = False
    """Whether it is to be taken away."""

    @property
    def ref(self) -> MessageRef | None:
        """Where it stands, if that is known."""
        if self.message_id is None:
            return None
        return MessageRef(channel_id=self.channel_id, message_id=self.message_id)


class CardStore:
    """Remembers which message is the card of what."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, key: CardKey) -> KeptCard | None:
        """Return what is kept of a card, if there is one."""
        values = (key.kind, key.subject)
        row = await self._database.run(lambda c: c.execute(_SELECT, values).fetchone())
        return None if row is None else _kept(row)

    async def begin(self, card: Card) -> KeptCard:
        """Remember that a card is about to be posted, and return what is kept of it."""
        kept = KeptCard(nonce=f"card-{secrets.token_hex(8)}", channel_id=card.place.channel_id)
        values = (card.kind, card.subject, kept.nonce, kept.channel_id)
        await self._database.run(lambda c: c.execute(_INSERT, values))
        return kept

    async def save(self, key: CardKey, kept: KeptCard) -> None:
        """Remember how a card stands now; whether it is withdrawn stays as it is."""
        values = (
            *(kept.channel_id, kept.message_id, kept.is_final, kept.is_pinned),
            *(key.kind, key.subject),
        )
        await self._database.run(lambda c: c.execute(_UPDATE, values))

    async def withdraw(self, key: CardKey) -> bool:
        """Remember that a card is to be taken away, and say whether it was known."""
        values = (key.kind, key.subject)
        return await self._database.run(lambda c: c.execute(_WITHDRAW, values).rowcount == 1)

    async def forget(self, key: CardKey) -> None:
        """Forget a card whose message is gone."""
        values = (key.kind, key.subject)
        await self._database.run(lambda c: c.execute(_DELETE, values))

    async def forget_ended(self, kind: str) -> None:
        """Forget the cards of a kind that show how their things ended; their messages stay."""
        await self._database.run(lambda c: c.execute(_DELETE_ENDED, (kind,)))

    async def withdrawn(self) -> list[CardKey]:
        """Return the cards whose messages are still to be deleted."""
        rows = await self._database.run(lambda c: c.execute(_SELECT_WITHDRAWN).fetchall())
        return [CardKey(kind=row["kind"], subject=row["subject"]) for row in rows]

    async def unfinished(self, kind: str) -> list[str]:
        """Return the subjects of the cards of a kind that do not show how their things ended."""
        rows = await self._database.run(lambda c: c.execute(_SELECT_UNFINISHED, (kind,)).fetchall())
        return [row["subject"] for row in rows]


_SELECT = "SELECT * FROM cards WHERE kind = ? AND subject = ?"
_INSERT = "INSERT INTO cards (kind, subject, nonce, channel_id) VALUES (?, ?, ?, ?)"
_UPDATE = """
    UPDATE cards SET channel_id = ?, message_id = ?, is_final = ?, is_pinned = ?
    WHERE kind = ? AND subject = ?
"""
_WITHDRAW = "UPDATE cards SET is_withdrawn = 1 WHERE kind = ? AND subject = ?"
_DELETE = "DELETE FROM cards WHERE kind = ? AND subject = ?"
_DELETE_ENDED = "DELETE FROM cards WHERE kind = ? AND is_final = 1 AND is_withdrawn = 0"
_SELECT_WITHDRAWN = "SELECT kind, subject FROM cards WHERE is_withdrawn = 1"
_SELECT_UNFINISHED = """
    SELECT subject FROM cards WHERE kind = ? AND is_final = 0 AND is_withdrawn = 0 ORDER BY rowid
"""


def _kept(row: sqlite3.Row) -> KeptCard:
    return KeptCard(
        nonce=row["nonce"],
        channel_id=row["channel_id"],
        message_id=row["message_id"],
        is_final=bool(row["is_final"]),
        is_pinned=bool(row["is_pinned"]),
        is_withdrawn=bool(row["is_withdrawn"]),
    )
