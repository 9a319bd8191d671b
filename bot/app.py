"""The whole program: what is started, in which order, and how it is joined together."""

import logging
import os
import secrets as randomness
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import NoReturn

from bot.access import Access, policy_of
from bot.cards.cards import keeping_cards
from bot.cards.job_cards import JobCards, show_ends
from bot.cards.store import CardStore
from bot.config import Config
from bot.control.job_routes import job_routes
from bot.control.server import serving_control
from bot.conversation.attachments import AttachmentRoom
from bot.conversation.bound_channels import BoundChannels
from bot.conversation.conversation import Charge
from bot.conversation.conversation_parts import ConversationParts
from bot.conversation.conversations import open_conversations
from bot.conversation.file_tool import file_tool
from bot.conversation.front_desk import Office, open_front_desk
from bot.conversation.hearing import recall_hearing
from bot.conversation.job_rights import JobRights
from bot.conversation.message_store import MessageStore
from bot.conversation.notice_places import NoticePlaces
from bot.conversation.people import KnownPeople
from bot.conversation.routing import Routing
from bot.conversation.rundown import RUNDOWN_PURPOSE, rundown_giver
from bot.conversation.session_cards import keeping_session_cards
from bot.conversation.session_rights import may_take
from bot.conversation.store import SessionStore
from bot.conversation.text_chat import TextChat
from bot.data_folder import DataFolder
from bot.database import open_bot_database
from bot.desks import Desks, usual_knobs
from bot.discord_io.client import run_discord
from bot.discord_io.command_store import CommandStore
from bot.discord_io.link import DiscordLink
from bot.discord_io.options import DiscordOptions, Endpoint
from bot.discord_io.session_budget import SessionBudget, StartLog
from bot.health import Health
from bot.job_answers import JobAnswers
from bot.job_machine import find_job_machine
from bot.job_news import JobNews
from bot.job_pruning import JobPruning
from bot.kept_ports import KeptPorts
from bot.notices.delivery import deliver_owed, delivering_notices, known_failures
from bot.notices.store import NoticeStore
from bot.presence import keeping_presence
from bot.questions.asker import open_questions
from bot.questions.store import QuestionStore
from bot.secrets import Secrets, redactor_of
from bot.speakers import speaker_pool, speakers_from
from bot.spending.costs import KEPT_SECONDS, CostBook
from bot.text.layout import Layout, lay_out
from extensions.callers import Callers
from extensions.claude.binary import find_claude
from extensions.jobs.job import Job
from extensions.jobs.job_sheets import JobSheets
from extensions.jobs.opening import admit_jobs, open_jobs
from extensions.jobs.pruning import PruneReport, pruning_daily
from extensions.jobs.queue import Places
from extensions.jobs.redacting_backend import RedactingBackend
from extensions.jobs.tools import job_tools
from extensions.server.gateway import serving_gateway
from extensions.server.ledger import AnswerLedger
from extensions.server.mcp import serving_mcp
from extensions.tools import ToolRegistry

logger = logging.getLogger(__name__)

INSTRUCTIONS = "The tools of Papercup: start background jobs, and look at them."


