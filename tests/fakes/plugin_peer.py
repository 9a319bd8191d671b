"""Programs of plugins that are none: what they answer is scripted, so that time can be virtual."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from extensions.process.limits import ProcessLimits
from extensions.rpc.errors import PeerGoneError, PeerStartError, PeerTimeoutError
from extensions.rpc.peer import Farewell, Params, PeerEnd, PeerOptions, PeerOwner

GREETING = {
    "protocol_version": 1,
    "extension": {"name": "fake", "version": "1"},
    "registrations": {"tools": [{"name": "say"}], "hooks": ["tool_call", "input"]},
}
HANG = object()
"""An answer that never comes."""


class FakePeer:
    """Implements `PluginPeer`.

    `answers` says what each method is answered: a value, an error, or what makes one of the params.
    """

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self._loop = asyncio.get_running_loop()
        self._end: asyncio.Future[PeerEnd] = self._loop.create_future()
        self.answers = {"initialize": GREETING, "ping": {}, **answers}
        self.pid = 1
        self.last_heard = self._loop.time()
        self.counts = Counter[str]()
        self.called: list[tuple[str, Params]] = []
        self.observed: list[Params] = []
        self.farewell: Farewell | None = None

    async def call(self, method: str, params: Params, *, timeout_seconds: float) -> Any:
        self.called.append((method, params))
        answer = self.answers.get(method)
        if callable(answer):
            answer = answer(params)
        if answer is HANG:
            try:
                async with asyncio.timeout(timeout_seconds):
                    end = await asyncio.shield(self._end)
            except TimeoutError:
                raise PeerTimeoutError(method, timeout_seconds) from None
            raise PeerGoneError(end.reason)
        if self._end.done():
            raise PeerGoneError(self._end.result().reason)
        self.last_heard = self._loop.time()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def notify(self, method: str, params: Params) -> None:
        self.called.append((method, params))

    def observe(self, event_params: Callable[[int], Params]) -> None:
        self.observed.append(event_params(len(self.observed)))

    async def ended(self) -> PeerEnd:
        return await asyncio.shield(self._end)

    async def stop(self, farewell: Farewell | None = None, *, grace_seconds: float) -> PeerEnd:
        self.farewell = farewell
        if self.answers.get("shutdown") is HANG:
            await asyncio.sleep(grace_seconds)
        self.crash("it exited with code 0")
        return self._end.result()

    def crash(self, reason: str = "it exited with code 5") -> None:
        if not self._end.done():
            self._end.set_result(PeerEnd(exit_code=5, reason=reason))


@dataclass
class FakePrograms:
    """Implements `OpenPeer`: each start is the next of `scripts`, the last one again and again."""

    scripts: list[Mapping[str, Any] | Exception] = field(default_factory=lambda: [{}])
    started: list[FakePeer] = field(default_factory=list)
    starts_at: list[float] = field(default_factory=list)
    most_at_once: int = 0
    alive: int = 0

    @property
    def peer(self) -> FakePeer:
        """The one that was started last."""
        return self.started[-1]

    @asynccontextmanager
    async def __call__(
        self,
        command: list[str],
        *,
        cwd: Path,  # noqa: ARG002 - nothing is started
        env: Mapping[str, str],  # noqa: ARG002
        owner: PeerOwner,  # noqa: ARG002
        options: PeerOptions,  # noqa: ARG002
        limits: ProcessLimits,  # noqa: ARG002
    ) -> AsyncGenerator[FakePeer, None]:
        number = min(len(self.starts_at), len(self.scripts) - 1)
        self.starts_at.append(asyncio.get_running_loop().time())
        script = self.scripts[number]
        if isinstance(script, Exception):
            raise PeerStartError(command[0], str(script))
        peer = FakePeer(script)
        self.started.append(peer)
        self.alive += 1
        try:
            yield peer
        finally:
            self.alive -= 1
            peer.crash("it was killed")
