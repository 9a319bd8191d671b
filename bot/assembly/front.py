"""What people call, and what they are told: tools, commands, presence, the control socket."""

import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from bot.assembly.ground import Ground
from bot.assembly.plugins import Plugins
from bot.assembly.servers import Servers
from bot.assembly.talk import Talk
from bot.assembly.work import Work
from bot.control.job_routes import job_routes
from bot.control.server import serving_control
from bot.conversation.file_tool import file_tool
from bot.conversation.front_desk import FrontDesk, Office, open_front_desk
from bot.conversation.job_rights import JobRights
from bot.conversation.routing import Routing
from bot.desks import Desks
from bot.health import Health
from bot.job_pruning import JobPruning
from bot.plugin_services.ui_questions import PURPOSE as PLUGIN_PURPOSE
from bot.presence import keeping_presence
from bot.session_pruning import SessionPruning
from bot.spending.costs import KEPT_SECONDS
from extensions.jobs.pruning import PruneReport, pruning_daily
from extensions.jobs.tools import job_tools

_QUESTION_SECONDS = 7 * 86_400.0
"""For how long it is kept what plugins asked people; they ask often."""


def offer_tools(ground: Ground, work: Work, talk: Talk) -> None:
    """Offer speakers and jobs the tools of the bot."""
    rights = JobRights(ground.access.authorize, talk.conversations, refusal=ground.machine.refusal)
    for tool in job_tools(work.jobs, rights):
        ground.registry.offer(tool)
    ground.registry.offer(
        file_tool(
            talk.conversations,
            work.jobs,
            ground.link.messenger,
            ground.folder.sessions,
            authorize=ground.access.authorize,
        )
    )


@asynccontextmanager
async def open_front(
    ground: Ground, servers: Servers, work: Work, talk: Talk, plugins: Plugins
) -> AsyncGenerator[FrontDesk, None]:
    """Yield what takes all that people do; the control socket and what is shown go with it."""
    health = Health(
        started_at=ground.started_at,
        claude=ground.claude,
        jail_reason=ground.machine.jail_reason,
        mcp_url=servers.mcp.url,
        discord=ground.link,
        jobs=work.jobs,
        conversations=talk.conversations,
        lost_notices=work.lost_notices,
        costs=ground.stores.costs,
    )
    pruning = JobPruning(
        ground.database,
        ground.folder,
        ground.config.jobs,
        is_live=work.jobs.is_live,
        clock=time.time,
    )
    routes = [*job_routes(work.jobs, pruning.prune), *plugins.routes]
    async with (
        serving_control(ground.folder.control_socket, health.report, routes=routes),
        pruning_daily(_all_that_is_old(ground, pruning)),
        keeping_presence(ground.link.show_presence, health.presence),
    ):
        yield _front_desk(ground, work, talk, plugins, health)


def _front_desk(
    ground: Ground, work: Work, talk: Talk, plugins: Plugins, health: Health
) -> FrontDesk:
    stores, link, access = ground.stores, ground.link, ground.access
    routing = Routing(
        is_bound=stores.bound.is_bound,
        owns_thread=talk.conversations.owns_thread,
        has_line=talk.lines.is_open_in,
    )
    desks = Desks(
        access=access,
        config=ground.config,
        clock=time.time,
        messenger=link.messenger,
        conversations=talk.conversations,
        sessions=stores.sessions,
        session_changed=talk.session_cards.session_changed,
        bound=stores.bound,
        hears_all=routing.hears_all,
        jobs=work.jobs,
        find_job=work.find_job,
        job_cards=work.job_cards,
        run_folder=ground.folder.run,
        job_refusal=ground.machine.refusal,
        asker=talk.asker,
        refusal_of=talk.pool.refusal_of,
        describe_bot=health.described,
        mention=link.mention,
        lines=talk.lines,
        list_voices=talk.voice.list_voices,
        others=plugins.offers,
        added_commands=lambda: ground.offered_commands.added,
    )
    office = Office(
        authorize=access.authorize,
        conversations=talk.conversations,
        messages=stores.messages,
        jobs=work.jobs,
        messenger=link.messenger,
        history=link.history,
        hearing=stores.hearing,
        is_for_the_bot=routing.is_for_the_bot,
        bound_channels=stores.bound.all,
        clock=time.time,
        line_in=talk.lines.place_in,
        more_commands=plugins.commands.brought,
        typed_commands=plugins.commands.typed,
    )
    return open_front_desk(office, desks.offers())


def _all_that_is_old(ground: Ground, pruning: JobPruning) -> Callable[[], Awaitable[PruneReport]]:
    days = ground.config.speaker.session_days
    sessions = SessionPruning(ground.database, ground.folder, days)

    async def prune() -> PruneReport:
        now = time.time()
        await ground.stores.costs.forget(now - KEPT_SECONDS)
        # Of what was done for an answer nothing changes any more; there are many.
        await ground.stores.cards.forget_ended("work")
        await ground.stores.transcripts.forget_old(now=now)
        await ground.stores.questions.forget(PLUGIN_PURPOSE, before=now - _QUESTION_SECONDS)
        await sessions.prune(now=now)
        return await pruning.prune()

    return prune
