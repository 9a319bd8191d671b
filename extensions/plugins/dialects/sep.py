"""The wire of plugins with an `extension.toml`: both sides ask. Pure."""

from collections.abc import Mapping
from typing import Any

from extensions.hooks import HookPoint, Payload
from extensions.plugins.dialects.dialect import (
    PROTOCOL_VERSION,
    BadGreeting,
    Blocks,
    CallMark,
    Continues,
    EventParams,
    Farewell,
    Greeting,
    HookAnswer,
    Modifies,
    Order,
    Unusable,
    Welcome,
)
from extensions.plugins.dialects.reading import (
    Warn,
    commands_of,
    names_of,
    providers_of,
    renderers_of,
    shortcuts_of,
    tools_of,
)
from extensions.plugins.json_values import as_list, as_object, as_text
from extensions.plugins.manifest import Capabilities
from extensions.plugins.registrations import PluginAnswer, PluginCompletion, Registrations

UI_KINDS = ("select", "confirm", "input", "notify", "set_status", "set_widget", "set_title")
"""What people can be shown and asked."""

_HOST_NAME = "papercup"
_MODE = "widget"
_MOST_COMPLETIONS = 25
_SCHEMA_KEYS = ("parameters", "input_schema", "inputSchema")


class SepWire:
    """Speaks that wire format."""

    has_contexts = True
    must_answer_pings = True
    first_id = 1

    def greeting(self, welcome: Welcome) -> Order:
        """Return the first request."""
        capabilities = welcome.manifest.capabilities
        params = {
            "protocol_version": PROTOCOL_VERSION,
            "host": {"name": _HOST_NAME, "version": welcome.host_version},
            "workspace": {"root": welcome.workspace_root, "trusted": welcome.workspace_trusted},
            "mode": _MODE,
            "ui_capabilities": list(UI_KINDS) if capabilities.ui else [],
            "flags": dict(welcome.flags),
            "capabilities_enabled": _enabled(capabilities),
        }
        return Order("initialize", params)

    def greeted(self, result: Any) -> Greeting | BadGreeting:
        """Return what the answer to it says."""
        members = as_object(result)
        if members is None:
            return BadGreeting("invalid handshake payload: it is not an object")
        version = members.get("protocol_version", members.get("protocolVersion"))
        # True is an int, too.
        if type(version) is not int:
            return BadGreeting("invalid handshake payload: it names no protocol version")
        if version < 1:
            return BadGreeting(f"protocol version {version} is not spoken any more")
        warnings: list[str] = []
        registrations = registrations_of(members.get("registrations"), warnings.append)
        return Greeting(
            registrations=registrations,
            protocol=min(version, PROTOCOL_VERSION),
            warnings=tuple(warnings),
        )

    def tool_call(self, name: str, arguments: Mapping[str, Any], mark: CallMark) -> Order:
        """Return the request that uses a tool."""
        params = {
            "call_id": mark.call_id,
            "tool": name,
            "arguments": arguments,
            "context": mark.context,
        }
        return Order("tool/execute", params)

    def older_tool_call(self, _name: str, _arguments: Mapping[str, Any]) -> Order | None:
        """Return that all plugins know the other."""
        return None

    def tool_answer(self, result: Any) -> PluginAnswer | Unusable:
        """Return what the tool gave back."""
        members = as_object(result) or {}
        content, is_error = members.get("content"), members.get("is_error") is True
        if not isinstance(content, str):
            return Unusable("its answer holds no content")
        return PluginAnswer(content, is_error, members.get("details"))

    def command(self, name: str, raw: str, mark: CallMark) -> Order | None:
        """Return the request that runs a command."""
        params = {"command": name, "context": mark.context, "arguments": {"args": raw}}
        return Order("command/execute", params)

    def command_answer(self, result: Any) -> str:
        """Return what the command says; empty if it says nothing."""
        return (as_text((as_object(result) or {}).get("content")) or "").strip()

    def completion(self, name: str, partial: str, mark: CallMark) -> Order | None:
        """Return the request for what a command's arguments may be completed to."""
        params = {"command": name, "context": mark.context, "partial": partial}
        return Order("command/complete", params)

    def completions(self, result: Any) -> list[PluginCompletion]:
        """Return them, those that cannot be used left out."""
        found = as_list((as_object(result) or {}).get("completions")) or []
        read = [_completion(each) for each in found[:_MOST_COMPLETIONS]]
        return [each for each in read if each is not None]

    def hook_name(self, point: HookPoint) -> str | None:
        """Return what the hook at that point is called."""
        return str(point)

    def hook(self, point: HookPoint, value: Payload, mark: CallMark) -> Order:
        """Return the request that asks at a point."""
        return Order("hook", {"hook": str(point), "context": mark.context, "input": value})

    def hook_answer(self, _point: HookPoint, result: Any) -> HookAnswer:
        """Return what the plugin wants."""
        members = as_object(result)
        if members is None:
            return Unusable("it is not an object")
        match members.get("action"):
            case "continue":
                return Continues()
            case "block":
                return Blocks(as_text(members.get("reason")) or None)
            case "modify":
                patch = as_object(members.get("patch"))
                unusable = Unusable("it modifies, but there is no patch")
                return unusable if patch is None else Modifies(patch)
            case _:
                return Unusable("its action is none that there is")

    def event(
        self, name: str, payload: Payload, context: Mapping[str, str] | None
    ) -> EventParams | None:
        """Return what an event says."""

        def numbered(seq: int) -> dict[str, Any]:
            return {"event": name, "seq": seq, "context": context, "payload": payload}

        return numbered

    def ping(self) -> Order:
        """Return a request that every plugin answers at once."""
        return Order("ping", {})

    def farewell(self, _reason: str) -> Farewell:
        """Return what is said before the program is ended."""
        return Farewell(order=Order("shutdown", {}), is_request=True)


