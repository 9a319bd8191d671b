"""The plugins: what lets them in, what runs them, and what they may ask of the bot."""

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import web

from bot.assembly.ground import Ground
from bot.assembly.plugin_parts import host_parts, papercup_version, plugin_interface
from bot.assembly.talk import Talk
from bot.assembly.work import Work
from bot.config_reading import these_surroundings
from bot.control.plugin_routes import PluginRouteParts, plugin_routes
from bot.conversation.background import in_background
from bot.conversation.desk import DeskOffer
from bot.plugin_services.command_front import CommandFront, CommandParts, open_command_front
from bot.plugin_services.finding import PluginFinder, PluginPlaces
from bot.plugin_services.key_desk import KeyDesk
from bot.plugin_services.leftovers import Leftovers
from bot.plugin_services.loading import ManifestNews, load_plugins
from bot.plugin_services.plugin_commands import NoPluginCommands, no_reload
from bot.plugin_services.plugin_resources import ResourceParts, RunningPlugin
from bot.plugin_services.plugin_runner import HostRunner
from bot.plugin_services.provider_asking import ProviderAsking
from bot.plugin_services.trust_desk import TrustDesk
from bot.plugin_services.trusting import Trust, TrustGround, open_trust
from bot.plugin_services.user_interface import PluginUi
from bot.secrets import SECRET_NAMES
from extensions.plugins.credentials import CredentialFiles
from extensions.plugins.host import PluginHost, open_plugin_host
from extensions.plugins.lifecycle import Ready
from extensions.plugins.manifest import Candidate
from extensions.plugins.providers import Providers
from extensions.plugins.rereading import rereading
from extensions.plugins.watcher import watching


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugins:
    """The plugins, as far as what is called and shown knows of them."""

    commands: CommandFront
    offers: tuple[DeskOffer, ...] = ()
    routes: tuple[web.RouteDef, ...] = field(default=())


@asynccontextmanager
async def plugging_in(ground: Ground, work: Work, talk: Talk) -> AsyncGenerator[Plugins, None]:
    """Run plugins while the block lasts; they are started in the background."""
    if not ground.config.plugins.enabled:
        ground.offered_commands.settle()
        async with open_command_front(_without_plugins(ground, talk)) as front:
            yield Plugins(commands=front, offers=(front.desk.offer(),))
        return
    async with AsyncExitStack() as stack:
        stack.enter_context(ground.occasions.known_by(talk.conversations, work.find_job))
        where = these_surroundings()
        finder = PluginFinder(
            ground.config,
            PluginPlaces(
                home=where.home,
                working_folder=where.working_folder,
                environment=where.environment,
            ),
        )
        trust = await stack.enter_async_context(
            open_trust(_trust_ground(ground, finder), ground.database)
        )
        background = await stack.enter_async_context(in_background("plugins"))
        ui = await plugin_interface(ground, work, talk, trust, background, stack)
        host = await stack.enter_async_context(
            open_plugin_host(host_parts(ground, talk, trust, ui))
        )
        stack.enter_context(ground.plugins.through(host))
        desk = trust.desk(HostRunner(host))
        front = await stack.enter_async_context(
            open_command_front(_command_parts(ground, talk, trust, host, desk))
        )
        await _watch(ground, finder, host, desk, stack)
        # Last, so that nothing is loaded any more when the host ends.
        loading = await stack.enter_async_context(in_background("plugins"))
        loading.start(lambda: _load(ground, talk, finder, trust, host))
        yield Plugins(
            commands=front,
            offers=(front.desk.offer(), _keys(ground, talk, ui, host).offer()),
            routes=tuple(_routes(ground, trust, host, desk)),
        )


async def _load(
    ground: Ground, talk: Talk, finder: PluginFinder, trust: Trust, host: PluginHost
) -> None:
    await load_plugins(finder, trust.admission.choose, host.load)
    ground.offered_commands.settle()
    talk.session_events.plugins_started()


def _trust_ground(ground: Ground, finder: PluginFinder) -> TrustGround:
    own = (ground.secrets.discord_token, ground.secrets.anthropic_api_key)
    return TrustGround(
        config=ground.config.plugins,
        environment=os.environ,
        own_names=frozenset(SECRET_NAMES),
        own_values=[secret.reveal() for secret in own],
        plugins_folder=ground.folder.plugins,
        version=papercup_version(),
        discover=finder,
        read_again=rereading(finder.settings()),
        redact=ground.redactor.redact,
        clock=time.time,
    )


def _command_parts(
    ground: Ground, talk: Talk, trust: Trust, host: PluginHost, desk: TrustDesk
) -> CommandParts:
    async def reload(plugin_id: str) -> str | None:
        return (await desk.reload(plugin_id)).down

    async def is_trusted(candidate: Candidate) -> bool:
        return (await trust.admission.examine(candidate)).is_trusted

    def running() -> list[RunningPlugin]:
        return [
            RunningPlugin(candidate=each.candidate, epoch=each.lifecycle.epoch)
            for each in host.plugins
            if isinstance(each.state, Ready)
        ]

    return CommandParts(
        authorize=ground.access.authorize,
        plugins=host,
        reload=reload,
        offered=ground.offered_commands,
        resources=ResourceParts(
            running=running,
            is_trusted=is_trusted,
            folder=ground.folder.plugins,
            shelf=ground.machine.settings.skills,
        ),
        conversations=talk.conversations,
        messages=ground.stores.messages,
        messenger=ground.link.messenger,
        lay_out=ground.lay_out,
        clock=time.time,
    )


def _without_plugins(ground: Ground, talk: Talk) -> CommandParts:
    return CommandParts(
        authorize=ground.access.authorize,
        plugins=NoPluginCommands(),
        reload=no_reload,
        offered=ground.offered_commands,
        conversations=talk.conversations,
        messages=ground.stores.messages,
        messenger=ground.link.messenger,
        lay_out=ground.lay_out,
        clock=time.time,
    )


def _keys(ground: Ground, talk: Talk, ui: PluginUi, host: PluginHost) -> KeyDesk:
    def runs(plugin_id: str) -> bool:
        return any(each.id == plugin_id and isinstance(each.state, Ready) for each in host.plugins)

    return KeyDesk(ground.access.authorize, talk.conversations, ui.cards, host, runs)


def _routes(
    ground: Ground, trust: Trust, host: PluginHost, desk: TrustDesk
) -> Iterable[web.RouteDef]:
    providers = Providers(host.running, CredentialFiles(ground.folder.plugins), time.time)
    return plugin_routes(
        PluginRouteParts(
            desk=desk,
            log=trust.log,
            report=host.report,
            ask=ProviderAsking(providers),
            forget=Leftovers(ground.database, ground.folder.plugins).forget,
        )
    )


async def _watch(
    ground: Ground,
    finder: PluginFinder,
    host: PluginHost,
    desk: TrustDesk,
    stack: AsyncExitStack,
) -> None:
    watch = ground.config.plugins.watch
    if not watch.enabled:
        return

    def loaded() -> dict[Path, str]:
        return {each.candidate.folder: each.id for each in host.plugins}

    news = ManifestNews(finder, loaded, desk.reload if watch.reload else None)
    settings = await asyncio.to_thread(finder.settings)
    await stack.enter_async_context(watching(settings.roots, finder.watch_options(), news.changed))
