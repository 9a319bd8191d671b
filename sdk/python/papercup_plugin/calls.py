"""What the host asks or tells: on whose behalf, and whether it still waits."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from papercup_plugin.errors import CallCancelled, NoAnswerError, NoUiError
from papercup_plugin.json_values import as_object
from papercup_plugin.link import Link, Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from papercup_plugin.facts import Facts
    from papercup_plugin.loops import Loop
    from papercup_plugin.orders import Order

T = TypeVar("T")


class Call:
    """One request or event that the plugin is at work on.

    What its author's function asks goes through it, so that all of it ends when the host does not
    wait any more.
    """

    def __init__(
        self,
        link: Link,
        facts: Facts,
        loop: Loop,
        *,
        context: dict[str, Any] | None = None,
        call_id: str | None = None,
        event: str | None = None,
        session_id: str | None = None,
    ) -> None:
        self.link = link
        self.facts = facts
        self.loop = loop
        """Where what is `async` runs."""
        self.context = context
        self.call_id = call_id
        self.event = event
        self.session_id = session_id or facts.session_id
        self.signal = threading.Event()
        """Set when nobody waits for the answer any more."""
        self.is_over = False
        """Whether it was answered: a context that is kept for later may be too old by then."""
        self._was_ended = False
        """Whether its function was told that nobody waits any more."""
        self._ways_out: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    @property
    def is_cancelled(self) -> bool:
        """Whether nobody waits for the answer any more."""
        return self.signal.is_set()

    def cancel(self) -> None:
        """Take it that nobody waits for the answer any more."""
        with self._lock:
            self.signal.set()
            ways_out, self._ways_out = self._ways_out, []
        for way_out in ways_out:
            way_out()

    def on_cancel(self, way_out: Callable[[], None]) -> None:
        """Have something called when the call is cancelled; at once if it is already."""
        with self._lock:
            if not self.is_cancelled:
                self._ways_out.append(way_out)
                return
        way_out()

    def forget(self, way_out: Callable[[], None]) -> None:
        """Have it called no more."""
        with self._lock:
            if way_out in self._ways_out:
                self._ways_out.remove(way_out)

    def ask(self, order: Order[T], timeout_seconds: float | None = None) -> T:
        """Ask the host, and wait for its answer; never in a thread that must not wait.

        Raises:
            HostError: If it answered with an error.
            NoAnswerError: If it gave no answer.
            CallCancelled: If nobody waits for this call any more. It comes once: what the function
                asks after it, in order to tidy up, is asked.
        """
        ends = not self._was_ended
        if ends:
            self.raise_if_cancelled()
        replies: list[Reply] = []
        came = threading.Event()

        def take(reply: Reply) -> None:
            replies.append(reply)
            came.set()

        number = self.link.ask(order.method, self._params(order), take)
        if ends:
            self.on_cancel(came.set)
        try:
            came.wait(order.timeout_seconds if timeout_seconds is None else timeout_seconds)
        finally:
            self.forget(came.set)
            if not replies:
                self.link.give_up(number)
        if ends:
            self.raise_if_cancelled()
        return read(order, replies[0] if replies else timed_out(order))

    async def ask_async(self, order: Order[T], timeout_seconds: float | None = None) -> T:
        """As `ask`, for functions that are `async`; a cancelled one ends as all tasks do."""
        import asyncio  # noqa: PLC0415 - whoever is here has it already; others do without

        loop = asyncio.get_running_loop()
        reply: asyncio.Future[Reply] = loop.create_future()

        def settle(came: Reply) -> None:
            if not reply.done():
                reply.set_result(came)

        def take(came: Reply) -> None:
            # The loop may be an author's own, and gone by now.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(settle, came)

        number = self.link.ask(order.method, self._params(order), take)
        try:
            seconds = order.timeout_seconds if timeout_seconds is None else timeout_seconds
            async with asyncio.timeout(seconds):
                came = await reply
        except TimeoutError:
            came = timed_out(order)
        finally:
            # Does nothing if there was an answer.
            self.link.give_up(number)
        return read(order, came)

    def raise_if_cancelled(self) -> None:
        """Raise `CallCancelled` if nobody waits for the answer any more."""
        if self.is_cancelled:
            self._was_ended = True
            raise CallCancelled

    def _params(self, order: Order[Any]) -> dict[str, Any]:
        is_question = order.method == "ui/request"
        is_sent = order.needs_context or (
            is_question and self.facts.takes_contexts_with_questions and not self.is_over
        )
        if not is_sent or self.context is None:
            return order.params
        return {**order.params, "context": self.context}


def timed_out(order: Order[Any]) -> Reply:
    """Return what stands for the answer that did not come in time."""
    if order.method == "ui/request":
        return Reply({"cancelled": True})
    return Reply(error=NoAnswerError(f"the host did not answer {order.method} in time"))


def read(order: Order[T], reply: Reply) -> T:
    """Return what an answer says.

    Raises:
        HostError: If it is an error, other than that there is nobody to be asked.
    """
    # Where nobody can be asked, nobody answers: so a gate stays shut.
    if order.method == "ui/request" and isinstance(reply.error, NoUiError):
        return order.read({"cancelled": True})
    if reply.error is not None:
        raise reply.error
    return order.read(as_object(reply.result) or {})
