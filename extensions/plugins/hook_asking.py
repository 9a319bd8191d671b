"""Asks one plugin at a hook point, whatever state it is in."""

import logging
from collections.abc import Callable

from extensions.errors import LocalProtocolError, PluginCallError
from extensions.hooks import HookPoint, Occasion, Payload
from extensions.plugins.calls import Calls
from extensions.plugins.contexts import ContextTier
from extensions.plugins.dialects.dialect import Blocks, Continues, HookAnswer, Unusable
from extensions.plugins.guarding import GUARDED, guard_words
from extensions.plugins.lifecycle import Failed, Ready, Shutdown, Spawning
from extensions.plugins.offers import Offers
from extensions.plugins.peers import PluginPeer
from extensions.plugins.plugin_program import PluginProgram
from extensions.plugins.supervision import Supervisor
from extensions.rpc.errors import ErrorCode, RpcError

logger = logging.getLogger(__name__)


class HookAsking:
    """Knows what a plugin is asked, and asks it."""

    def __init__(
        self,
        program: PluginProgram,
        calls: Calls,
        offers: Offers,
        supervisor: Supervisor[PluginPeer],
        changed: Callable[[], None],
    ) -> None:
        """Make it.

        Args:
            program: Whose hooks these are.
            calls: The way to it.
            offers: What it said that it offers.
            supervisor: Knows where it stands.
            changed: Called when it has turned out whether it has a hook.
        """
        self._program = program
        self._calls = calls
        self._offers = offers
        self._supervisor = supervisor
        self._changed = changed
        self._has: dict[HookPoint, bool] = {}
        """Of a plugin that does not say which hooks it has: whether it has that one, if known."""
        self._inherited: frozenset[HookPoint] = frozenset()
        """What the plugin guarded in whose place it stands."""

    def greeted(self) -> None:
        """Take it that another program runs, which may have other hooks."""
        self._has = {point: True for point, is_there in self._has.items() if is_there}

    def inherit(self, other: "HookAsking") -> None:
        """Guard what another guards, in whose place this one stands, until it says what it has."""
        self._inherited = frozenset(point for point in GUARDED if other.may_be_asked(point))

    def may_be_asked(self, point: HookPoint) -> bool:
        """Say whether the plugin has a say there at present, or may soon."""
        name = self._program.wire.hook_name(point)
        declared = self._program.candidate.manifest.capabilities.hooks
        if name is None or (declared is not None and name not in declared):
            return False
        state = self._supervisor.lifecycle.state
        if isinstance(state, Failed):
            return point.fails_closed and self._guards(point, name)
        if not self._offers.is_known:
            return isinstance(state, Spawning)
        hooks = self._offers.registrations.hooks
        if isinstance(state, Shutdown) or (hooks is not None and name not in hooks):
            return False
        return hooks is not None or self._has.get(point, True)

    async def ask(self, point: HookPoint, value: Payload, occasion: Occasion) -> HookAnswer:
        """Ask the plugin; never raises, and ends within its time limit.

        One that is being started is waited for where it fails closed; elsewhere it has no say.
        """
        seconds = self._program.hook_seconds or point.timeout_seconds
        if not isinstance(self._supervisor.lifecycle.state, Ready):
            if not point.fails_closed:
                return Continues()
            await self._supervisor.ready_within(seconds)
            if not self.may_be_asked(point):
                return Continues()
            state = self._supervisor.lifecycle.state
            if isinstance(state, Failed) and self._program.is_missed:
                return Blocks(guard_words(self._program.id, state.reason))
        is_there = self._calls.peer is not None
        try:
            return await self._asked(point, value, occasion, seconds)
        except RpcError as error:
            return self._refused(point, error)
        except (PluginCallError, LocalProtocolError) as error:
            if is_there:
                # It did not say that it has no such hook: it may have broken over it.
                self._learn(point, is_there=self._has.get(point, True))
            return Unusable(str(error))

    async def _asked(
        self, point: HookPoint, value: Payload, occasion: Occasion, seconds: float
    ) -> HookAnswer:
        wire = self._program.wire
        tier = ContextTier.COMMAND if wire.has_contexts else None
        order = wire.hook(point, value, self._calls.mark(occasion, tier))
        result = await self._calls.ask(order, occasion, timeout_seconds=seconds)
        self._learn(point, is_there=True)
        return wire.hook_answer(point, result)

    def _learn(self, point: HookPoint, *, is_there: bool) -> None:
        if self._has.get(point) is not is_there:
            self._has[point] = is_there
            self._changed()

    def _guards(self, point: HookPoint, name: str) -> bool:
        """Say whether it guards something, though it is down to stay."""
        # What guards must not stop to guard because it broke; what was never let in guards nothing.
        is_missed = self._program.is_missed
        if not self._offers.is_known:
            is_declared = self._program.candidate.manifest.capabilities.hooks is not None
            was_started = self._supervisor.lifecycle.epoch > 0
            return is_missed or point in self._inherited or (is_declared and was_started)
        hooks = self._offers.registrations.hooks
        return self._has.get(point, is_missed) if hooks is None else name in hooks

    def _refused(self, point: HookPoint, error: RpcError) -> HookAnswer:
        is_unknown = error.code == ErrorCode.METHOD_NOT_FOUND
        if is_unknown and self._offers.registrations.hooks is None:
            # It may well have others.
            logger.info("plugin %s: no hook %s: it is not asked any more", self._program.id, point)
            self._learn(point, is_there=False)
            return Continues()
        self._learn(point, is_there=True)
        if error.code == ErrorCode.BLOCKED:
            return Blocks(error.message or None)
        return Unusable(f"it answered with an error: {error}")