async def run_bot(config: Config, secrets: Secrets, folder: DataFolder) -> NoReturn:
    """Run the bot until it is cancelled; jobs that run then go on by themselves.

    Raises:
        BotError, ExtensionsError: If something is amiss that the operator has to mend.
    """
    started_at = time.time()
    claude = await find_claude(config.speaker.claude)
    logger.info("claude %s (%s: %s)", claude.version, claude.source, claude.path)
    callers, ledger, registry = Callers(), AnswerLedger(), ToolRegistry()
    redactor = redactor_of(secrets, config.mcp.values(), os.environ)
    link = DiscordLink(redactor)
    access = Access(policy_of(config.discord))
    machine = await find_job_machine(config, claude, folder)
    async with open_bot_database(folder, clock=time.time) as database:
        await admit_jobs(database, callers)
        answers = JobAnswers(database)
        await answers.restore(ledger)
        bound = BoundChannels(database, config.discord.bound_channel_ids)
        await bound.restore()
        ports, sessions, costs = KeptPorts(database), SessionStore(database), CostBook(database)
        notices_owed, messages = NoticeStore(database), MessageStore(database)
        kept_cards = CardStore(database)
        hearing = await recall_hearing(database, now=started_at)
        lost_notices = await known_failures(notices_owed, now=time.time())

        def laid_out(text: str) -> Layout:
            # Before it is cut, or a secret could be cut in two and slip through.
            return lay_out(redactor.redact(text))

        async def find_job(job_id: str) -> Job:
            return await jobs.find(job_id, lambda _: True)

        async with (
            serving_mcp(
                registry, callers, await ports.listen("mcp"), instructions=INSTRUCTIONS
            ) as mcp,
            serving_gateway(
                callers,
                ledger,
                upstream=config.endpoints.messages_api,
                api_key=secrets.anthropic_api_key.reveal(),
                sock=await ports.listen("gateway"),
                book=answers,
            ) as gateway,
            keeping_cards(link.messenger, kept_cards) as cards,
            delivering_notices(
                link.messenger,
                notices_owed,
                job_cards := JobCards(cards),
                audience=NoticePlaces(
                    sessions, KnownPeople(database), access.authorize, owners_known=link.ready
                ),
                clock=time.time,
                failures=lost_notices,
            ) as notices,
            open_jobs(
                database,
                RedactingBackend(machine.backend(ledger, mcp, gateway), redactor.redact),
                callers,
                folder=folder.extensions,
                json_path=folder.extensions_json,
                sheets=JobSheets(folder.run),
                places=Places(
                    in_all=config.jobs.limit,
                    per_person=config.jobs.limit_per_person,
                    per_guild=config.jobs.limit_per_guild,
                ),
                queue_limit=config.jobs.queue_limit,
                spawns_per_minute=config.jobs.spawns_per_minute,
                watcher=JobNews(job_cards, notices, ledger),
            ) as jobs,
            keeping_session_cards(
                cards, is_bound=bound.is_bound_itself, usual=usual_knobs(config)
            ) as session_cards,
            open_conversations(
                sessions,
                ConversationParts(
                    turns=messages,
                    make_speaker=speakers_from(
                        pool := speaker_pool(
                            config, folder, claude.path, callers, machine, mcp=mcp, gateway=gateway
                        )
                    ),
                    make_surface=lambda place: TextChat(
                        link.messenger, place, laid_out, cards, time.time
                    ),
                    clock=time.time,
                    new_id=lambda: randomness.token_hex(4),
                    changed=session_cards.session_changed,
                    attachments=AttachmentRoom(link.attachments, folder.sessions),
                    charge=_charging(costs),
                    may_take=partial(may_take, authorize=access.authorize),
                ),
            ) as conversations,
            open_questions(
                link.messenger,
                QuestionStore(database),
                authorize=access.authorize,
                on_answer={RUNDOWN_PURPOSE: rundown_giver(link.messenger, find_job, laid_out)},
                clock=time.time,
            ) as asker,
        ):
            rights = JobRights(access.authorize, conversations, refusal=machine.refusal)
            for tool in job_tools(jobs, rights):
                registry.offer(tool)
            registry.offer(
                file_tool(
                    conversations,
                    jobs,
                    link.messenger,
                    folder.sessions,
                    authorize=access.authorize,
                )
            )
            await cards.withdraw_unfinished("work")
            await show_ends(job_cards, kept_cards, find_job)
            await deliver_owed(notices, notices_owed, find_job)
            health = Health(
                started_at=started_at,
                claude=claude,
                jail_reason=machine.jail_reason,
                mcp_url=mcp.url,
                discord=link,
                jobs=jobs,
                conversations=conversations,
                lost_notices=lost_notices,
                costs=costs,
            )
            routing = Routing(is_bound=bound.is_bound, owns_thread=conversations.owns_thread)
            desks = Desks(
                access=access,
                config=config,
                clock=time.time,
                messenger=link.messenger,
                conversations=conversations,
                sessions=sessions,
                session_changed=session_cards.session_changed,
                bound=bound,
                hears_all=routing.hears_all,
                jobs=jobs,
                find_job=find_job,
                job_cards=job_cards,
                run_folder=folder.run,
                job_refusal=machine.refusal,
                asker=asker,
                refusal_of=pool.refusal_of,
                describe_bot=health.described,
                mention=link.mention,
            )
            office = Office(
                authorize=access.authorize,
                conversations=conversations,
                messages=messages,
                jobs=jobs,
                messenger=link.messenger,
                history=link.history,
                hearing=hearing,
                is_for_the_bot=routing.is_for_the_bot,
                bound_channels=bound.all,
                clock=time.time,
            )
            pruning = JobPruning(
                database, folder, config.jobs, is_live=jobs.is_live, clock=time.time
            )
            async with (
                serving_control(
                    folder.control_socket, health.report, routes=job_routes(jobs, pruning.prune)
                ),
                pruning_daily(_all_that_is_old(pruning, costs, kept_cards)),
                keeping_presence(link.show_presence, health.presence),
            ):
                await run_discord(
                    link,
                    open_front_desk(office, desks.offers()),
                    _discord_options(config, secrets),
                    budget=SessionBudget(StartLog(database)),
                    commands=CommandStore(database),
                    on_ready=lambda identity: access.learn_owners(identity.owner_ids),
                )


def _all_that_is_old(
    pruning: JobPruning, costs: CostBook, cards: CardStore
) -> Callable[[], Awaitable[PruneReport]]:
    async def prune() -> PruneReport:
        await costs.forget(time.time() - KEPT_SECONDS)
        # Of what was done for an answer nothing changes any more; there are many.
        await cards.forget_ended("work")
        return await pruning.prune()

    return prune


def _charging(costs: CostBook) -> Charge:
    async def charge(session_id: str, cost_usd: float) -> None:
        await costs.charge_speaker(session_id, cost_usd, at=time.time())

    return charge


def _discord_options(config: Config, secrets: Secrets) -> DiscordOptions:
    endpoint = None
    if (address := config.endpoints.discord_address) is not None:
        host, port = address
        endpoint = Endpoint(host=host, port=port, ca_path=config.endpoints.discord_ca)
    return DiscordOptions(
        token=secrets.discord_token.reveal(),
        endpoint=endpoint,
        command_guild_ids=config.discord.command_guild_ids,
    )
