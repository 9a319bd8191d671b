"""What opens the plugins that are no program which speaks a dialect."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from bot.plugin_services.trusting import Trust
from extensions.hooks import Occasion
from extensions.plugins.bridge_parts import BridgeParts
from extensions.plugins.bridges import Bridges
from extensions.plugins.manifest import Tier
from extensions.plugins.parts import HostSettings, TierOpener
from extensions.plugins.server_links import RemoteServer, ServerLink
from extensions.plugins.wrappers import WrapperParts, Wrappers


def tier_openers(
    trust: Trust,
    *,
    workspace_of: Callable[[str, Occasion], Path],
    settings: HostSettings,
    version: str,
) -> Mapping[Tier, TierOpener]:
    """Return it for each tier but that of programs.

    Args:
        trust: Lets plugins in.
        workspace_of: Returns where a plugin, by its id, works on an occasion.
        settings: Of the host that they are for.
        version: Of Papercup.
    """
    admission = trust.admission
    bridges = BridgeParts(
        audit=trust.audit,
        environment_of=admission.server_environment_of,
        headers_of=admission.server_headers_of,
        refusal_of=admission.refusal_of,
        open_remote=_connected,
        host_version=version,
        host=settings,
    )
    wrappers = WrapperParts(
        environment_of=admission.environment_of,
        workspace_of=workspace_of,
        refusal_of=admission.refusal_of,
        host=settings,
    )
    return {Tier.BRIDGE: Bridges(bridges), Tier.WRAPPER: Wrappers(wrappers)}


def _connected(
    server: RemoteServer, *, tools_changed: Callable[[], None]
) -> AbstractAsyncContextManager[ServerLink]:
    # Only here: it takes most of a second to import, and few who try plugins have such a one.
    from extensions.server.mcp_client import connected_server  # noqa: PLC0415

    return connected_server(server, tools_changed=tools_changed)
