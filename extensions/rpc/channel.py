"""The talk with a peer over its three pipes, both ways; how it lives and ends is not seen here."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from extensions.rpc.budgets import Allowance
from extensions.rpc.counts import Counts
from extensions.rpc.encoding import encode_failure, encode_notification, encode_request
from extensions.rpc.errors import (
    BadAnswerError,
    FrameTooLargeError,
    PeerBusyError,
    PeerError,
    PeerTimeoutError,
)
from extensions.rpc.event_lane import EventLane
from extensions.rpc.framing import LineSplitter, Oversized
from extensions.rpc.grumbling import Grumbling
from extensions.rpc.messages import (
    Bad,
    ErrorCode,
    Failure,
    Notification,
    Params,
    Request,
    RequestId,
    RpcError,
    Success,
    Unreadable,
    parse_frame,
    read_params,
)
from extensions.rpc.options import PeerOptions, PeerOwner
from extensions.rpc.pending import Outcome, PendingCalls
from extensions.rpc.pipes import ReadPipe, WritePipe
from extensions.rpc.serving import Serving
from extensions.rpc.spawning import Spawned

_CANCEL = "$/cancel"
_MESSAGE_COST_BYTES = 4096
"""What a message costs beside its bytes: the time that it takes."""
_TURN_COST_BYTES = 64 * _MESSAGE_COST_BYTES
"""What is done before others have their turn."""
_DISCARD_SHARE = 10
"""Bytes that are only thrown away cost so many times less."""
_EVENTS_BEHIND_BYTES = 64 * 1024
"""Events are handed to the pipe only while less than this waits: so they delay no call."""
_SMALL_ROOM_SHARE = 4
"""Answers and notifications have this share of the room that calls have beyond it."""

logger = logging.getLogger(__name__)


class Channel:
    """Asks and tells the peer, and has its requests answered."""

    def __init__(
        self,
        spawned: Spawned,
        *,
        owner: PeerOwner,
        options: PeerOptions,
        broken: Callable[[str], None],
    ) -> None:
        """Begin to talk.

        Args:
            spawned: The program and its pipes.
            owner: Is told what it asks and says.
            options: How it is spoken to.
            broken: Called with a sentence's end when the peer has closed one of the two pipes.
        """
        self._loop = asyncio.get_running_loop()
        now = self._loop.time()
        self.last_heard = now
        self._owner = owner
        self._options = options
        self._counts = Counts()
        self._last_id = options.first_id - 1
        self._calls = PendingCalls()
        self._splitter = LineSplitter(options.frame_bytes)
        self._budget = Allowance(
            options.unasked_bytes_per_second, options.unasked_bytes_per_second / 20, now=now
        )
        self._untaken: deque[bytes | Oversized] = deque()
        self._grumbling = Grumbling(options, owner, now=now)
        self._event_number = 0
        self._events = EventLane(
            limit=options.queued_events,
            limit_bytes=options.queued_bytes,
            lost_line=lambda lost: encode_notification(
                options.event_method, options.events_lost(lost)
            ),
        )
        self._serving = Serving(
            owner.requested, answer=self._answer, limit=options.open_requests, name=options.name
        )
        self._stdin = WritePipe(
            spawned.stdin,
            drained=self._send_events,
            closed=lambda: broken("it closed its standard input"),
        )
        self._stdout = ReadPipe(
            spawned.stdout,
            received=self._received,
            closed=lambda: broken("it closed its standard output"),
            resumed=self._take_some,
        )
        self._stderr = ReadPipe(spawned.stderr, received=self._complained, closed=lambda: None)

    @property
    def counts(self) -> Mapping[str, int]:
        """What has happened so far, by name."""
        return {
            **self._counts.by_name(),
            "open_calls": len(self._calls),
            "open_requests": len(self._serving),
            "refused_requests": self._serving.refused,
            "events_lost": self._events.lost,
            "stderr_dropped_bytes": self._grumbling.dropped_bytes,
        }

    async def call(self, method: str, params: Params, timeout_seconds: float) -> Any:
        """Ask the peer, and return its answer; see `Peer.call`."""
        call_id, answer = self._ask(method, params, timeout_seconds)
        try:
            outcome = await answer
        except asyncio.CancelledError:
            if self._calls.forget(call_id):
                self.notify(*self._options.cancelling(call_id))
            raise
        if isinstance(outcome, Success) and not isinstance(outcome.result, Unreadable):
            return outcome.result
        raise self._error(outcome, call_id)

    def notify(self, method: str, params: Params) -> None:
        """Tell the peer something; see `Peer.notify`."""
        self._send_small(encode_notification(method, params))

    def observe(self, event_params: Callable[[int], Params]) -> None:
        """Tell the peer an event; see `Peer.observe`."""
        line = encode_notification(self._options.event_method, event_params(self._event_number))
        self._event_number += 1
        self._events.put(line)
        if not self._stdin.waiting_bytes:
            self._send_events()

    def close_stdin(self) -> None:
        """Say that nothing more will come, once what waits is written."""
        self._stdin.close_when_empty()

    def drain(self) -> None:
        """Take what the peer has written by now."""
        self._stdout.drain()
        while self._untaken:
            self._take_some()
        self._stderr.drain()

    def close(self, error: PeerError) -> None:
        """End the talk: calls that are open end with `error`, requests are not answered."""
        for pipe in (self._stdin, self._stdout, self._stderr):
            pipe.close()
        self._grumbling.close()
        self._calls.end(error)
        self._serving.abandon()

    async def closed(self, timeout_seconds: float) -> None:
        """Wait until no request is being answered any more."""
        await self._serving.finished(timeout_seconds)

    def _ask(
        self, method: str, params: Params, timeout_seconds: float
    ) -> tuple[int, asyncio.Future[Outcome]]:
        """Send a request; return its id, and what its outcome will stand in."""
        if self._stdin.waiting_bytes > self._options.queued_bytes:
            self._counts.shed += 1
            raise PeerBusyError("it does not read what it was sent")
        if len(self._calls) >= self._options.open_calls:
            self._counts.shed += 1
            raise PeerBusyError(f"{len(self._calls)} calls are open already")
        self._last_id = call_id = self._last_id + 1
        line = encode_request(call_id, method, params)
        if len(line) > self._options.frame_bytes:
            raise FrameTooLargeError(self._options.frame_bytes, is_answer=False)
        self._counts.calls += 1
        answer = self._calls.add(call_id, method, timeout_seconds)
        self._send(line)
        return call_id, answer

    def _send(self, line: bytes) -> None:
        if self._events:
            # Those that were told before; as many as delay nothing.
            self._send_events()
        # Several that are made at once go together; one alone need not wait for others.
        if len(self._calls) > 1:
            self._stdin.write_soon(line)
        else:
            self._stdin.write(line)

    def _send_small(self, line: bytes) -> None:
        waiting = self._stdin.waiting_bytes
        room = self._options.queued_bytes + self._options.queued_bytes // _SMALL_ROOM_SHARE
        if waiting and waiting + len(line) > room:
            self._counts.unsent += 1
        else:
            self._stdin.write_soon(line)

    def _send_events(self) -> None:
        while self._stdin.waiting_bytes < _EVENTS_BEHIND_BYTES and (line := self._events.take()):
            self._stdin.write_soon(line)

    def _answer(self, request_id: RequestId, line: bytes) -> None:
        if len(line) > self._options.frame_bytes:
            error = FrameTooLargeError(self._options.frame_bytes, is_answer=True)
            line = encode_failure(request_id, RpcError(ErrorCode.INTERNAL_ERROR, str(error)))
        self._send_small(line)

    def _received(self, data: bytes) -> None:
        discarded = self._splitter.discarded_bytes
        self._untaken += self._splitter.feed(data)
        discarded = self._splitter.discarded_bytes - discarded
        self._take_some(discarded // _DISCARD_SHARE)

    def _take_some(self, cost: int = 0) -> None:
        """Do what the lines say that came; if that costs much, let it wait for the rest."""
        now = self._loop.time()
        while self._untaken and cost < _TURN_COST_BYTES:
            cost += self._take(self._untaken.popleft(), now)
        seconds = self._budget.spend(cost, now=now) if cost else 0
        if seconds or self._untaken:
            self._counts.throttled += seconds > 0
            self._stdout.pause(seconds)

    def _take(self, piece: bytes | Oversized, now: float) -> int:
        """Do what a line says, and return what it cost, if nobody asked for it."""
        if isinstance(piece, Oversized):
            self._oversized(piece)
            return _MESSAGE_COST_BYTES
        frame = parse_frame(piece)
        if isinstance(frame, Success | Failure):
            self.last_heard = now
            if self._calls.settle(frame.id, frame):
                return 0
            self._counts.unmatched += 1
        elif isinstance(frame, Bad):
            self._counts.garbage += 1
            self._grumbling.garbage(frame.reason, now=now)
        else:
            self.last_heard = now
            self._asked(frame)
        return len(piece) + _MESSAGE_COST_BYTES

    def _asked(self, frame: Request | Notification) -> None:
        if isinstance(frame, Request):
            self._counts.requests += 1
            self._serving.begin(frame)
            return
        self._counts.notifications += 1
        try:
            params = read_params(frame.params)
            if frame.method == _CANCEL:
                self._serving.take_back(params.get("id"))
            else:
                self._owner.notified(frame.method, params)
        except RpcError:
            self._counts.garbage += 1
        except Exception:
            logger.exception("%s: taking %.80r failed", self._options.name, frame.method)

    def _oversized(self, piece: Oversized) -> None:
        self._counts.oversized += 1
        error = FrameTooLargeError(self._options.frame_bytes, is_answer=not piece.is_request)
        if not piece.is_request:
            self._calls.settle(piece.id, error)
        elif piece.id is not None:
            refusal = RpcError(ErrorCode.INVALID_REQUEST, str(error))
            self._answer(piece.id, encode_failure(piece.id, refusal))

    def _complained(self, data: bytes) -> None:
        now = self._loop.time()
        self._grumbling.complained(data, now=now)
        if seconds := self._budget.spend(len(data) // 2, now=now):
            self._counts.throttled += 1
            self._stderr.pause(seconds)

    def _error(self, outcome: Outcome, call_id: int) -> Exception:
        if isinstance(outcome, Success):
            return BadAnswerError(outcome.result.reason)
        if isinstance(outcome, Failure):
            data = None if isinstance(outcome.data, Unreadable) else outcome.data
            return RpcError(outcome.code, outcome.message, data)
        if isinstance(outcome, PeerTimeoutError):
            self._counts.timeouts += 1
            self.notify(*self._options.cancelling(call_id))
        return outcome
