"""The way of every call to a plugin's program, and of what comes back while it is open."""

import itertools
import secrets
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from extensions.errors import PluginCallError
from extensions.hooks import Occasion
from extensions.plugins.breaking import ENDED_MEANWHILE, LetThrough
from extensions.plugins.contexts import MOST_CONTEXTS, Contexts, ContextTier
from extensions.plugins.dialects.dialect import CallMark, Order
from extensions.plugins.open_calls import OpenCalls
from extensions.plugins.peers import PluginPeer
from extensions.plugins.served import OnDelta, ToolProgress
from extensions.process.breaker import Breaker
from extensions.rpc.errors import PeerGoneError, RpcError

OnProgress: TypeAlias = Callable[[ToolProgress], None]
"""Told how far a call has come."""

_MOST_EVENT_CONTEXTS = 64
_EVENT_CONTEXT_AGE = MOST_CONTEXTS // 2
"""After how many calls and events there is another one: only the newest contexts are known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _EventContext:
    """A context for events, and when it was made: its number among calls and events."""

    context: Mapping[str, str]
    number: int


class Calls:
    """The calls of one plugin."""

    def __init__(self, plugin_id: str, *, is_for_one_party: bool) -> None:
        self._plugin_id = plugin_id
        self._peer: PluginPeer | None = None
        self._dismissed: PluginPeer | None = None
        """The program that was ended last because somebody asked for it."""
        self._down_because = "not ready; state = spawning"
        self._numbers = itertools.count(1)
        self._secret = ""
        self._progress: dict[str, OnProgress] = {}
        self._deltas: dict[str, OnDelta] = {}
        self._told_for: OrderedDict[Occasion, _EventContext] = OrderedDict()
        self._under_way = 0
        self.breaker = Breaker(f"ext:stdio:{plugin_id}")
        self.contexts = Contexts()
        self.open = OpenCalls(is_for_one_party=is_for_one_party)

    @property
    def peer(self) -> PluginPeer | None:
        """The program that is called; `None` while there is none."""
        return self._peer

    @property
    def is_busy(self) -> bool:
        """Whether the program has been asked something that it has not answered yet."""
        return self._under_way > 0

    def begin(self, epoch: int) -> None:
        """Take it that another program is being started: what was given to others is stale."""
        self.contexts.begin_epoch(epoch)
        self._told_for.clear()
        # A plugin may know how its own contexts begin; it knows each of them anyway.
        self._secret = secrets.token_urlsafe(12)

    def attach(self, peer: PluginPeer) -> None:
        """Call this program from now on."""
        self._peer = peer
        self.breaker.reset()

    def detach(self, reason: str, *, is_unasked: bool) -> None:
        """Call no program, because of that.

        Args:
            reason: Why, for those who would call it.
            is_unasked: Whether the program has ended by itself.
        """
        if not is_unasked:
            self._dismissed = self._peer
        self._peer = None
        self._down_because = reason

    def mark(
        self, occasion: Occasion, tier: ContextTier | None, call_id: str | None = None
    ) -> CallMark:
        """Return what marks a new call.

        Args:
            occasion: For whom it is made.
            tier: What its context permits; `None`: it has none.
            call_id: What it shall be known by, if no open call is.
        """
        number = next(self._numbers)
        if call_id is None or call_id in self._progress:
            call_id = f"call-{number}"
        if tier is None:
            return CallMark(call_id, occasion)
        context = self.contexts.mint(tier, occasion, secret=f"{self._secret}{number}")
        return CallMark(call_id, occasion, context)

    def event_context(self, occasion: Occasion) -> Mapping[str, str]:
        """Return a context for events: the same one each time, as there may be many of them."""
        number = next(self._numbers)
        known = self._told_for.get(occasion)
        if known is None or number - known.number > _EVENT_CONTEXT_AGE:
            secret = f"{self._secret}{number}"
            context = self.contexts.mint(ContextTier.EVENT, occasion, secret=secret)
            known = self._told_for[occasion] = _EventContext(context=context, number=number)
            if len(self._told_for) > _MOST_EVENT_CONTEXTS:
                self._told_for.popitem(last=False)
        return known.context

    async def ask(self, order: Order, occasion: Occasion, *, timeout_seconds: float) -> Any:
        """Ask the program, for somebody, and return its answer.

        The time limit holds twice: until the plugin is free for them, and until it has answered.

        Raises:
            RpcError: If it answered with an error.
            PluginCallError: If it gave no answer.
        """
        try:
            number = await self.open.enter(occasion, timeout_seconds=timeout_seconds)
        except TimeoutError:
            raise PluginCallError(self._plugin_id, "it is busy with somebody else") from None
        is_given_up = True
        try:
            answer = await self.ask_freely(order, timeout_seconds=timeout_seconds)
            is_given_up = False
        except RpcError:
            is_given_up = False
            raise
        finally:
            self.open.leave(number, is_given_up=is_given_up)
        return answer

    async def ask_freely(self, order: Order, *, timeout_seconds: float) -> Any:
        """Ask the program, for nobody in particular, and return its answer.

        Raises:
            RpcError: If it answered with an error.
            PluginCallError: If it gave no answer.
        """
        peer = self._peer
        if peer is None:
            raise PluginCallError(self._plugin_id, self._down_because)
        self._under_way += 1
        try:
            with LetThrough(self.breaker, self._plugin_id):
                return await peer.call(order.method, order.params, timeout_seconds=timeout_seconds)
        except PluginCallError as error:
            if peer is self._dismissed and isinstance(error.__cause__, PeerGoneError):
                raise PluginCallError(self._plugin_id, ENDED_MEANWHILE) from error
            raise
        finally:
            self._under_way -= 1

    @asynccontextmanager
    async def followed(
        self, call_id: str, on_progress: OnProgress | None, on_delta: OnDelta | None = None
    ) -> AsyncGenerator[None, None]:
        """Hand on what the plugin says of a call, as long as the block lasts."""
        if on_progress is not None:
            self._progress[call_id] = on_progress
        if on_delta is not None:
            self._deltas[call_id] = on_delta
        try:
            yield
        finally:
            self._progress.pop(call_id, None)
            self._deltas.pop(call_id, None)

    def progressed(self, call_id: str, progress: ToolProgress) -> None:
        """Hand on how far a call has come; nothing happens if nobody wants to know."""
        told = self._progress.get(call_id)
        if told is not None:
            told(progress)

    def delta_came(self, call_id: str, event: Mapping[str, Any]) -> None:
        """Hand on a part of an answer; nothing happens if nobody wants it."""
        told = self._deltas.get(call_id)
        if told is not None:
            told(event)
