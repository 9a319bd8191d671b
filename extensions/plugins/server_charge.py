"""One MCP server of a plugin, as its supervisor sees it: how it is started, greeted and ended."""

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from extensions.plugins.bridge_parts import BridgeParts
from extensions.plugins.manifest import Candidate, McpServerSpec
from extensions.plugins.mcp_program import ProgramServer, opened_program
from extensions.plugins.mcp_servers import with_root
from extensions.plugins.mcp_wire import page_of, registrations_of
from extensions.plugins.plain_lines import plain_line
from extensions.plugins.program import BadProgram, find_program
from extensions.plugins.registrations import ToolRegistration
from extensions.plugins.server_links import RemoteServer, ServerLink
from extensions.plugins.services import AuditKind
from extensions.process.breaker import Breaker
from extensions.rpc.errors import (
    ErrorCode,
    PeerError,
    PeerGoneError,
    PeerStartError,
    PeerTimeoutError,
    RpcError,
)

_MOST_PAGES = 50
_MOST_LISTED = 1000

logger = logging.getLogger(__name__)


class ServerCharge:
    """What is supervised of an MCP server. It satisfies `Charge`."""

    def __init__(
        self,
        candidate: Candidate,
        name: str,
        parts: BridgeParts,
        *,
        tools_changed: Callable[[], None],
    ) -> None:
        """Take a server.

        Args:
            candidate: Whose server it is.
            name: What it is called there.
            parts: What it is kept up with.
            tools_changed: Called when it says that its tools have changed.
        """
        self.name = name
        self.candidate = candidate
        self.spec: McpServerSpec = candidate.manifest.mcp_servers[name]
        self.breaker = Breaker(f"ext:mcp:{self.id}")
        self.link: ServerLink | None = None
        """`None` as long as it cannot be asked."""
        self.dismissed: ServerLink | None = None
        """The one that was ended last because somebody asked for it."""
        self.tools: tuple[ToolRegistration, ...] = ()
        """As it calls them; those of its last start while it is down."""
        self.down_because = "it has not been started yet"
        self.was_refused = False
        """Whether it may not be started, as of the last time that it was to be."""
        self.open_calls = 0
        self._parts = parts
        self._tools_changed = tools_changed
        self._was_tried = False

    @property
    def id(self) -> str:
        """What it is called in the log."""
        return f"{self.candidate.id}/{self.name}"

    @property
    def is_busy(self) -> bool:
        """Whether a call is open."""
        return self.open_calls > 0

    async def refusal(self) -> str | None:
        """Return why it may not be started now; `None`: it may."""
        if not self._was_tried:
            # Whoever opened the plugin has just asked.
            self._was_tried = True
            return None
        reason = await self._parts.refusal_of(self.candidate)
        self.was_refused = reason is not None
        return reason

    @asynccontextmanager
    async def opened(
        self,
        epoch: int,  # noqa: ARG002 - it is given nothing that could become stale
    ) -> AsyncGenerator[ServerLink, None]:
        """Start it, or connect to it, for as long as the block lasts.

        Raises:
            PeerStartError: If that cannot be done.
        """
        async with self._opening() as link:
            yield link

    async def greet(self, peer: ServerLink) -> str | None:
        """Shake hands and read its tools; return why that came to nothing."""
        seconds = self._parts.settings.handshake_seconds
        try:
            problem = await peer.shake_hands(timeout_seconds=seconds)
            if problem is not None:
                return problem
            self.tools = await self.listed(peer)
        except RpcError as error:
            return f"it refused the handshake: {error}"
        except PeerTimeoutError:
            return f"handshake timed out after {seconds:g}s"
        except PeerGoneError as error:
            return f"it ended before the handshake was completed: {error}"
        except PeerError as error:
            return f"invalid handshake: {error}"
        self.link = peer
        self.breaker.reset()
        return None

    async def answers(self, peer: ServerLink) -> bool:
        """Ping it, and return whether it is well."""
        try:
            await peer.ping(timeout_seconds=self._parts.settings.ping_seconds)
        except RpcError:
            # It has answered.
            return True
        except PeerError:
            return False
        return True

    async def part(
        self,
        peer: ServerLink,
        reason: str,  # noqa: ARG002 - MCP has no word for it
    ) -> None:
        """Tell it to end, and wait until it has."""
        await peer.stop(grace_seconds=self._parts.settings.grace_seconds)

    def gone(self, reason: str, *, is_unasked: bool) -> None:
        """Take it that it does not answer any more."""
        if not is_unasked:
            self.dismissed = self.link
        self.link = None
        self.down_because = reason
        if is_unasked:
            text = f"MCP server {self.name}: {reason}"
            self._parts.audit.note(AuditKind.CRASHED, self.candidate.id, text)

    async def listed(self, link: ServerLink) -> tuple[ToolRegistration, ...]:
        """Return the tools that it lists now.

        Raises:
            RpcError: If it answered with an error.
            PeerError: If it gave no answer.
        """
        seconds, listed, cursor = self._parts.settings.handshake_seconds, list[Any](), None
        for _ in range(_MOST_PAGES):
            try:
                page = await link.list_tools(cursor, timeout_seconds=seconds)
            except RpcError as error:
                if error.code != ErrorCode.METHOD_NOT_FOUND:
                    raise
                # It has none.
                break
            tools, cursor = page_of(page)
            listed += tools
            if cursor is None or len(listed) > _MOST_LISTED:
                break
        return registrations_of(listed, self.warn)

    def warn(self, text: str) -> None:
        """Say something of it in the log."""
        logger.warning("MCP server %s: %s", self.id, plain_line(text))

    def _opening(self) -> AbstractAsyncContextManager[ServerLink]:
        parts, spec = self._parts, with_root(self.spec, str(self.candidate.folder))
        if spec.url is None:
            return opened_program(self._program(spec), tools_changed=self._tools_changed)
        server = RemoteServer(
            url=spec.url,
            transport=spec.transport,
            headers=parts.headers_of(self.candidate, spec.headers),
            host_version=parts.host_version,
            connect_seconds=parts.settings.handshake_seconds,
        )
        return parts.open_remote(server, tools_changed=self._tools_changed)

    def _program(self, spec: McpServerSpec) -> ProgramServer:
        parts, folder, command = self._parts, self.candidate.folder, spec.command or ""
        environment = parts.environment_of(self.candidate, spec.env)
        found = find_program(command, folder, environment.get("PATH", ""))
        if isinstance(found, BadProgram):
            raise PeerStartError(command, str(found))
        return ProgramServer(
            name=f"MCP server {self.id}",
            command=(str(found), *spec.args),
            cwd=folder,
            env=environment,
            host_version=parts.host_version,
            limits=parts.host.limits,
            memory_bytes=parts.host.memory_bytes,
            processes=parts.host.processes,
            open_peer=parts.open_peer,
        )
