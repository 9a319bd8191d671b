"""Passes on what becomes of jobs: to cards, to whom wants a notice, to plugins, to the ledger."""

from bot.cards.job_cards import JobCards
from bot.job_events import JobEvents
from bot.notices.delivery import NoticeDelivery
from extensions.callers import Caller, CallerKind
from extensions.jobs.job import Job, JobStatus
from extensions.jobs.progress import Progress
from extensions.server.ledger import AnswerLedger


class JobNews:
    """Implements `JobWatcher`."""

    def __init__(
        self, cards: JobCards, notices: NoticeDelivery, ledger: AnswerLedger, events: JobEvents
    ) -> None:
        self._cards = cards
        self._notices = notices
        self._ledger = ledger
        self._events = events

    def job_changed(self, job: Job, progress: Progress) -> None:
        """Bring the job's card up to date; if it has settled, say so where that is wanted."""
        self._events.job_changed(job)
        # One whose record was lost was asked for nowhere that is known.
        if job.origin.is_known:
            self._cards.job_changed(job, progress)
        if job.status.is_settled:
            self._notices.job_settled(job)
        if job.status.is_settled or job.status is JobStatus.QUEUED:
            # What its last run was answered says nothing of the next.
            self._ledger.forget(Caller(CallerKind.JOB, job.id))
