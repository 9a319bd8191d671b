"""Passes on what becomes of jobs: to their cards, and to those who want a notice."""

from bot.cards.job_cards import JobCards
from bot.notices.delivery import NoticeDelivery
from extensions.jobs.job import Job
from extensions.jobs.progress import Progress


class JobNews:
    """Implements `JobWatcher`."""

    def __init__(self, cards: JobCards, notices: NoticeDelivery) -> None:
        self._cards = cards
        self._notices = notices

    def job_changed(self, job: Job, progress: Progress) -> None:
        """Bring the job's card up to date; if it has settled, say so where that is wanted."""
        self._cards.job_changed(job, progress)
        if job.status.is_settled:
            self._notices.job_settled(job)