def registrations_of(raw: Any, warn: Warn) -> Registrations:
    """Return what a plugin says that it offers.

    Args:
        raw: The registrations of a greeting, or the parameters of a later change of them.
        warn: Called with what was left out: a sentence's end each time.
    """
    if raw is None:
        return Registrations()
    members = as_object(raw)
    if members is None:
        warn("its registrations are not an object")
        return Registrations()
    return Registrations(
        tools=tools_of(members.get("tools"), _SCHEMA_KEYS, warn),
        commands=commands_of(members.get("commands"), warn),
        flags=names_of(members.get("flags"), "flag", warn),
        shortcuts=shortcuts_of(members.get("shortcuts"), warn),
        subscriptions=frozenset(names_of(members.get("subscriptions"), "subscription", warn)),
        providers=providers_of(members.get("providers"), warn),
        hooks=_hooks_of(members.get("hooks"), warn),
        renderers=renderers_of(members.get("message_renderers"), warn),
    )


def _hooks_of(raw: Any, warn: Warn) -> frozenset[str] | None:
    """Return the hooks of a list; `None` if it does not say which."""
    if raw is None:
        return None
    wrong: list[str] = []
    names = frozenset(names_of(raw, "hook", wrong.append))
    unknown = sorted(names.difference(HookPoint))
    for each in (*wrong, *(f"unknown hook `{name}`; skipping registration" for name in unknown)):
        warn(each)
    # What was left out may have been the one that guards something.
    return None if wrong else names.intersection(HookPoint)


def _enabled(capabilities: Capabilities) -> dict[str, bool]:
    return {
        "tools": capabilities.tools != frozenset(),
        "commands": capabilities.commands,
        "ui": capabilities.ui,
        "exec": capabilities.exec,
        "kv": capabilities.kv,
        "bus": capabilities.bus,
        "session": capabilities.session,
        "providers": capabilities.providers != frozenset(),
    }


def _completion(raw: Any) -> PluginCompletion | None:
    members = as_object(raw) or {}
    value = as_text(members.get("value"))
    if value is None:
        return None
    return PluginCompletion(value=value, description=as_text(members.get("description")))
