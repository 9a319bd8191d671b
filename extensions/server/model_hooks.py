"""Asks the plugins before a request goes to the model."""

import json
import logging
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from extensions.callers import Caller
from extensions.claude.values import read_json
from extensions.hooks import Blocked, Changed, HookPoint, Occasion
from extensions.server.hook_values import (
    MODEL_ANSWERED,
    messages_of,
    on_behalf,
    refusal_of_request,
)
from extensions.server.tool_hooks import Hooks

Request: TypeAlias = dict[str, Any]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Forbidden:
    """Plugins do not let a request go to the model."""

    reason: str
    """For whoever made it."""


class ModelHooks:
    """What plugins have to do with the requests that go to the model."""

    def __init__(self, hooks: Hooks) -> None:
        self._hooks = hooks

    async def revised(self, caller: Caller, body: bytes) -> bytes | Forbidden:
        """Return the body of a request as plugins want it; untouched, it is what came."""
        chain = self._hooks.chain
        if not (
            chain.is_hooked(HookPoint.CONTEXT) or chain.is_hooked(HookPoint.BEFORE_PROVIDER_REQUEST)
        ):
            return body
        request = _read(body)
        if request is None:
            logger.warning("a request of %s to the model cannot be shown to plugins", caller)
            return body
        occasion = await self._hooks.occasion_of(caller)
        wanted = await self._asked_about_messages(request, occasion)
        if not isinstance(wanted, Forbidden):
            wanted = await self._asked_about_all(wanted, occasion)
        if isinstance(wanted, Forbidden):
            logger.info("a request of %s to the model: %s", caller, wanted.reason)
            return wanted
        return body if wanted is request else _written(wanted)

    async def answered(self, caller: Caller, status: int) -> None:
        """Tell that the model's API has begun to answer."""
        if self._hooks.observers.is_observed(MODEL_ANSWERED):
            occasion = await self._hooks.occasion_of(caller)
            payload = {"status": status, **on_behalf(occasion)}
            self._hooks.observers.tell(MODEL_ANSWERED, payload, occasion)

    async def _asked_about_messages(
        self, request: Request, occasion: Occasion
    ) -> Request | Forbidden:
        if not self._hooks.chain.is_hooked(HookPoint.CONTEXT):
            return request
        value = {"messages": request.get("messages", []), **on_behalf(occasion)}
        ruling = await self._hooks.chain.fire(HookPoint.CONTEXT, value, occasion)
        if isinstance(ruling, Blocked):
            return Forbidden(refusal_of_request(ruling))
        if not isinstance(ruling, Changed):
            return request
        messages = messages_of(ruling)
        if messages is None:
            logger.warning("what %s made of a context are no messages", ", ".join(ruling.by))
            return request
        return {**request, "messages": messages}

    async def _asked_about_all(self, request: Request, occasion: Occasion) -> Request | Forbidden:
        point = HookPoint.BEFORE_PROVIDER_REQUEST
        if not self._hooks.chain.is_hooked(point):
            return request
        value = {"payload": request, **on_behalf(occasion)}
        ruling = await self._hooks.chain.fire(point, value, occasion)
        if isinstance(ruling, Blocked):
            return Forbidden(refusal_of_request(ruling))
        payload = ruling.value.get("payload") if isinstance(ruling, Changed) else None
        return cast("Request", payload) if isinstance(payload, dict) else request


def _read(body: bytes) -> Request | None:
    try:
        request = read_json(body)
    except (ValueError, RecursionError):
        return None
    return cast("Request", request) if isinstance(request, dict) else None


def _written(request: Request) -> bytes:
    return json.dumps(request, ensure_ascii=False, separators=(",", ":")).encode()
