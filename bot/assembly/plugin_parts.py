"""What plugins are run with: what they may ask of the bot, and of people."""

import importlib.metadata
import os
import secrets as randomness
import time
from contextlib import AsyncExitStack

from bot.assembly.ground import Ground
from bot.assembly.talk import Talk
from bot.assembly.work import Work
from bot.conversation.background import Background
from bot.desks import usual_knobs
from bot.plugin_services.entry_store import EntryStore
from bot.plugin_services.executor import JailedExecutor
from bot.plugin_services.known_person import KnownPersons
from bot.plugin_services.last_places import LastPlaces
from bot.plugin_services.sessions import PluginSessions
from bot.plugin_services.tier_openers import tier_openers
from bot.plugin_services.titles import Titles
from bot.plugin_services.trusting import Trust
from bot.plugin_services.ui_parts import UiParts, confirms_itself
from bot.plugin_services.user_interface import PluginUi, open_user_interface
from bot.plugin_services.workspaces import PluginWorkspaces
from extensions.plugins.kv import KeyValues
from extensions.plugins.parts import HostParts, HostSettings
from extensions.plugins.requests import Requests


async def plugin_interface(
    ground: Ground,
    work: Work,
    talk: Talk,
    trust: Trust,
    background: Background,
    stack: AsyncExitStack,
) -> PluginUi:
    """Return what asks people and shows them things, as long as the stack lasts."""
    places = LastPlaces(ground.database)
    await places.restore()
    messenger, authorize = ground.link.messenger, ground.access.authorize
    titles = Titles(
        talk.conversations, messenger, authorize, KnownPersons(ground.database).find, background
    )
    parts = UiParts(
        asker=talk.asker,
        messenger=messenger,
        cards=work.cards,
        places=places,
        titles=titles,
        audit=trust.audit,
        lines=talk.lines,
        owner_ids=lambda: ground.access.owner_ids,
        clock=time.time,
        timeout_seconds=ground.config.plugins.ui_timeout_seconds,
        confirms_itself=confirms_itself(os.environ),
        redact=ground.redactor.redact,
    )
    return await stack.enter_async_context(open_user_interface(parts))


def host_parts(ground: Ground, talk: Talk, trust: Trust, ui: PluginUi) -> HostParts:
    """Return what plugins are run with, and may ask of the bot."""
    folder, machine = ground.folder, ground.machine
    workspaces = PluginWorkspaces(plugins_folder=folder.plugins, sessions_folder=folder.sessions)
    sessions = PluginSessions(
        conversations=talk.conversations,
        authorize=ground.access.authorize,
        messenger=ground.link.messenger,
        messages=ground.stores.messages,
        entries=EntryStore(ground.database),
        notes=talk.turn_notes,
        person_of=KnownPersons(ground.database).find,
        lay_out=ground.lay_out,
        usual=usual_knobs(ground.config),
        clock=time.time,
        new_id=lambda: randomness.token_hex(8),
    )
    executor = JailedExecutor(
        jail=machine.jail,
        jail_reason=machine.jail_reason,
        plugins_folder=folder.plugins,
        workspace_of=workspaces.of_call,
        plugin_folder_of=workspaces.found_in,
    )
    requests = Requests(
        ui=ui,
        sessions=sessions,
        executor=executor,
        audit=trust.audit,
        kv=KeyValues(ground.database),
    )
    plugins, settings, version = ground.config.plugins, HostSettings(), papercup_version()
    return HostParts(
        registry=ground.registry,
        requests=requests,
        audit=trust.audit,
        environment_of=trust.admission.environment_of,
        workspace_of=workspaces.of,
        refusal_of=trust.admission.refusal_of,
        is_missed=trust.admission.is_missed,
        may_execute=trust.admission.may_execute,
        occasion_of=ground.occasions.of,
        flags_of=lambda plugin_id: plugins.entry(plugin_id).flags,
        tools_for_jobs=lambda plugin_id: plugins.entry(plugin_id).tools_for_jobs,
        hook_seconds_of=lambda plugin_id: plugins.entry(plugin_id).hook_timeout_seconds,
        host_version=version,
        settings=settings,
        tiers=tier_openers(
            trust, workspace_of=workspaces.of_call, settings=settings, version=version
        ),
    )


def papercup_version() -> str:
    """Return the version of the bot."""
    return importlib.metadata.version("papercup")
