"""What MCP servers of plugins are kept up with."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from extensions.plugins.manifest import Candidate
from extensions.plugins.parts import HostSettings, nothing_refused
from extensions.plugins.peers import OpenPeer
from extensions.plugins.server_links import OpenRemote
from extensions.plugins.services import AuditLog
from extensions.rpc.peer import running_peer


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgeSettings:
    """How long MCP servers are waited for, and how much is asked of them at once."""

    handshake_seconds: float = 30.0
    """Longer than of plugins: many servers are fetched when they are first started."""
    call_seconds: float = 120.0
    ping_seconds: float = 10.0
    grace_seconds: float = 2.0
    """How long a program may take to end when it is told to."""
    most_calls: int = 32
    """How many calls of one server may be open."""
    reread_seconds: float = 1.0
    """How long the tools of a server stand at least before they are read anew."""
    first_retry_seconds: float = 15.0
    """After so long a server at an address is tried again that was given up."""
    longest_retry_seconds: float = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgeParts:
    """What MCP servers are kept up with."""

    audit: AuditLog
    environment_of: Callable[[Candidate, Mapping[str, str]], Mapping[str, str]]
    """Returns the whole environment of a server whose own variables are given."""
    headers_of: Callable[[Candidate, Mapping[str, str]], Mapping[str, str]]
    """Returns the headers for a server, with what they refer to put in."""
    refusal_of: Callable[[Candidate], Awaitable[str | None]] = nothing_refused
    """Asked right before each start of a program: why it may not be started."""
    open_remote: OpenRemote
    open_peer: OpenPeer = running_peer
    host_version: str
    host: HostSettings = field(default_factory=HostSettings)
    """What a program may use, how many are started at once, and how they are watched."""
    settings: BridgeSettings = field(default_factory=BridgeSettings)
