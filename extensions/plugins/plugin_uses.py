"""What one asks of a plugin: to use a tool, run a command, complete it, answer as a model."""

import logging
from collections.abc import Mapping
from typing import Any

from extensions.errors import PluginCallError
from extensions.hooks import Occasion
from extensions.plugins.calls import Calls, OnProgress
from extensions.plugins.contexts import ContextTier
from extensions.plugins.dialects.dialect import CallMark, Order, Unusable
from extensions.plugins.json_values import as_object
from extensions.plugins.lifecycle import Restarting
from extensions.plugins.offers import Offers
from extensions.plugins.parts import HostSettings
from extensions.plugins.peers import PluginPeer
from extensions.plugins.plugin_program import PluginProgram
from extensions.plugins.registrations import PluginAnswer, PluginCompletion
from extensions.plugins.served import OnDelta
from extensions.plugins.supervision import Supervisor
from extensions.rpc.errors import ErrorCode, RpcError

logger = logging.getLogger(__name__)


class PluginUses:
    """The side of a plugin that is asked."""

    def __init__(
        self,
        program: PluginProgram,
        calls: Calls,
        offers: Offers,
        supervisor: Supervisor[PluginPeer],
        settings: HostSettings,
    ) -> None:
        self._program = program
        self._calls = calls
        self._offers = offers
        self._supervisor = supervisor
        self._settings = settings

    @property
    def id(self) -> str:
        """Its id."""
        return self._program.id

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any],
        occasion: Occasion,
        *,
        call_id: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> PluginAnswer:
        """Use one of its tools; a program that is just being started again is waited for.

        Args:
            name: As the plugin calls it.
            arguments: Are checked against the tool's schema.
            occasion: For whom.
            call_id: What the call shall be known by, if it is known by something.
            on_progress: Told how far it has come, if the plugin says so.

        Raises:
            PluginCallError: If it came to nothing.
        """
        await self._come_back()
        self._check(name, arguments)
        mark = self._mark(occasion, ContextTier.EVENT, call_id)
        try:
            if on_progress is None:
                result = await self._use(name, arguments, mark)
            else:
                async with self._calls.followed(mark.call_id, on_progress):
                    result = await self._use(name, arguments, mark)
        except (RpcError, PluginCallError) as error:
            raise self._failure(f"tool `{name}`", error) from error
        answer = self._program.wire.tool_answer(result)
        if isinstance(answer, Unusable):
            raise PluginCallError(self.id, f"tool `{name}` failed: {answer.reason}")
        return answer

    async def run_command(self, name: str, raw: str, occasion: Occasion) -> str:
        """Run one of its commands, and return what it says to people, never empty.

        Raises:
            PluginCallError: If it failed; its `reason` is what people are shown.
        """
        await self._come_back()
        wire = self._program.wire
        order = wire.command(name, raw, self._mark(occasion, ContextTier.COMMAND))
        if order is None or not self._offers.has_command(name):
            raise PluginCallError(self.id, f"it has no command /{name}")
        seconds = self._settings.command_seconds
        try:
            result = await self._calls.ask(order, occasion, timeout_seconds=seconds)
        except (RpcError, PluginCallError) as error:
            raise self._failure(f"/{name}", error) from error
        return wire.command_answer(result) or f"/{name}: done"

    async def complete_command(
        self, name: str, partial: str, occasion: Occasion
    ) -> list[PluginCompletion]:
        """Return what the arguments may be completed to; nothing if that cannot be found out."""
        wire = self._program.wire
        order = wire.completion(name, partial, self._mark(occasion, ContextTier.EVENT))
        if order is None or not self._offers.has_command(name):
            return []
        seconds = self._settings.complete_seconds
        try:
            # For nobody in particular: who types waits for no one else, and is asked nothing.
            result = await self._calls.ask_freely(order, timeout_seconds=seconds)
        except (RpcError, PluginCallError) as error:
            logger.debug("plugin %s completes nothing: %s", self.id, type(error).__name__)
            return []
        return wire.completions(result)

    async def complete_with(
        self,
        request: Mapping[str, Any],
        occasion: Occasion,
        *,
        on_delta: OnDelta | None = None,
    ) -> Mapping[str, Any]:
        """Have one of its providers answer.

        Args:
            request: `provider`, `model`, `messages` and whatever else the dialect knows.
            occasion: For whom.
            on_delta: Called with each part of the answer, if it sends parts.

        Raises:
            PluginCallError: If it came to nothing.
        """
        if not self._offers.registrations.providers:
            raise PluginCallError(self.id, "it gives access to no models")
        mark = self._mark(occasion, ContextTier.EVENT)
        own = {"request_id": mark.call_id, "context": mark.context, "stream": on_delta is not None}
        order = Order("provider/complete", {**request, **own})
        seconds = self._settings.provider_seconds
        try:
            async with self._calls.followed(mark.call_id, None, on_delta):
                result = await self._calls.ask(order, occasion, timeout_seconds=seconds)
        except RpcError as error:
            raise self._failure("its provider", error) from error
        answer = as_object(result)
        if answer is None:
            raise PluginCallError(self.id, "its provider's answer is not an object")
        return answer

    async def request(
        self, method: str, params: Mapping[str, Any], *, timeout_seconds: float
    ) -> Any:
        """Ask its program anything else, for nobody in particular.

        Raises:
            PluginCallError: If it came to nothing.
        """
        order = Order(method, dict(params))
        try:
            return await self._calls.ask_freely(order, timeout_seconds=timeout_seconds)
        except RpcError as error:
            raise self._failure(method, error) from error

    async def _come_back(self) -> None:
        """Wait a little for a program that ended unasked, so that its end need not be noticed."""
        if isinstance(self._supervisor.lifecycle.state, Restarting):
            await self._supervisor.ready_within(self._settings.comeback_seconds)

    async def _use(self, name: str, arguments: Mapping[str, Any], mark: CallMark) -> Any:
        manifest, wire, occasion = (
            self._program.candidate.manifest,
            self._program.wire,
            mark.occasion,
        )
        if manifest.passes_context:
            ids = {"agent_id": occasion.agent_id, "session_id": occasion.session_id}
            arguments = {**arguments, "_meta": ids}
        seconds = self._settings.tool_seconds(manifest.dialect)
        order = wire.tool_call(name, arguments, mark)
        try:
            return await self._calls.ask(order, occasion, timeout_seconds=seconds)
        except RpcError as error:
            older = wire.older_tool_call(name, arguments)
            if error.code != ErrorCode.METHOD_NOT_FOUND or older is None:
                raise
        return await self._calls.ask(older, occasion, timeout_seconds=seconds)

    def _check(self, name: str, arguments: Mapping[str, Any]) -> None:
        check = self._offers.checks.get(name)
        if check is None:
            raise PluginCallError(self.id, f"it has no tool `{name}`")
        complaint = check(arguments)
        if complaint is not None:
            reason = f"tool `{name}` does not take these arguments: {complaint}"
            raise PluginCallError(self.id, reason)

    def _mark(self, occasion: Occasion, tier: ContextTier, call_id: str | None = None) -> CallMark:
        return self._calls.mark(
            occasion, tier if self._program.wire.has_contexts else None, call_id
        )

    def _failure(self, what: str, error: RpcError | PluginCallError) -> PluginCallError:
        """Return that something came to nothing, in the words that people and models are shown."""
        why = error.message if isinstance(error, RpcError) else error.reason
        return PluginCallError(self.id, f"{what} failed: {why}")
