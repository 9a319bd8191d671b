"""Sends one packet every 20 ms, on time."""

import asyncio
import logging
import threading
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Protocol

from bot.discord_io.voice.playlist import Playlist
from voice.link import PACKET_SECONDS

logger = logging.getLogger(__name__)

_LATE_SECONDS = 0.1
"""Packets that are later than that are not hurried after: their time has passed."""


_PATIENCE_SECONDS = 15.0
"""After so long without keys speech goes by unheard: whoever waits for its end writes it then."""


class Wire(Protocol):
    """What packets go out by."""

    def send(self, opus: bytes) -> bool:
        """Send a packet, and return whether it went; called on any thread."""
        ...


class Playing:
    """Takes packets on the loop's thread, and sends them on one of its own.

    On its own, because there a packet is late by as much as other threads keep the interpreter,
    5 ms each; on the loop's, by as much as whatever else the loop does takes. With a loop that was
    busy for 40 ms six times a second, the 95th percentile was 8 ms, against 31 ms on the loop; of
    a loop with nothing else to do, both were under 1 ms, at the same cost. With nothing to send,
    the thread waits for a condition, which costs nothing.

    Args:
        on_speaking: Called on the loop's thread when speech begins and when it is over.
        patience_seconds: How long speech waits for keys.
    """

    def __init__(
        self,
        on_speaking: Callable[[bool], None],
        *,
        patience_seconds: float = _PATIENCE_SECONDS,
    ) -> None:
        self.sent_count = 0
        self.heard_count = 0
        self.has_listener = False
        """Whether somebody hears what is sent."""
        self._loop = asyncio.get_running_loop()
        self._on_speaking = on_speaking
        self._playlist = Playlist()
        self._changed = threading.Condition()
        self._wire: Wire | None = None
        self._is_over = False
        self._is_speaking = False
        self._patience_seconds = patience_seconds
        self._stuck_since: float | None = None
        """Since when nothing can be sent although there is a connection."""
        self._has_failed = False
        self._waiters: list[tuple[int, asyncio.Future[None]]] = []
        self._next_target: int | None = None
        """The lowest count that somebody waits for."""

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Send while the block lasts."""
        thread = threading.Thread(target=self._run, name="voice-playing", daemon=True)
        thread.start()
        try:
            yield
        finally:
            with self._changed:
                self._is_over = True
                self._wire = None
                self._playlist.drop()
                self._changed.notify()
            self._settle(all_of_them=True)
            # It takes microseconds: the thread sleeps on nothing but the condition.
            thread.join()

    @property
    def waiting_count(self) -> int:
        """How many packets wait to be sent."""
        return self._playlist.waiting_count

    def use(self, wire: Wire | None) -> None:
        """Send by this from now on; `None`: let all wait. The last one is not used any more."""
        with self._changed:
            self._wire = wire
            self._stuck_since = None
            self._changed.notify()

    def add(self, packets: Sequence[bytes]) -> None:
        """Have packets sent after those that wait already."""
        with self._changed:
            refused = len(packets) if self._is_over else self._playlist.add(packets)
            self._changed.notify()
        if refused and not self._is_over:
            logger.warning("%d packets of speech are dropped: too many wait", refused)

    def pause(self) -> None:
        """Send no more of them for now."""
        with self._changed:
            self._playlist.is_paused = True

    def resume(self) -> None:
        """Go on."""
        with self._changed:
            self._playlist.is_paused = False
            self._changed.notify()

    def drop(self) -> None:
        """Forget what waits."""
        with self._changed:
            self._playlist.drop()
            self._changed.notify()
        self._settle(all_of_them=True)

    def breathe(self, frames: int) -> None:
        """Have silence sent although nothing was said."""
        with self._changed:
            self._playlist.breathe(frames)
            self._changed.notify()

    async def sent(self, count: int) -> None:
        """Return once so many were sent, or cannot be any more."""
        with self._changed:
            if not self.sent_count < count <= self.sent_count + self._playlist.waiting_count:
                return
            waiter = self._loop.create_future()
            self._waiters.append((count, waiter))
            self._next_target = min(target for target, _ in self._waiters)
        await waiter

    def _settle(self, *, all_of_them: bool = False) -> None:
        with self._changed:
            is_due = [(each, all_of_them or each[0] <= self.sent_count) for each in self._waiters]
            self._waiters = [each for each, due in is_due if not due]
            self._next_target = min((target for target, _ in self._waiters), default=None)
        for (_, waiter), due in is_due:
            if due and not waiter.done():
                waiter.set_result(None)

    def _run(self) -> None:
        """Send until told to end; on a thread of its own."""
        due_at = 0.0
        with self._changed:
            while not self._is_over:
                if self._wire is None or self._playlist.next_frame is None:
                    self._changed.wait()
                    continue
                now = time.monotonic()
                due_at = now if due_at < now - _LATE_SECONDS else due_at
                if now < due_at:
                    self._changed.wait(due_at - now)
                    continue
                self._send_one(self._wire)
                due_at += PACKET_SECONDS

    def _send_one(self, wire: Wire) -> None:
        frame = self._playlist.next_frame
        assert frame is not None
        try:
            went = wire.send(frame.opus)
        except Exception:
            # Once: fifty may come each second.
            if not self._has_failed:
                logger.exception("a packet of speech could not be sent")
            self._has_failed = True
            went = False
        if frame.is_speech and not went and self.has_listener and self._may_wait():
            # Somebody is there, but has no keys yet; it waits for them. With nobody there, it goes
            # by as if it had been said.
            return
        if went:
            self._stuck_since = None
        self._playlist.step()
        if frame.is_speech:
            self.sent_count += 1
            self.heard_count += went and self.has_listener
        self._tell(is_speech=frame.is_speech)

    def _may_wait(self) -> bool:
        now = time.monotonic()
        if self._stuck_since is None:
            self._stuck_since = now
        return now - self._stuck_since < self._patience_seconds

    def _tell(self, *, is_speech: bool) -> None:
        is_speaking = is_speech or (self._is_speaking and self._playlist.next_frame is not None)
        if is_speaking is not self._is_speaking:
            self._is_speaking = is_speaking
            self._loop.call_soon_threadsafe(self._on_speaking, is_speaking)
        if self._next_target is not None and self.sent_count >= self._next_target:
            self._next_target = None
            self._loop.call_soon_threadsafe(self._settle)
