"""The requests of a peer that are being answered, each in a task of its own."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from extensions.errors import LocalProtocolError
from extensions.rpc.encoding import encode_failure, encode_success
from extensions.rpc.messages import (
    ErrorCode,
    Request,
    RequestId,
    RpcError,
    read_params,
)

logger = logging.getLogger(__name__)

Handler = Callable[[str, dict[str, Any], RequestId], Awaitable[Any]]
"""Answers a request of that method, with those params and that id; raises RpcError."""

_CANCELLED = RpcError(ErrorCode.CANCELLED, "cancelled")
_INTERNAL = RpcError(ErrorCode.INTERNAL_ERROR, "internal error")


class Serving:
    """Has requests answered: none waits for another, and each gets one answer at most."""

    def __init__(
        self, handler: Handler, *, answer: Callable[[RequestId, bytes], None], limit: int, name: str
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._handler = handler
        self._answer = answer
        self._limit = limit
        self._name = name
        self._tasks: dict[RequestId, asyncio.Task[None]] = {}
        self._taken_back: set[RequestId] = set()
        self.refused = 0
        """How many were answered that they cannot be, without anybody being asked."""

    def __len__(self) -> int:
        return len(self._tasks)

    def begin(self, request: Request) -> None:
        """Have a request answered; at once, if that is an error."""
        if request.id in self._tasks:
            error = RpcError(ErrorCode.INVALID_REQUEST, "a request with this id is open already")
            self._refuse(request.id, error)
        elif len(self._tasks) >= self._limit:
            error = RpcError(ErrorCode.BLOCKED, f"busy: {self._limit} requests are open already")
            self._refuse(request.id, error)
        else:
            # Owned by whoever owns this: `abandon` and `finished` end it.
            task = self._loop.create_task(self._serve(request))
            self._tasks[request.id] = task
            task.add_done_callback(lambda _: self._ended(request.id, task))

    def take_back(self, request_id: object) -> bool:
        """Stop answering a request, which is answered so; return whether it was open."""
        if not isinstance(request_id, int | str) or request_id not in self._tasks:
            return False
        self._taken_back.add(request_id)
        self._tasks[request_id].cancel()
        return True

    def abandon(self) -> None:
        """Stop answering all of them: nobody is left to read it."""
        for task in self._tasks.values():
            task.cancel()

    async def finished(self, timeout_seconds: float) -> None:
        """Wait until none is being answered; not for one that will not be stopped."""
        if self._tasks:
            _, stuck = await asyncio.wait(self._tasks.values(), timeout=timeout_seconds)
            if stuck:
                logger.error("%s: %d requests cannot be stopped", self._name, len(stuck))

    async def _serve(self, request: Request) -> None:
        try:
            params = read_params(request.params)
            line = encode_success(
                request.id, await self._handler(request.method, params, request.id)
            )
        except RpcError as error:
            line = self._failure(request.id, error)
        except Exception:
            logger.exception("%s: answering %.80r failed", self._name, request.method)
            line = encode_failure(request.id, _INTERNAL)
        self._answer(request.id, line)

    def _failure(self, request_id: RequestId, error: RpcError) -> bytes:
        try:
            return encode_failure(request_id, error)
        except LocalProtocolError:
            logger.exception("%s: the data of an error are not JSON", self._name)
            return encode_failure(request_id, RpcError(error.code, error.message))

    def _refuse(self, request_id: RequestId, error: RpcError) -> None:
        self.refused += 1
        self._answer(request_id, encode_failure(request_id, error))

    def _ended(self, request_id: RequestId, task: asyncio.Task[None]) -> None:
        del self._tasks[request_id]
        was_taken_back = request_id in self._taken_back
        self._taken_back.discard(request_id)
        # Here and not in the task: one that is cancelled before its first step does nothing at all.
        if task.cancelled() and was_taken_back:
            self._answer(request_id, encode_failure(request_id, _CANCELLED))
