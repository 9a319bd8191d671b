"""The program of one plugin: how it is started, spoken to, and ended."""

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

from extensions.hooks import NOWHERE
from extensions.plugins.calls import Calls
from extensions.plugins.dialects.dialect import BadGreeting, Greeting, Welcome
from extensions.plugins.dialects.wires import wire_of
from extensions.plugins.manifest import Candidate
from extensions.plugins.parts import HostParts
from extensions.plugins.peers import PluginPeer
from extensions.plugins.program import BadProgram, find_program
from extensions.plugins.services import AuditKind
from extensions.rpc.errors import (
    PeerError,
    PeerGoneError,
    PeerStartError,
    PeerTimeoutError,
    RpcError,
)
from extensions.rpc.peer import Farewell, PeerOptions, PeerOwner

logger = logging.getLogger(__name__)


class PluginProgram:
    """What is supervised of a plugin. It satisfies `Charge`."""

    def __init__(
        self,
        candidate: Candidate,
        parts: HostParts,
        calls: Calls,
        *,
        owner: PeerOwner,
        greeted: Callable[[Greeting], None],
    ) -> None:
        """Take a plugin.

        Args:
            candidate: What was found of it.
            parts: What the host works with.
            calls: The calls that go to its program.
            owner: Is told what the program asks and says.
            greeted: Called with what each program said that it offers.
        """
        self.candidate = candidate
        self.wire = wire_of(candidate.manifest.dialect)
        self._next_candidate = candidate
        self._parts = parts
        self._calls = calls
        self._owner = owner
        self._greeted = greeted
        self._ever_answered_ping = False
        self._ignores_pings = False

    @property
    def id(self) -> str:
        """The plugin's id."""
        return self.candidate.id

    @property
    def is_busy(self) -> bool:
        """Whether a call is open."""
        return self._calls.is_busy or self._ignores_pings

    @property
    def hook_seconds(self) -> float | None:
        """How long it may take for a hook; `None`: what is usual at each point."""
        configured = self._parts.hook_seconds_of(self.id)
        return self.candidate.manifest.hook_timeout_seconds if configured is None else configured

    @property
    def is_missed(self) -> bool:
        """Whether the operator trusts it, or did before it changed, though it may not run."""
        return self._parts.is_missed(self.candidate)

    def become(self, candidate: Candidate) -> None:
        """Start this from the next start on."""
        self._next_candidate = candidate

    async def refusal(self) -> str | None:
        """Return why no program may be started now; `None`: one may."""
        self.candidate = self._next_candidate
        self.wire = wire_of(self.candidate.manifest.dialect)
        self._calls.open.is_for_one_party = self.candidate.manifest.capabilities.ui
        return await self._parts.refusal_of(self.candidate)

    @asynccontextmanager
    async def opened(self, epoch: int) -> AsyncGenerator[PluginPeer, None]:
        """Start the program for as long as the block lasts.

        Raises:
            PeerStartError: If it cannot be started.
        """
        self._calls.begin(epoch)
        settings = self._parts.settings
        environment = self._parts.environment_of(self.candidate)
        async with self._parts.open_peer(
            self._command(environment.get("PATH", "")),
            cwd=self.candidate.folder,
            env=environment,
            owner=self._owner,
            options=PeerOptions(
                name=f"plugin {self.id}",
                first_id=self.wire.first_id,
                events_lost=self._events_lost,
                memory_bytes=settings.memory_bytes,
                processes=settings.processes,
            ),
            limits=settings.limits,
        ) as peer:
            yield peer

    async def greet(self, peer: PluginPeer) -> str | None:
        """Shake hands, and return why that came to nothing; `None`: it is of use."""
        seconds = self._parts.settings.handshake_seconds
        order = self.wire.greeting(self._welcome())
        try:
            result = await peer.call(order.method, order.params, timeout_seconds=seconds)
        except RpcError as error:
            return f"it refused the handshake: {error}"
        except PeerTimeoutError:
            return f"handshake timed out after {seconds:g}s"
        except PeerGoneError as error:
            return f"child exited before handshake completed: {error}"
        except PeerError as error:
            return f"invalid handshake payload: {error}"
        greeting = self.wire.greeted(result)
        if isinstance(greeting, BadGreeting):
            return greeting.reason
        self._calls.attach(peer)
        self._greeted(greeting)
        return None

    async def answers(self, peer: PluginPeer) -> bool:
        """Ping it, and return whether it is well."""
        seconds = self._parts.settings.ping_seconds
        order = self.wire.ping()
        try:
            await peer.call(order.method, order.params, timeout_seconds=seconds)
        except RpcError:
            # It has answered.
            pass
        except PeerError:
            return self._may_ignore_pings()
        self._ever_answered_ping = True
        return True

    async def part(self, peer: PluginPeer, reason: str) -> None:
        """Tell it to end, and wait until it has."""
        farewell = self.wire.farewell(reason)
        order = farewell.order
        await peer.stop(
            Farewell(method=order.method, params=order.params, is_request=farewell.is_request),
            grace_seconds=self._parts.settings.grace_seconds(self.candidate.manifest.dialect),
        )

    def gone(self, reason: str, *, is_unasked: bool) -> None:
        """Take it that the program does not answer any more."""
        self._calls.detach(f"plugin not ready: {reason}", is_unasked=is_unasked)
        if is_unasked:
            self._parts.audit.note(AuditKind.CRASHED, self.id, reason)

    def _command(self, search_path: str) -> list[str]:
        run = self.candidate.manifest.run
        if run is None:
            raise PeerStartError("", "its manifest names no program")
        found = find_program(run.command, self.candidate.folder, search_path)
        if isinstance(found, BadProgram):
            raise PeerStartError(run.command, str(found))
        return [str(found), *run.args]

    def _welcome(self) -> Welcome:
        workspace = self._parts.workspace_of(self.candidate)
        return Welcome(
            manifest=self.candidate.manifest,
            host_version=self._parts.host_version,
            workspace_root=str(workspace.root),
            workspace_trusted=workspace.trusted,
            flags=self._parts.flags_of(self.id),
        )

    def _events_lost(self, lost: int) -> dict[str, Any]:
        context = self._calls.event_context(NOWHERE)
        return {"event": "events_lost", "context": context, "payload": {"lost": lost}}

    def _may_ignore_pings(self) -> bool:
        """Say whether a missed ping proves nothing, as the plugin may know none."""
        if self.wire.must_answer_pings or self._ever_answered_ping:
            return False
        self._ignores_pings = True
        logger.info("plugin %s: it does not answer what it does not know; not watched", self.id)
        return True
