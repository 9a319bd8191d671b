"""Keeps one card true: posts it, edits it, pins it, and takes it away."""

import asyncio
import logging
import sqlite3
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field, replace

from bot.access import Place
from bot.cards.card import SECONDS_BETWEEN_EDITS, Card, CardKey, EditPace
from bot.cards.store import CardStore, KeptCard
from bot.messenger import MessageContent, MessageRef, Messenger, MessengerError, standing

logger = logging.getLogger(__name__)

_FIRST_RETRY_SECONDS = 5.0
_LONGEST_RETRY_SECONDS = 60.0
_MOST_ATTEMPTS_ONCE_FINAL = 60
"""Then it is left to the next start."""
_MOST_REMEMBERED = 1000


class Memory:
    """What the cards were seen to hold, of those that changed last."""

    def __init__(self) -> None:
        self._shown: OrderedDict[CardKey, MessageContent | None] = OrderedDict()

    def shown(self, key: CardKey) -> MessageContent | None:
        """Return what a card holds, if that is known."""
        return self._shown.get(key)

    def is_lost(self, key: CardKey) -> bool:
        """Say whether a card cannot be shown any more: somebody deleted it, or closed the place."""
        return key in self._shown and self._shown[key] is None

    def remember(self, key: CardKey, content: MessageContent | None) -> None:
        """Remember what a card holds; `None`: it cannot be shown any more."""
        self._shown[key] = content
        self._shown.move_to_end(key)
        if len(self._shown) > _MOST_REMEMBERED:
            self._shown.popitem(last=False)

    def forget(self, key: CardKey) -> None:
        """Forget a card."""
        self._shown.pop(key, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What cards are kept with."""

    messenger: Messenger
    store: CardStore
    pace: EditPace = field(default_factory=EditPace)
    memory: Memory = field(default_factory=Memory)


class Keeper:
    """Keeps one card as it is wanted, until it is so."""

    def __init__(self, key: CardKey, tools: Tools) -> None:
        self._key = key
        self._tools = tools
        self._wanted: Card | None = None
        self._is_withdrawn = False
        self._kept: KeptCard | None = None
        self._changed = asyncio.Event()
        self._hurry = asyncio.Event()
        self.posted = asyncio.Event()
        """Set once the card stands in its place, or will not."""
        self.taken_away = asyncio.Event()
        """Set once it was withdrawn and is gone."""

    def want(self, card: Card) -> None:
        """Have the card look so, soon."""
        self._wanted = card
        self._changed.set()

    def withdraw(self) -> None:
        """Have the card taken away, at once."""
        self._wanted = None
        self._is_withdrawn = True
        self.taken_away.clear()
        self._changed.set()
        self._hurry.set()

    async def run(self) -> None:
        """Do what is wanted; returns when there is nothing left to do."""
        failures = 0
        while self._changed.is_set():
            self._changed.clear()
            self._hurry.clear()
            try:
                pause = SECONDS_BETWEEN_EDITS if await self._bring() else 0.0
                failures = 0
            except (MessengerError, sqlite3.Error) as error:
                failures += 1
                logger.warning("card of %s: %s", self._key, error)
                if isinstance(error, MessengerError) and error.is_final:
                    pause = await self._lost()
                elif self._is_hopeless(failures):
                    return
                else:
                    pause = self._retry(error, failures)
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._hurry.wait()

    def _is_hopeless(self, failures: int) -> bool:
        is_final = self._wanted is not None and self._wanted.is_final
        return is_final and failures >= _MOST_ATTEMPTS_ONCE_FINAL

    def _retry(self, error: MessengerError | sqlite3.Error, failures: int) -> float:
        """Return when to try again; the other cards there wait as long as Discord says."""
        self._changed.set()
        pause = min(_FIRST_RETRY_SECONDS * 2.0 ** min(failures - 1, 10), _LONGEST_RETRY_SECONDS)
        if not isinstance(error, MessengerError):
            return pause
        if error.retry_after_seconds and self._kept is not None:
            now = asyncio.get_running_loop().time()
            self._tools.pace.hold(self._kept.channel_id, error.retry_after_seconds, now=now)
        return max(pause, error.retry_after_seconds)

    async def _lost(self) -> float:
        """Show nothing any more: the message is gone, or its channel is closed to the bot."""
        self._tools.memory.remember(self._key, None)
        self.posted.set()
        await self._save(is_final=True)
        return 0.0

    async def _bring(self) -> bool:
        """Bring the card to what is wanted, and say whether its message was changed."""
        if self._kept is None:
            self._kept = await self._tools.store.find(self._key)
        if self._is_withdrawn or (self._kept is not None and self._kept.is_withdrawn):
            await self._take_away()
        if self._wanted is None or self._tools.memory.is_lost(self._key):
            self.posted.set()
            return False
        return await self._show(self._wanted)

    async def _show(self, card: Card) -> bool:
        is_new = self._kept is None
        if self._kept is None:
            self._kept = await self._tools.store.begin(card)
        if not card.is_final:
            # Before it is shown: else the next start would not know that it has to be ended.
            await self._save(is_final=False)
        ref, has_changed = self._kept.ref, False
        if ref is None:
            ref, has_changed = await self._post(card, self._kept, is_new=is_new), True
        self.posted.set()
        if self._tools.memory.shown(self._key) != card.content:
            edited, has_changed = await self._edit(ref), True
            if edited is None:
                return has_changed
            card = edited
        await self._pin(ref, wanted=card.is_pinned)
        await self._save(is_final=card.is_final)
        return has_changed

    async def _post(self, card: Card, kept: KeptCard, *, is_new: bool) -> MessageRef:
        """Return where the card stands; it may, if an attempt to post it came to nothing."""
        messenger = self._tools.messenger
        found = None if is_new else await self._standing(kept, card.content)
        ref = found or await messenger.post(
            card.place, card.content, nonce=kept.nonce, reply_to=card.reply_to
        )
        if is_new:
            self._tools.memory.remember(self._key, card.content)
        posted = replace(kept, channel_id=ref.channel_id, message_id=ref.message_id)
        await self._tools.store.save(self._key, posted)
        self._kept = posted
        return ref

    async def _standing(self, kept: KeptCard, content: MessageContent | None) -> MessageRef | None:
        place = Place(guild_id=None, channel_id=kept.channel_id)
        return await standing(self._tools.messenger, place, kept.nonce, like=content)

    async def _edit(self, ref: MessageRef) -> Card | None:
        """Edit the card when it is its turn, and return how it looks then."""
        now = asyncio.get_running_loop().time()
        await asyncio.sleep(self._tools.pace.wait(ref.channel_id, now=now))
        card = self._wanted
        if card is not None:
            await self._tools.messenger.edit(ref, card.content)
            self._tools.memory.remember(self._key, card.content)
        return card

    async def _pin(self, ref: MessageRef, *, wanted: bool) -> None:
        if self._kept is None or self._kept.is_pinned == wanted:
            return
        messenger = self._tools.messenger
        try:
            await (messenger.pin(ref) if wanted else messenger.unpin(ref))
        except MessengerError as error:
            logger.warning("card of %s: it was not pinned or unpinned: %s", self._key, error)
            if not error.is_final:
                return
        await self._save(is_pinned=wanted)

    async def _take_away(self) -> None:
        kept = self._kept
        if kept is not None:
            content = self._tools.memory.shown(self._key)
            ref = kept.ref or await self._standing(kept, content)
            try:
                if ref is not None:
                    await self._tools.messenger.delete(ref)
            except MessengerError as error:
                if not error.is_final:
                    raise
                logger.warning("card of %s: it was not deleted: %s", self._key, error)
            await self._tools.store.forget(self._key)
        self._kept, self._is_withdrawn = None, False
        self._tools.memory.forget(self._key)
        self.taken_away.set()

    async def _save(self, *, is_final: bool | None = None, is_pinned: bool | None = None) -> None:
        """Store how the card stands, if that has changed."""
        if (kept := self._kept) is None:
            return
        wanted = replace(
            kept,
            is_final=kept.is_final if is_final is None else is_final,
            is_pinned=kept.is_pinned if is_pinned is None else is_pinned,
        )
        if wanted != kept:
            await self._tools.store.save(self._key, wanted)
            self._kept = wanted
