"""The whole program: what is started, in which order, and how it is joined together."""

import logging
import os
import secrets as randomness
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from bot.access import Access, policy_of
from bot.cards.job_cards import keeping_job_cards, show_ends
from bot.cards.store import CardStore
from bot.config import Config
from bot.control.job_routes import job_routes
from bot.control.server import serving_control
from bot.conversation.conversations import ClaudeSessionBegan, open_conversations
from bot.conversation.front_desk import open_front_desk
from bot.conversation.job_rights import JobRights
from bot.conversation.message_store import MessageStore
from bot.conversation.notice_places import NoticePlaces
from bot.conversation.people import KnownPeople
from bot.conversation.session import Session
from bot.conversation.store import SessionStore
from bot.conversation.text_chat import TextChat
from bot.data_folder import DataFolder
from bot.database import open_bot_database
from bot.discord_io.client import DiscordLink, DiscordOptions, Endpoint, run_discord
from bot.discord_io.session_budget import SessionBudget, StartLog
from bot.discord_io.splitting import split_message
from bot.health import Health
from bot.job_answers import JobAnswers
from bot.job_machine import find_job_machine
from bot.job_news import JobNews
from bot.job_pruning import JobPruning
from bot.kept_ports import KeptPorts
from bot.notices.delivery import deliver_owed, delivering_notices, known_failures
from bot.notices.store import NoticeStore
from bot.secrets import Secrets, redactor_of
from bot.speaker.pool import SpeakerPool, SpeakerSettings
from bot.speaker.speaker import Speaker
from extensions.callers import Callers
from extensions.claude.binary import find_claude
from extensions.jobs.job import Job
from extensions.jobs.job_sheets import JobSheets
from extensions.jobs.opening import admit_jobs, open_jobs
from extensions.jobs.pruning import pruning_daily
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
    redactor = redactor_of(secrets)
    link = DiscordLink(redactor)
    access = Access(policy_of(config.discord))
    machine = await find_job_machine(config, claude, folder)
    async with open_bot_database(folder, clock=time.time) as database:
        await admit_jobs(database, callers)
        answers = JobAnswers(database)
        await answers.restore(ledger)
        ports, sessions = KeptPorts(database), SessionStore(database)
        notices_owed, messages = NoticeStore(database), MessageStore(database)
        kept_cards = CardStore(database)
        lost_notices = await known_failures(notices_owed, now=time.time())
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
            keeping_job_cards(link.messenger, kept_cards) as cards,
            delivering_notices(
                link.messenger,
                notices_owed,
                cards,
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
                watcher=JobNews(cards, notices, ledger),
            ) as jobs,
            open_conversations(
                sessions,
                messages,
                make_speaker=_speakers(
                    config, folder, claude.path, callers, (mcp.url, gateway.url)
                ),
                make_surface=lambda place: TextChat(
                    link.messenger, place, lambda text: split_message(redactor.redact(text))
                ),
                clock=time.time,
                new_id=lambda: randomness.token_hex(4),
            ) as conversations,
        ):
            rights = JobRights(access.authorize, conversations, refusal=machine.refusal)
            for tool in job_tools(jobs, rights):
                registry.offer(tool)
            await show_ends(cards, kept_cards, lambda job_id: jobs.find(job_id, _is_any))
            await deliver_owed(notices, notices_owed, lambda job_id: jobs.find(job_id, _is_any))
            health = Health(
                started_at=started_at,
                claude=claude,
                jail_reason=machine.jail_reason,
                mcp_url=mcp.url,
                discord=link,
                jobs=jobs,
                conversations=conversations,
                lost_notices=lost_notices,
            )
            desk = open_front_desk(
                authorize=access.authorize,
                conversations=conversations,
                messages=messages,
                jobs=jobs,
                messenger=link.messenger,
                history=link.history,
                bound_channel_ids=frozenset(config.discord.bound_channel_ids),
                describe_bot=health.described,
                clock=time.time,
                job_refusal=machine.refusal,
            )
            pruning = JobPruning(
                database, folder, config.jobs, is_live=jobs.is_live, clock=time.time
            )
            async with (
                serving_control(
                    folder.control_socket, health.report, routes=job_routes(jobs, pruning.prune)
                ),
                pruning_daily(pruning.prune),
            ):
                await run_discord(
                    link,
                    desk,
                    _discord_options(config, secrets),
                    budget=SessionBudget(StartLog(database)),
                    on_ready=lambda identity: access.learn_owners(identity.owner_ids),
                )


def _speakers(
    config: Config, folder: DataFolder, claude: Path, callers: Callers, urls: tuple[str, str]
) -> Callable[[Session, ClaudeSessionBegan], Speaker]:
    mcp_url, api_url = urls
    pool = SpeakerPool(
        SpeakerSettings(
            claude=claude,
            mcp_url=mcp_url,
            api_url=api_url,
            home=folder.home,
            sessions=folder.sessions,
            model=config.speaker.model,
            effort=config.speaker.effort,
            turn_timeout_seconds=config.speaker.turn_timeout_minutes * 60,
            search_path=os.environ.get("PATH", os.defpath),
            idle_seconds=config.speaker.idle_minutes * 60,
            most_warm=config.speaker.max_warm,
        ),
        callers,
    )

    def speaker(session: Session, began: ClaudeSessionBegan) -> Speaker:
        return pool.speaker(
            session.id, claude_session_id=session.claude_session_id, session_began=began
        )

    return speaker


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


def _is_any(_: Job) -> bool:
    return True
