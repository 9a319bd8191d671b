"""What Papercup's host makes of what a plugin answers, in the words of the kit."""

from collections.abc import Mapping
from typing import Any, assert_never

from bot.cli.plugin_host_ground import HERE
from extensions.errors import PluginCallError
from extensions.hooks import Blocked, Changed, HookPoint, Pass
from extensions.plugins.host import PluginHost
from extensions.plugins.lifecycle import Ready
from papercup_plugin.conformance.host_answers import (
    CHANGES,
    FAILED,
    FORBIDS,
    NOT_READY,
    PASSES,
    READY,
    TELLS,
)

_IDS = {"agent_id": HERE.agent_id, "session_id": HERE.session_id}
_VALUES: Mapping[HookPoint, Mapping[str, Any]] = {
    HookPoint.TOOL_CALL: {
        "tool": "Bash",
        "tool_name": "Bash",
        "arguments": {"command": "ls"},
        "call_id": "1",
        **_IDS,
    },
    HookPoint.INPUT: {"text": "hello", "source": "text", "images": 0, **_IDS},
}


def seen_of_greeting(host: PluginHost, plugin_id: str) -> str:
    """Return what came of a handshake."""
    plugin = host.find_program(plugin_id)
    if not isinstance(plugin.state, Ready):
        return NOT_READY
    names = ", ".join(tool.name for tool in plugin.registrations.tools)
    return f"{READY} {names or 'nothing'}"


async def seen_of_use(host: PluginHost, plugin_id: str, method: str) -> str:
    """Return what comes of a use of a plugin, which it is asked by that method."""
    try:
        return await _used(host, plugin_id, method)
    except PluginCallError as error:
        return f"{FAILED}: {error.reason}"


async def seen_at_hook(host: PluginHost, name: str) -> str:
    """Return what comes of asking the plugins at the point of that name."""
    point = HookPoint(name)
    ruling = await host.fire(point, _VALUES[point], HERE)
    match ruling:
        case Pass():
            return PASSES
        case Changed():
            return CHANGES
        case Blocked():
            return FORBIDS
        case _:
            assert_never(ruling)


async def _used(host: PluginHost, plugin_id: str, method: str) -> str:
    plugin = host.find_program(plugin_id)
    match method:
        case "command/execute":
            return f"{TELLS} {await host.run_command(plugin_id, 'probe', '', HERE)}"
        case "command/complete":
            found = await host.complete_command(plugin_id, "probe", "", HERE)
            return f"{TELLS} {', '.join(each.value for each in found) or 'nothing'}"
        case "provider/complete":
            request: dict[str, Any] = {"provider": "parrot", "model": "grey", "messages": []}
            answer = await plugin.complete_with(request, HERE)
            return f"{TELLS} {answer.get('content')}"
        case _:
            used = await plugin.call_tool("probe", {}, HERE)
            return f"{FAILED}: {used.text}" if used.is_error else f"{TELLS} {used.text}"
