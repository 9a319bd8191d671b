"""Keeps the bot's cards true, each in one message that is edited in place."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager

from bot.cards.card import Card, CardKey
from bot.cards.keeper import Keeper, Tools
from bot.cards.store import CardStore
from bot.messenger import MessageRef, Messenger

logger = logging.getLogger(__name__)

_WITHDRAWAL_SECONDS = 10.0
"""How long is waited for the message to go; it goes later all the same."""


class Cards:
    """The cards. Get them from `keeping_cards`."""

    def __init__(self, messenger: Messenger, store: CardStore, tasks: asyncio.TaskGroup) -> None:
        self._tools = Tools(messenger=messenger, store=store)
        self._tasks = tasks
        self._keepers: dict[CardKey, Keeper] = {}
        self._running: set[asyncio.Task[None]] = set()

    def show(self, card: Card) -> None:
        """Have a card look so, soon: it is posted, or its message edited.

        Of what is shown in quick succession the latest alone may be seen. A card whose message
        somebody deleted is not shown again, unless it was withdrawn meanwhile.
        """
        if not self._tools.memory.is_lost(card.key) or card.key in self._keepers:
            self._keeper(card.key).want(card)

    async def ref_of(self, kind: str, subject: str, *, timeout_seconds: float) -> MessageRef | None:
        """Return where a card stands; waits for one that is on its way."""
        key = CardKey(kind=kind, subject=subject)
        if (keeper := self._keepers.get(key)) is not None:
            try:
                async with asyncio.timeout(timeout_seconds):
                    await keeper.posted.wait()
            except TimeoutError:
                logger.warning("card of %s: it was not posted in time", key)
        kept = await self._tools.store.find(key)
        return None if kept is None or kept.is_withdrawn else kept.ref

    async def withdraw(self, kind: str, subject: str) -> None:
        """Have a card deleted and forgotten; shown again, it is posted anew.

        Returns when it is gone, or after some seconds; it is then deleted as soon as that can be,
        by the next bot if need be.
        """
        key = CardKey(kind=kind, subject=subject)
        is_known = await self._tools.store.withdraw(key)
        if not is_known and key not in self._keepers:
            self._tools.memory.forget(key)
            return
        keeper = self._withdraw(key)
        try:
            async with asyncio.timeout(_WITHDRAWAL_SECONDS):
                await keeper.taken_away.wait()
        except TimeoutError:
            logger.warning("card of %s: it could not be deleted in time", key)

    async def withdraw_unfinished(self, kind: str, *, but: Collection[str] = ()) -> None:
        """Have the cards of a kind deleted that an earlier bot left without an end.

        Args:
            kind: Of which kind.
            but: The subjects of those that go on.
        """
        for subject in await self._tools.store.unfinished(kind):
            if subject in but:
                continue
            key = CardKey(kind=kind, subject=subject)
            await self._tools.store.withdraw(key)
            self._withdraw(key)

    async def go_on(self) -> None:
        """Delete what an earlier bot was to delete."""
        for key in await self._tools.store.withdrawn():
            self._withdraw(key)

    def stop(self) -> None:
        """Leave the cards as they are."""
        for task in self._running:
            task.cancel()

    def _withdraw(self, key: CardKey) -> Keeper:
        keeper = self._keeper(key)
        keeper.withdraw()
        return keeper

    def _keeper(self, key: CardKey) -> Keeper:
        keeper = self._keepers.get(key)
        if keeper is None:
            keeper = self._keepers[key] = Keeper(key, self._tools)
            task = self._tasks.create_task(self._keep(key, keeper))
            self._running.add(task)
            task.add_done_callback(self._running.discard)
        return keeper

    async def _keep(self, key: CardKey, keeper: Keeper) -> None:
        try:
            await keeper.run()
        except Exception:  # a card that breaks must not end the others
            logger.exception("card of %s: it broke", key)
        finally:
            keeper.posted.set()
            keeper.taken_away.set()
            del self._keepers[key]


@asynccontextmanager
async def keeping_cards(messenger: Messenger, store: CardStore) -> AsyncGenerator[Cards, None]:
    """Keep cards while the block lasts."""
    async with asyncio.TaskGroup() as tasks:
        cards = Cards(messenger, store, tasks)
        await cards.go_on()
        try:
            yield cards
        finally:
            cards.stop()
