"""Has each settled job announced, once in each place that wants to hear of it.

On a voice line it is spoken. What is not heard to its end is written in the channel; where that is
not possible, to the person who asked for the job.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Protocol

from bot.access import Person
from bot.messenger import Messenger
from bot.notices.batch import Addressee, JobNotice, begun_batches
from bot.notices.mailbox import Cards, Mailbox, NoticePace, Post, at_last
from bot.notices.spoken_delivery import SpokenNotices
from bot.notices.store import SUPERSEDED, FailedNotices, NoticeStore, OwedNotice
from extensions.errors import JobNotFoundError
from extensions.jobs.job import Job

logger = logging.getLogger(__name__)

_MOST_REMEMBERED = 10_000

_FAILURES_KNOWN_SECONDS = 7 * 24 * 3600.0


class Audience(Protocol):
    """Knows who wants to hear of jobs."""

    async def addressees(self, job: Job) -> Sequence[Addressee]:
        """Return who may want to hear that a job has settled, each place once."""
        ...

    async def may_hear(self, addressee: Addressee, job: Job) -> bool:
        """Say whether a job may be told of there; it may wait until that can be said."""
        ...

    def may_listen(self, addressee: Addressee, job: Job, people: Sequence[Person]) -> bool:
        """Say whether a job may be told of there aloud, before those people."""
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
        audience: Audience,
        clock: Callable[[], float],
        pace: NoticePace,
        failures: "NoticeFailures",
        spoken: SpokenNotices | None,
    ) -> None:
        self._spoken = spoken
        self._post = Post(
            messenger=messenger,
            store=store,
            cards=cards,
            pace=pace,
            may_hear=audience.may_hear,
            redirect=self.deliver,
            given_up=failures.add,
        )
        self._tasks = tasks
        self._audience = audience
        self._clock = clock
        self._mailboxes: dict[tuple[bool, int], Mailbox] = {}
        self._taken: OrderedDict[tuple[str, int, int, bool], None] = OrderedDict()
        self._running: set[asyncio.Task[None]] = set()

    def job_settled(self, job: Job) -> None:
        """Have a notice of `job` brought to wherever it is wanted."""
        self._start(_supervised(job, self._settle(job)))

    def deliver(self, notices: Iterable[JobNotice]) -> None:
        """Have notices brought to their places, in writing."""
        self._write(filter(self._is_new, notices))

    def stop(self) -> None:
        """Leave what has not arrived to the next start."""
        for task in self._running:
            task.cancel()

    def _write(self, notices: Iterable[JobNotice]) -> None:
        by_place: dict[tuple[bool, int], list[JobNotice]] = {}
        for one in notices:
            by_place.setdefault(_where(one.owed), []).append(one)
        for where, together in by_place.items():
            self._put(where, together)

    async def _settle(self, job: Job) -> None:
        addressees = await at_last(lambda: self._audience.addressees(job))
        owed = [
            OwedNotice(
                job_id=job.id, run_number=job.run_number, place=one.place, person_id=one.person_id
            )
            for one in addressees
        ]
        # It may settle twice for us: once more at the next start, if the bot stopped right then.
        new = await at_last(lambda: self._post.store.owe(owed, at=self._clock()))
        for notice in filter(self._is_new, [JobNotice(owed=one, job=job) for one in new]):
            self._start(_supervised(job, self._tell(notice)))

    async def _tell(self, notice: JobNotice) -> None:
        """Say it aloud where a line is open; where it was not heard to its end, write it."""
        if await self._was_heard(notice):
            await at_last(lambda: self._post.store.heard(notice.owed, at=self._clock()))
        else:
            self._write([notice])

    async def _was_heard(self, notice: JobNotice) -> bool:
        spoken, addressee, job = self._spoken, notice.addressee, notice.job
        if spoken is None or not spoken.has_line(addressee.place):
            return False
        if not await at_last(lambda: self._audience.may_hear(addressee, job)):
            return False
        return await spoken.heard(
            notice, lambda one, people: self._audience.may_listen(one.addressee, one.job, people)
        )

    def _is_new(self, notice: JobNotice) -> bool:
        """Say whether it was not taken before; at a start it may be owed and settle at once."""
        owed = notice.owed
        key = (owed.job_id, owed.run_number, owed.place.channel_id, owed.is_direct)
        if key in self._taken:
            return False
        self._taken[key] = None
        if len(self._taken) > _MOST_REMEMBERED:
            self._taken.popitem(last=False)
        return True

    def _put(self, where: tuple[bool, int], notices: list[JobNotice]) -> None:
        mailbox = self._mailboxes.get(where)
        is_new = mailbox is None
        mailbox = mailbox or Mailbox(self._post)
        for batch in begun_batches(one for one in notices if one.owed.nonce is not None):
            mailbox.put_begun(batch)
        for one in notices:
            if one.owed.nonce is None:
                mailbox.put(one)
        if is_new:
            self._mailboxes[where] = mailbox
            self._start(self._empty(where, mailbox))

    async def _empty(self, where: tuple[bool, int], mailbox: Mailbox) -> None:
        try:
            await mailbox.empty()
        finally:
            del self._mailboxes[where]

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = self._tasks.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)


class NoticeFailures:
    """Keeps count of the notices that never arrived, of the last seven days."""

    def __init__(self, known: FailedNotices) -> None:
        self.known = known

    def add(self, count: int, reason: str) -> None:
        """Count some more."""
        self.known = FailedNotices(count=self.known.count + count, newest_reason=reason)


def _where(owed: OwedNotice) -> tuple[bool, int]:
    """Return what tells the mailbox of one place, or of one person, from the others."""
    if owed.is_direct and owed.person_id is not None:
        return True, owed.person_id
    return False, owed.place.channel_id


async def _supervised(job: Job, work: Awaitable[None]) -> None:
    try:
        await work
    except Exception:  # a notice that breaks must not end the others
        logger.exception("job %s: its notice broke", job.id)


@asynccontextmanager
async def delivering_notices(
    messenger: Messenger,
    store: NoticeStore,
    cards: Cards,
    *,
    audience: Audience,
    clock: Callable[[], float],
    pace: NoticePace | None = None,
    failures: NoticeFailures,
    spoken: SpokenNotices | None = None,
) -> AsyncGenerator[NoticeDelivery, None]:
    """Deliver notices while the block lasts.

    Args:
        messenger: What carries them.
        store: What keeps account of them.
        cards: Where they are replies to.
        audience: Says who wants to hear of a job that has settled.
        clock: Gives Unix time, in seconds.
        pace: How long they wait.
        failures: Told of those that will never arrive.
        spoken: Speaks them where a voice line is open; without it, all are written.
    """
    async with asyncio.TaskGroup() as tasks:
        delivery = NoticeDelivery(
            messenger,
            store,
            cards,
            tasks,
            audience=audience,
            clock=clock,
            pace=pace or NoticePace(),
            failures=failures,
            spoken=spoken,
        )
        try:
            yield delivery
        finally:
            delivery.stop()


async def known_failures(store: NoticeStore, *, now: float) -> NoticeFailures:
    """Return the count of what earlier bots could not deliver."""
    return NoticeFailures(await store.failures(since=now - _FAILURES_KNOWN_SECONDS))


async def deliver_owed(
    delivery: NoticeDelivery, store: NoticeStore, find_job: Callable[[str], Awaitable[Job]]
) -> None:
    """Start the delivery of what an earlier bot owed."""
    notices: list[JobNotice] = []
    for owed in await store.owed():
        try:
            job = await find_job(owed.job_id)
        except JobNotFoundError:
            logger.warning("job %s: a notice is owed, but the job is gone", owed.job_id)
            await store.failed([owed], "the job is gone")
            continue
        if job.run_number != owed.run_number or not job.status.is_settled:
            await store.failed([owed], SUPERSEDED)
            continue
        notices.append(JobNotice(owed=owed, job=job))
    delivery.deliver(notices)
