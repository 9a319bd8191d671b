"""The cards of jobs: posted when a job is new, edited in place as it gets on."""

from collections.abc import Awaitable, Callable
from contextlib import suppress

from bot.access import Place
from bot.cards.card import Card
from bot.cards.cards import Cards
from bot.cards.job_card import job_card
from bot.cards.store import CardStore
from bot.messenger import MessageRef
from extensions.errors import JobNotFoundError
from extensions.jobs.job import Job
from extensions.jobs.progress import Progress

JOB_CARD = "job"
"""The kind of these cards; their subjects are the ids of the jobs."""


class JobCards:
    """Keeps a card for each job."""

    def __init__(self, cards: Cards) -> None:
        self._cards = cards

    def job_changed(self, job: Job, progress: Progress) -> None:
        """Bring the job's card up to date, soon."""
        place = Place(guild_id=job.origin.guild_id, channel_id=job.origin.channel_id)
        card = Card(
            kind=JOB_CARD,
            subject=job.id,
            place=place,
            content=job_card(job, progress),
            is_final=job.status.is_settled,
        )
        self._cards.show(card)

    async def ref_of(self, job_id: str, *, timeout_seconds: float) -> MessageRef | None:
        """Return where the job's card stands; waits for one that is on its way."""
        return await self._cards.ref_of(JOB_CARD, job_id, timeout_seconds=timeout_seconds)


async def show_ends(
    cards: JobCards, store: CardStore, find_job: Callable[[str], Awaitable[Job]]
) -> None:
    """Bring the cards up to date whose jobs ended when no bot was there to show it."""
    for job_id in await store.unfinished(JOB_CARD):
        with suppress(JobNotFoundError):
            job = await find_job(job_id)
            if job.status.is_settled:
                cards.job_changed(job, Progress())
