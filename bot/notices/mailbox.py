"""Brings notices to one place, many that come at once in one message."""

import asyncio
import logging
import sqlite3
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from bot.access import Place
from bot.messenger import MessageContent, MessageRef, Messenger, MessengerError, standing
from bot.notices.batch import Addressee, Batch, JobNotice, new_batch
from bot.notices.store import NOT_FOR_ALL, NoticeStore
from extensions.jobs.job import Job

logger = logging.getLogger(__name__)

T = TypeVar("T")

_CARD_TIMEOUT_SECONDS = 10.0
_LONGEST_DISK_PAUSE_SECONDS = 60.0


class Cards(Protocol):
    """Knows where the cards stand."""

    async def ref_of(self, job_id: str, *, timeout_seconds: float) -> MessageRef | None:
        """Return where the job's card stands, if it has one."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticePace:
    """How long notices wait."""

    gather_seconds: float = 0.5
    """For others to the same place, so that many at once become one message."""
    retry_seconds: tuple[float, ...] = (2.0, 5.0, 15.0, 60.0)
    """After each failure; the last is repeated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """What mailboxes bring notices with."""

    messenger: Messenger
    store: NoticeStore
    cards: Cards
    pace: NoticePace
    may_hear: Callable[[Addressee, Job], Awaitable[bool]]
    """Says whether a job may be told of there; it may wait until that can be said."""
    redirect: Callable[[list[JobNotice]], None]
    """Takes notices that are to be brought to people directly."""
    given_up: Callable[[int, str], None]
    """Told of how many notices will never arrive, and why."""


class Mailbox:
    """What one place, or one person, is still to be told."""

    def __init__(self, post: Post) -> None:
        self._post = post
        self._new: list[JobNotice] = []
        self._begun: deque[Batch] = deque()

    def put(self, notice: JobNotice) -> None:
        """Have a notice brought there soon."""
        self._new.append(notice)

    def put_begun(self, batch: Batch) -> None:
        """Have a message brought there that an earlier bot has begun, unless it stands there."""
        self._begun.append(batch)

    async def empty(self) -> None:
        """Bring everything; returns when nothing is left."""
        while self._new or self._begun:
            try:
                await self._bring_next()
            except Exception:  # what breaks must not hold up what comes after it
                logger.exception("a notice broke; it is tried again at the next start")

    async def _bring_next(self) -> None:
        batch = self._begun.popleft() if self._begun else await self._gathered()
        if batch is not None:
            await self._bring(batch)

    async def _gathered(self) -> Batch | None:
        await asyncio.sleep(self._post.pace.gather_seconds)
        gathered, self._new = self._new, []
        fit = [one for one in gathered if await self._may_be_said(one)]
        if unfit := [one.owed for one in gathered if one not in fit]:
            await at_last(lambda: self._post.store.failed(unfit, NOT_FOR_ALL))
        if not fit:
            return None
        batch = new_batch(fit)
        await at_last(lambda: self._post.store.begin(batch.owed))
        return batch

    async def _may_be_said(self, one: JobNotice) -> bool:
        return await at_last(lambda: self._post.may_hear(one.addressee, one.job))

    async def _bring(self, batch: Batch) -> None:
        content, failures = batch.content(), 0
        while True:
            try:
                ref = await self._deliver(batch, content)
            except MessengerError as error:
                if error.is_final:
                    return await self._cannot_be_said_there(batch, error)
                logger.warning("jobs %s: their notice was not delivered: %s", batch.names, error)
                await asyncio.sleep(max(self._pause(failures), error.retry_after_seconds))
                failures += 1
                # The message may stand there all the same.
                batch = replace(batch, may_stand=True)
            else:
                return await self._arrived(batch, ref)

    async def _arrived(self, batch: Batch, ref: MessageRef) -> None:
        await at_last(lambda: self._post.store.arrived(batch.owed, ref))

    async def _deliver(self, batch: Batch, content: MessageContent) -> MessageRef:
        place = await self._place(batch)
        messenger = self._post.messenger
        if batch.may_stand and (ref := await standing(messenger, place, batch.nonce, like=content)):
            return ref
        card = await self._card(batch, place)
        return await messenger.post(place, content, nonce=batch.nonce, reply_to=card)

    async def _place(self, batch: Batch) -> Place:
        owed = batch.notices[0].owed
        if owed.is_direct and owed.person_id is not None:
            return await self._post.messenger.direct_messages(owed.person_id)
        return owed.place

    async def _card(self, batch: Batch, place: Place) -> MessageRef | None:
        job = batch.single_job
        if job is None or job.origin.channel_id != place.channel_id:
            return None
        return await self._post.cards.ref_of(job.id, timeout_seconds=_CARD_TIMEOUT_SECONDS)

    async def _cannot_be_said_there(self, batch: Batch, error: MessengerError) -> None:
        """Have each person told who asked, if there is another way to them."""
        told, lost = _divided(batch)
        if told:
            redirected = [replace(one, owed=one.owed.redirected()) for one in told]
            await at_last(lambda: self._post.store.begin([one.owed for one in redirected]))
            logger.warning("jobs %s: %s; it is said directly", batch.names, error)
            self._post.redirect(redirected)
        if lost:
            owed = [one.owed for one in lost]
            await at_last(lambda: self._post.store.failed(owed, error.reason))
            for one in lost:
                logger.error("job %s: its notice cannot be delivered: %s", one.job.id, error)
            self._post.given_up(len(lost), error.reason)

    def _pause(self, failures: int) -> float:
        pauses = self._post.pace.retry_seconds
        return pauses[min(failures, len(pauses) - 1)]


def _divided(batch: Batch) -> tuple[list[JobNotice], list[JobNotice]]:
    """Return those that can still be told directly, and those that cannot."""

    def is_another_way(one: JobNotice) -> bool:
        is_in_guild = one.owed.place.guild_id is not None
        return is_in_guild and not one.owed.is_direct and one.owed.person_id is not None

    told = [one for one in batch.notices if is_another_way(one)]
    return told, [one for one in batch.notices if not is_another_way(one)]


async def at_last(work: Callable[[], Awaitable[T]]) -> T:
    """Do `work` in the database, however long it takes until the disk takes it."""
    pause = 1.0
    while True:
        try:
            return await work()
        except sqlite3.Error:
            logger.exception("what is known of a notice cannot be stored; trying again")
        await asyncio.sleep(pause)
        pause = min(2 * pause, _LONGEST_DISK_PAUSE_SECONDS)
