"""Brings each notice to its place, once."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Protocol

from bot.access import Place
from bot.messenger import MessageRef, Messenger, MessengerError
from bot.notices.notice import notice
from bot.notices.store import NoticeStore, OwedNotice
from extensions.errors import JobNotFoundError
from extensions.jobs.job import Job

logger = logging.getLogger(__name__)

_RETRY_SECONDS = (2.0, 5.0, 15.0, 60.0)
"""How long to wait after each failure; the last is repeated."""
_CARD_TIMEOUT_SECONDS = 10.0


class Cards(Protocol):
    """Knows where the cards stand."""

    async def ref_of(self, job_id: str, *, timeout_seconds: float) -> MessageRef | None:
        """Return where the job's card stands, if it has one."""
        ...


class NoticeDelivery:
    """Delivers notices. Get it from `delivering_notices`."""

    def __init__(
        self,
        messenger: Messenger,
        store: NoticeStore,
        cards: Cards,
        tasks: asyncio.TaskGroup,
        *,
        wants_notices: Callable[[str], Awaitable[bool]],
        clock: Callable[[], float],
    ) -> None:
        self._messenger = messenger
        self._store = store
        self._cards = cards
        self._tasks = tasks
        self._wants_notices = wants_notices
        self._clock = clock
        self._deliveries: set[asyncio.Task[None]] = set()

    def job_settled(self, job: Job) -> None:
        """Have a notice of `job` brought to where it was asked for, if it is wanted there."""
        self._start(self._settle(job))

    def deliver(self, owed: OwedNotice, job: Job) -> None:
        """Have a notice that an earlier bot owed brought to its place, unless it stands there."""
        self._start(self._deliver(owed, job, may_stand=True))

    def stop(self) -> None:
        """Leave what has not arrived to the next start."""
        for delivery in self._deliveries:
            delivery.cancel()

    def _start(self, delivery: Awaitable[None]) -> None:
        task = self._tasks.create_task(_supervised(delivery))
        self._deliveries.add(task)
        task.add_done_callback(self._deliveries.discard)

    async def _settle(self, job: Job) -> None:
        if not await self._wants_notices(job.origin.session_id):
            return
        place = Place(guild_id=job.origin.guild_id, channel_id=job.origin.channel_id)
        owed = OwedNotice(job_id=job.id, place=place)
        # It may settle twice for us: once more at the next start, if the bot stopped right then.
        if await self._store.owe(owed, at=self._clock()):
            await self._deliver(owed, job, may_stand=False)

    async def _deliver(self, owed: OwedNotice, job: Job, *, may_stand: bool) -> None:
        card = await self._cards.ref_of(job.id, timeout_seconds=_CARD_TIMEOUT_SECONDS)
        failures = 0
        while True:
            try:
                ref = await self._post(owed.place, job, card=card, may_stand=may_stand)
            except MessengerError as error:
                logger.warning("job %s: its notice was not delivered: %s", job.id, error)
                await asyncio.sleep(_RETRY_SECONDS[min(failures, len(_RETRY_SECONDS) - 1)])
                failures += 1
                may_stand = True
            else:
                await self._store.arrived(owed, ref)
                return

    async def _post(
        self, place: Place, job: Job, *, card: MessageRef | None, may_stand: bool
    ) -> MessageRef:
        nonce = f"notice-{job.id}"
        # After a failure, or a crash, the message may stand there all the same.
        if may_stand and (ref := await self._messenger.find(place, nonce)) is not None:
            return ref
        return await self._messenger.post(place, notice(job), nonce=nonce, reply_to=card)


async def _supervised(delivery: Awaitable[None]) -> None:
    try:
        await delivery
    except Exception:  # a notice that breaks must not end the others
        logger.exception("a notice broke")


@asynccontextmanager
async def delivering_notices(
    messenger: Messenger,
    store: NoticeStore,
    cards: Cards,
    *,
    wants_notices: Callable[[str], Awaitable[bool]],
    clock: Callable[[], float],
) -> AsyncGenerator[NoticeDelivery, None]:
    """Deliver notices while the block lasts."""
    async with asyncio.TaskGroup() as tasks:
        delivery = NoticeDelivery(
            messenger, store, cards, tasks, wants_notices=wants_notices, clock=clock
        )
        try:
            yield delivery
        finally:
            delivery.stop()


async def deliver_owed(
    delivery: NoticeDelivery, store: NoticeStore, find_job: Callable[[str], Awaitable[Job]]
) -> None:
    """Start the delivery of what an earlier bot owed."""
    for owed in await store.owed():
        try:
            job = await find_job(owed.job_id)
        except JobNotFoundError:
            logger.warning("job %s: a notice is owed, but the job is gone", owed.job_id)
            continue
        delivery.deliver(owed, job)
