"""The jobs, and what is told of them: cards and notices."""

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.assembly.ground import Ground
from bot.assembly.servers import Servers
from bot.cards.cards import Cards, keeping_cards
from bot.cards.job_cards import JobCards, show_ends
from bot.conversation.line_status import LINE_CARD
from bot.conversation.notice_places import NoticePlaces
from bot.job_events import JobEvents
from bot.job_news import JobNews
from bot.notices.delivery import (
    NoticeDelivery,
    NoticeFailures,
    deliver_owed,
    delivering_notices,
    known_failures,
)
from bot.notices.spoken_delivery import SpokenNotices
from extensions.jobs.job import Job
from extensions.jobs.job_sheets import JobSheets
from extensions.jobs.manager import JobManager
from extensions.jobs.opening import open_jobs
from extensions.jobs.queue import Places
from extensions.jobs.redacting_backend import RedactingBackend


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The jobs, and what is told of them."""

    jobs: JobManager
    cards: Cards
    job_cards: JobCards
    notices: NoticeDelivery
    lost_notices: NoticeFailures
    spoken: SpokenNotices
    """Of which notices are spoken once there are lines."""

    async def find_job(self, job_id: str) -> Job:
        """Return a job, whoever it belongs to.

        Raises:
            JobNotFoundError: If there is none.
        """
        return await self.jobs.find(job_id, lambda _: True)

    async def tell_what_ended_unheard(self, ground: Ground) -> None:
        """Show and tell what an earlier bot did not come to."""
        stores = ground.stores
        await self.cards.withdraw_unfinished("work")
        lines = {line.id for line in await stores.lines.all()}
        await self.cards.withdraw_unfinished(LINE_CARD, but=lines)
        await show_ends(self.job_cards, stores.cards, self.find_job)
        await deliver_owed(self.notices, stores.notices, self.find_job)


@asynccontextmanager
async def working(ground: Ground, servers: Servers) -> AsyncGenerator[Work, None]:
    """Have jobs run, and told of, while the block lasts; those that run then go on."""
    stores, link, limits = ground.stores, ground.link, ground.config.jobs
    spoken = SpokenNotices()
    lost = await known_failures(stores.notices, now=time.time())
    audience = NoticePlaces(
        stores.sessions, stores.people, ground.access.authorize, owners_known=link.ready
    )
    backend = ground.machine.backend(
        ground.ledger,
        servers.mcp,
        servers.gateway,
        asks_plugins=lambda: ground.hooks.reach_into_claude,
    )
    async with (
        keeping_cards(link.messenger, stores.cards) as cards,
        delivering_notices(
            link.messenger,
            stores.notices,
            job_cards := JobCards(cards),
            audience=audience,
            clock=time.time,
            failures=lost,
            spoken=spoken,
        ) as notices,
        open_jobs(
            ground.database,
            RedactingBackend(backend, ground.redactor.redact),
            ground.callers,
            folder=ground.folder.extensions,
            json_path=ground.folder.extensions_json,
            sheets=JobSheets(ground.folder.run),
            places=Places(
                in_all=limits.limit,
                per_person=limits.limit_per_person,
                per_guild=limits.limit_per_guild,
            ),
            queue_limit=limits.queue_limit,
            spawns_per_minute=limits.spawns_per_minute,
            watcher=JobNews(job_cards, notices, ground.ledger, JobEvents(ground.plugins)),
        ) as jobs,
    ):
        yield Work(
            jobs=jobs,
            cards=cards,
            job_cards=job_cards,
            notices=notices,
            lost_notices=lost,
            spoken=spoken,
        )
