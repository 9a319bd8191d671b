"""What the host says of itself when a plugin starts. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from papercup_plugin.json_values import as_list, as_object, as_text
from papercup_plugin.records import Record

if TYPE_CHECKING:
    from collections.abc import Mapping

PROTOCOL_VERSION = 1
_OUR_HOST = "papercup"


class Workspace(Record):
    """Where the plugin works."""

    root: str = ""
    """The folder of the project or the session."""
    trusted: bool = False


class Facts(Record):
    """What the plugin was told when it started."""

    host_name: str = ""
    host_version: str = ""
    protocol: int = PROTOCOL_VERSION
    """The version that both speak."""
    workspace: Workspace = Workspace()
    mode: str = "headless"
    ui_capabilities: frozenset[str] = frozenset()
    """What people can be shown and asked."""
    flags: Mapping[str, Any] = {}
    capabilities: Mapping[str, bool] = {}
    """What the plugin may ask of the host, as far as that was said."""
    session_id: str | None = None

    @property
    def takes_contexts_with_questions(self) -> bool:
        """Whether a question to people may say for which call it is asked.

        The protocol's own schema knows no such field, so that no other host is sent it.
        """
        return self.host_name == _OUR_HOST

    def has_ui(self, kind: str | None = None) -> bool:
        """Say whether people can be reached, or shown and asked what is of that kind."""
        return bool(self.ui_capabilities) if kind is None else kind in self.ui_capabilities


def read_facts(params: Mapping[str, Any]) -> Facts:
    """Return what the parameters of `initialize` say; what is malformed counts as not said."""
    host, workspace = _members(params, "host"), _members(params, "workspace")
    version = params.get("protocol_version")
    kinds = as_list(params.get("ui_capabilities")) or []
    return Facts(
        host_name=str(host.get("name", "")),
        host_version=str(host.get("version", params.get("agent_version", ""))),
        protocol=min(version, PROTOCOL_VERSION) if isinstance(version, int) else PROTOCOL_VERSION,
        workspace=Workspace(str(workspace.get("root", "")), workspace.get("trusted") is True),
        mode=str(params.get("mode", "headless")),
        ui_capabilities=frozenset(map(str, kinds)),
        flags=_members(params, "flags"),
        capabilities=_members(params, "capabilities_enabled"),
        session_id=as_text(_members(params, "session").get("id")),
    )


def _members(params: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    return as_object(params.get(name)) or {}
