"""What those have in common who answer what plugins ask."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from extensions.hooks import Occasion
from extensions.plugins.contexts import ContextTier, Current, Stale, WrongTier
from extensions.plugins.fields import Fields
from extensions.plugins.served import ServedPlugin
from extensions.rpc.errors import ErrorCode, RpcError

Handler: TypeAlias = Callable[[ServedPlugin, Fields], Awaitable[Any]]
"""Does what a plugin asks, which may take a while, and returns the result.

It may raise RpcError, BadFieldError and sqlite3.Error.
"""
Taker: TypeAlias = Callable[[ServedPlugin, Fields], Any]
"""Does at once what a plugin asks or tells, and returns the result; it may raise as much."""

STALE_CONTEXT = "session action presented a stale context (epoch mismatch)"
WRONG_TIER = "session action requires a command-tier context"


def occasion_in(plugin: ServedPlugin, fields: Fields, *, needs: ContextTier) -> Occasion:
    """Return on whose behalf a plugin asks, as the context says that it sends along.

    Raises:
        BadFieldError: If there is no context.
        RpcError: If it does not hold any more, or does not permit this.
    """
    token = Fields(fields.mapping("context")).text("token")
    match plugin.contexts.resolve(token, needs=needs):
        case Current(occasion):
            return occasion
        case Stale():
            raise RpcError(ErrorCode.CONTEXT_VIOLATION, STALE_CONTEXT)
        case WrongTier():
            raise RpcError(ErrorCode.CONTEXT_VIOLATION, WRONG_TIER)
