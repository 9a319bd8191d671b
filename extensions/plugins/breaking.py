"""Lets calls through a circuit breaker, and tells it how each of them ended."""

import asyncio
from types import TracebackType

from extensions.errors import LocalProtocolError, PluginCallError
from extensions.process.breaker import Breaker, Pass
from extensions.rpc.errors import (
    PeerBusyError,
    PeerError,
    PeerGoneError,
    PeerTimeoutError,
    RpcError,
)

ENDED_MEANWHILE = "it was ended or reloaded before it had answered"
"""Why a call came to nothing of a program that was ended on purpose."""


# Not a generator: it stands around each call, and takes a third of the time.
class LetThrough:
    """Makes one call of a plugin in the block, if it may be made now.

    Raises:
        RpcError: If the call did: the other side answered with an error.
        PluginCallError: If the call may not be made, or gave no answer.
    """

    __slots__ = ("_breaker", "_plugin_id", "_way")

    def __init__(self, breaker: Breaker, plugin_id: str) -> None:
        self._breaker = breaker
        self._plugin_id = plugin_id
        self._way = Pass.FREELY

    def __enter__(self) -> None:
        """Ask whether the call may be made."""
        way = self._breaker.admit(now=_now())
        if way is None:
            raise PluginCallError(self._plugin_id, "circuit breaker open for plugin")
        self._way = way

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Tell how it ended."""
        if error is None:
            self._breaker.succeeded(self._way)
        else:
            self._failed(error)

    def _failed(self, error: BaseException) -> None:
        match error:
            case PeerTimeoutError() | PeerBusyError():
                self._breaker.failed(self._way, now=_now())
                raise PluginCallError(self._plugin_id, str(error)) from error
            case PeerGoneError() | LocalProtocolError():
                # The program is started again, which does away with what was wrong, or is given up.
                self._breaker.abandoned(self._way)
                raise PluginCallError(self._plugin_id, str(error)) from error
            case RpcError():
                self._breaker.succeeded(self._way)
            case PeerError():
                self._breaker.succeeded(self._way)
                raise PluginCallError(self._plugin_id, str(error)) from error
            case _:
                self._breaker.abandoned(self._way)


def _now() -> float:
    return asyncio.get_running_loop().time()
