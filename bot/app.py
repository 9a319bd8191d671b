"""The whole program: what is started, in which order. Read `bot.assembly` for the parts."""

import logging
import os
import time
from typing import NoReturn

from bot.access import Access, policy_of
from bot.assembly.front import offer_tools, open_front
from bot.assembly.ground import Ground, open_stores
from bot.assembly.plugins import plugging_in
from bot.assembly.servers import serving_claudes
from bot.assembly.talk import talking
from bot.assembly.voice import installed_voice
from bot.assembly.work import working
from bot.awaited_plugins import AwaitedPlugins
from bot.commands.offered import OfferedCommands
from bot.config import Config
from bot.data_folder import DataFolder
from bot.discord_io.client import run_discord
from bot.discord_io.command_store import CommandStore
from bot.discord_io.link import DiscordLink
from bot.discord_io.options import DiscordOptions, Endpoint
from bot.discord_io.session_budget import SessionBudget, StartLog
from bot.job_machine import find_job_machine
from bot.plugin_services.occasions import Occasions
from bot.secrets import Secrets, redactor_of
from extensions.callers import Callers
from extensions.claude.binary import find_claude
from extensions.server.ledger import AnswerLedger
from extensions.tools import ToolRegistry

logger = logging.getLogger(__name__)


async def run_bot(config: Config, secrets: Secrets, folder: DataFolder) -> NoReturn:
    """Run the bot until it is cancelled; jobs that run then go on by themselves.

    Raises:
        BotError, ExtensionsError: If something is amiss that the operator has to mend.
    """
    started_at = time.time()
    claude = await find_claude(config.speaker.claude)
    logger.info("claude %s (%s: %s)", claude.version, claude.source, claude.path)
    machine = await find_job_machine(config, claude, folder)
    redactor = redactor_of(secrets, config.mcp.values(), os.environ)
    callers, ledger = Callers(), AnswerLedger()
    async with open_stores(config, folder, callers, ledger, now=started_at) as (database, stores):
        ground = Ground(
            config=config,
            secrets=secrets,
            folder=folder,
            claude=claude,
            machine=machine,
            redactor=redactor,
            link=DiscordLink(redactor),
            access=Access(policy_of(config.discord)),
            callers=callers,
            ledger=ledger,
            registry=ToolRegistry(),
            plugins=AwaitedPlugins(expected=config.plugins.enabled),
            occasions=Occasions(),
            offered_commands=OfferedCommands(is_settled=False),
            database=database,
            stores=stores,
            started_at=started_at,
        )
        async with (
            serving_claudes(ground) as servers,
            working(ground, servers) as work,
            installed_voice(config) as voice,
            talking(ground, servers, work, voice) as talk,
            plugging_in(ground, work, talk) as plugins,
        ):
            offer_tools(ground, work, talk)
            await work.tell_what_ended_unheard(ground)
            async with open_front(ground, servers, work, talk, plugins) as front_desk:
                await run_discord(
                    ground.link,
                    front_desk,
                    _discord_options(config, secrets),
                    budget=SessionBudget(StartLog(database)),
                    commands=CommandStore(database),
                    offered=ground.offered_commands,
                    on_ready=lambda identity: ground.access.learn_owners(identity.owner_ids),
                )


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
