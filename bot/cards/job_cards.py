"""Keeps each job's card true: posted when the job is new, edited in place as it gets on."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from bot.access import Place
from bot.cards.job_card import job_card
from bot.cards.store import CardStore
from bot.messenger import MessageContent, MessageRef, Messenger, MessengerError
from extensions.errors import JobNotFoundError
from extensions.jobs.job import Job
from extensions.jobs.progress import Progress

logger = logging.getLogger(__name__)

SECONDS_BETWEEN_EDITS = 2.0
"""Cards share a channel's allowance of edits with the answers, which come first."""

_RETRY_SECONDS = 5.0
_MOST_ATTEMPTS_ONCE_SETTLED = 20


@dataclass(slots=True)
class _Card:
    """What is known of one card."""

    job: Job
    progress: Progress
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    posted: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once the card stands in its channel, or will never do."""


class JobCards:
    """The cards of the jobs that are not settled. Get them from `keeping_job_cards`."""

    def __init__(self, messenger: Messenger, store: CardStore, tasks: asyncio.TaskGroup) -> None:
        self._messenger = messenger
        self._store = store
        self._tasks = tasks
        self._cards: dict[str, _Card] = {}
        self._keepers: set[asyncio.Task[None]] = set()

    def job_changed(self, job: Job, progress: Progress) -> None:
        """Bring the job's card up to date, soon."""
        card = self._cards.get(job.id)
        if card is None:
            card = self._cards[job.id] = _Card(job, progress)
            keeper = self._tasks.create_task(self._keep(card))
            self._keepers.add(keeper)
            keeper.add_done_callback(self._keepers.discard)
        card.job, card.progress = job, progress
        card.changed.set()

    async def ref_of(self, job_id: str, *, timeout_seconds: float) -> MessageRef | None:
        """Return where the job's card stands; waits for one that is on its way."""
        if (card := self._cards.get(job_id)) is not None:
            try:
                async with asyncio.timeout(timeout_seconds):
                    await card.posted.wait()
            except TimeoutError:
                logger.warning("job %s: its card was not posted in time", job_id)
        return await self._store.find(job_id)

    def stop(self) -> None:
        """Leave the cards as they are."""
        for keeper in self._keepers:
            keeper.cancel()

    async def _keep(self, card: _Card) -> None:
        try:
            await self._keep_true(card)
        except Exception:  # a card that breaks must not end the others
            logger.exception("job %s: its card broke", card.job.id)
        finally:
            card.posted.set()
            del self._cards[card.job.id]

    async def _keep_true(self, card: _Card) -> None:
        ref = await self._store.find(card.job.id)
        shown: MessageContent | None = None
        attempts = 0
        # A card whose place was not stored may stand there all the same, with an earlier text.
        may_stand = card.job.status.is_settled
        while True:
            await card.changed.wait()
            card.changed.clear()
            job, content = card.job, job_card(card.job, card.progress)
            try:
                if content != shown:
                    ref = await self._show(card, ref, content, may_stand=may_stand)
                    await self._store.is_final(job.id, is_final=job.status.is_settled)
                    shown, attempts = content, 0
            except MessengerError as error:
                logger.warning("job %s: %s", card.job.id, error)
                if error.is_final:
                    await _until_settled(card)
                    await self._store.is_final(job.id, is_final=True)
                    return
                attempts, may_stand = attempts + 1, True
                card.changed.set()
                if card.job.status.is_settled and attempts >= _MOST_ATTEMPTS_ONCE_SETTLED:
                    return
                await asyncio.sleep(max(_RETRY_SECONDS, error.retry_after_seconds))
                continue
            # It may have settled, or gone on again, while it was being shown.
            if card.job.status.is_settled and not card.changed.is_set():
                return
            await asyncio.sleep(SECONDS_BETWEEN_EDITS)

    async def _show(
        self, card: _Card, ref: MessageRef | None, content: MessageContent, *, may_stand: bool
    ) -> MessageRef:
        is_known = ref is not None
        if ref is None:
            origin = card.job.origin
            place = Place(guild_id=origin.guild_id, channel_id=origin.channel_id)
            ref = await self._messenger.post(place, content, nonce=f"card-{card.job.id}")
            await self._store.save(card.job.id, ref)
        if is_known or may_stand:
            await self._messenger.edit(ref, content)
        card.posted.set()
        return ref


async def _until_settled(card: _Card) -> None:
    """Show nothing any more: the card is gone, or its channel is closed to the bot."""
    card.posted.set()
    while not card.job.status.is_settled:
        await card.changed.wait()
        card.changed.clear()


async def show_ends(
    cards: JobCards, store: CardStore, find_job: Callable[[str], Awaitable[Job]]
) -> None:
    """Bring the cards up to date whose jobs ended when no bot was there to show it."""
    for job_id in await store.unfinished():
        with suppress(JobNotFoundError):
            job = await find_job(job_id)
            if job.status.is_settled:
                cards.job_changed(job, Progress())


@asynccontextmanager
async def keeping_job_cards(
    messenger: Messenger, store: CardStore
) -> AsyncGenerator[JobCards, None]:
    """Keep cards while the block lasts."""
    async with asyncio.TaskGroup() as tasks:
        cards = JobCards(messenger, store, tasks)
        try:
            yield cards
        finally:
            cards.stop()
