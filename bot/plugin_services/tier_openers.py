"""What opens the plugins that are no program which speaks a dialect."""

from collections.abc import Callable, Mapping
from pathlib import Path

from bot.plugin_services.trusting import Trust
from extensions.hooks import Occasion
from extensions.plugins.bridge_parts import BridgeParts
from extensions.plugins.bridges import Bridges
from extensions.plugins.manifest import Tier
from extensions.plugins.parts import HostSettings, TierOpener
from extensions.plugins.wrappers import WrapperParts, Wrappers
from extensions.server.mcp_client import connected_server


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
        open_remote=connected_server,
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
