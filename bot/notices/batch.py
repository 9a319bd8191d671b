"""Notices that are said in one message. Pure."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.access import Place
from bot.messenger import MessageContent
from bot.notices.notice import notice, notice_of_many, told_directly
from bot.notices.store import OwedNotice
from extensions.jobs.job import Job


@dataclass(frozen=True, slots=True, kw_only=True)
class Addressee:
    """Who wants to hear of a job."""

    place: Place
    person_id: int | None
    """Who asked for the job, and is told directly if it cannot be said there; `None` where the
    jobs of everyone are told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobNotice:
    """A notice that is owed, and the job as it is to be told of."""

    owed: OwedNotice
    job: Job

    @property
    def addressee(self) -> Addressee:
        """Who is told."""
        return Addressee(place=self.owed.place, person_id=self.owed.person_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Notices that are said in one message; never empty."""

    notices: tuple[JobNotice, ...]
    nonce: str
    may_stand: bool
    """Whether the message may stand there already."""

    @property
    def owed(self) -> list[OwedNotice]:
        """What is owed, as it is said in this message."""
        return [one.owed.begun(self.nonce) for one in self.notices]

    @property
    def single_job(self) -> Job | None:
        """The job, if it is about one alone."""
        return self.notices[0].job if len(self.notices) == 1 else None

    @property
    def names(self) -> str:
        """The ids of the jobs, for the log."""
        return ", ".join(one.owed.job_id for one in self.notices)

    def content(self) -> MessageContent:
        """Return what the message holds; it is the same at each attempt."""
        single = self.single_job
        said = notice(single) if single else notice_of_many([one.job for one in self.notices])
        return told_directly(said) if self.notices[0].owed.is_direct else said


def new_batch(notices: Sequence[JobNotice]) -> Batch:
    """Return notices that were not begun yet, as one message."""
    return Batch(notices=tuple(notices), nonce=nonce_of(notices), may_stand=False)


def begun_batches(notices: Iterable[JobNotice]) -> list[Batch]:
    """Return notices that an earlier bot has begun, in the messages that it chose for them."""
    by_nonce: dict[str, list[JobNotice]] = {}
    for one in notices:
        by_nonce.setdefault(one.owed.nonce or "", []).append(one)
    return [
        Batch(notices=tuple(together), nonce=nonce, may_stand=True)
        for nonce, together in by_nonce.items()
    ]


def nonce_of(notices: Iterable[JobNotice]) -> str:
    """Return the nonce of the message that says them, and of no other in any channel."""
    keys = [
        f"{one.owed.job_id}-{one.owed.run_number}@{one.owed.place.channel_id}"
        f"{' directly' if one.owed.is_direct else ''}"
        for one in notices
    ]
    digest = hashlib.blake2b("\n".join(sorted(keys)).encode(), digest_size=9).hexdigest()
    return f"notice-{digest}"
