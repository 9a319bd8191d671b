"""Where the hooks of spawned Claudes ask: the plugins decide, by way of `hook_relay`.

An answer is Claude's own JSON after a greeting; without one, the relay of `PreToolUse` forbids the
tool, and the others let Claude go on.
"""

import asyncio
import logging
from dataclasses import replace
from typing import assert_never

from starlette.types import Receive, Scope, Send

from extensions.callers import Caller
from extensions.claude.hook_calls import (
    NO_OBJECTION,
    CompactAsked,
    Compacted,
    HookCall,
    ToolAsked,
    ToolGaveBack,
    ToolsOver,
    adding_instructions,
    forbidding_compaction,
    forbidding_tool,
    read_hook,
    replacing_content,
)
from extensions.claude.values import read_json
from extensions.hooks import Blocked, Changed, HookPoint
from extensions.server.gate import CALLER
from extensions.server.hook_values import (
    COMPACTED,
    on_behalf,
    refusal_of_compaction,
    refusal_of_tool,
)
from extensions.server.open_tools import OpenTools
from extensions.server.tool_hooks import Hooks, ToolHooks
from extensions.tools import ToolAnswer

_GREETING = b"papercup hook\n"
_MOST_BYTES = 8 * 1024 * 1024
"""Of what is asked: whatever is in a jail may ask, again and again, and each is read here whole."""

logger = logging.getLogger(__name__)


class HookDoor:
    """An ASGI application that answers what Claude's hooks say."""

    def __init__(self, hooks: Hooks) -> None:
        self._hooks = hooks
        self._tools = ToolHooks(hooks)
        self._open = OpenTools()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one hook; if its relay goes away, so does whoever was asked."""
        caller: Caller = scope[CALLER]
        body = await _body(receive)
        if body is None:
            logger.warning("a hook of %s said more than can be heard", caller)
            await _answer(send, 413, b"this is too large to show to plugins")
            return
        async with asyncio.TaskGroup() as tasks:
            answering = tasks.create_task(self._answered(caller, body))
            leaving = tasks.create_task(_left(receive))
            await asyncio.wait((answering, leaving), return_when=asyncio.FIRST_COMPLETED)
            leaving.cancel()
            if not answering.done():
                answering.cancel()
                return
        await _answer(send, *answering.result())

    async def _answered(self, caller: Caller, body: bytes) -> tuple[int, bytes]:
        """Return the status and the body of the answer."""
        try:
            call = read_hook(read_json(body))
        except (ValueError, RecursionError) as error:
            logger.warning("a hook of %s was not understood: %s", caller, error)
            return 400, b"this was not understood"
        try:
            return 200, _GREETING + await self._decided(caller, call)
        except Exception:
            logger.exception("a hook of %s failed", caller)
            return 500, b"an error inside Papercup, which is in its log"

    async def _decided(self, caller: Caller, call: HookCall) -> bytes:
        match call:
            case ToolAsked():
                return await self._before_tool(caller, call)
            case ToolGaveBack():
                return await self._after_tool(caller, call)
            case ToolsOver(call_ids):
                self._end_refused(caller, call_ids)
                return NO_OBJECTION
            case CompactAsked():
                return await self._before_compaction(caller, call)
            case Compacted():
                return await self._after_compaction(caller)
            case _:
                assert_never(call)

    async def _before_tool(self, caller: Caller, call: ToolAsked) -> bytes:
        if not self._tools.are_wanted:
            return NO_OBJECTION
        use = await self._tools.use_of(caller, call.tool, call.call_id, call.arguments)
        # A change is none of ours to make: plugins may change what their own tools are given.
        ruling = await self._tools.before(use)
        if isinstance(ruling, Blocked):
            return forbidding_tool(refusal_of_tool(call.tool, ruling))
        self._open.begin(caller, use, at=_now())
        return NO_OBJECTION

    async def _after_tool(self, caller: Caller, call: ToolGaveBack) -> bytes:
        opened = self._open.end(caller, call.call_id)
        if not self._tools.are_wanted:
            return NO_OBJECTION
        if opened is not None:
            use = replace(opened.use, arguments=call.arguments)
        else:
            use = await self._tools.use_of(caller, call.tool, call.call_id, call.arguments)
        given = ToolAnswer(call.content, is_error=call.is_error)
        answer = await self._tools.after(use, given, seconds=call.duration_seconds)
        return NO_OBJECTION if answer.text == given.text else replacing_content(call, answer.text)

    def _end_refused(self, caller: Caller, call_ids: tuple[str, ...]) -> None:
        """End the uses of tools that Claude itself did not allow: no other hook tells of them."""
        for tool in self._open.end_all(caller, call_ids):
            self._tools.over(tool.use, is_error=True, seconds=_now() - tool.began_at)

    async def _before_compaction(self, caller: Caller, call: CompactAsked) -> bytes:
        if not self._hooks.chain.is_hooked(HookPoint.SESSION_BEFORE_COMPACT):
            return NO_OBJECTION
        occasion = await self._hooks.occasion_of(caller)
        value = {
            "trigger": call.trigger,
            "custom_instructions": call.instructions,
            **on_behalf(occasion),
        }
        ruling = await self._hooks.chain.fire(HookPoint.SESSION_BEFORE_COMPACT, value, occasion)
        if isinstance(ruling, Blocked):
            return forbidding_compaction(refusal_of_compaction(ruling))
        wanted = ruling.value.get("custom_instructions") if isinstance(ruling, Changed) else None
        return adding_instructions(wanted) if isinstance(wanted, str) else NO_OBJECTION

    async def _after_compaction(self, caller: Caller) -> bytes:
        if self._hooks.observers.is_observed(COMPACTED):
            occasion = await self._hooks.occasion_of(caller)
            self._hooks.observers.tell(COMPACTED, on_behalf(occasion), occasion)
        return NO_OBJECTION


def _now() -> float:
    return asyncio.get_running_loop().time()


async def _body(receive: Receive) -> bytes | None:
    """Return the request's body; `None` if it is too large."""
    body, is_too_large = bytearray(), False
    while (message := await receive())["type"] == "http.request":
        body += message.get("body", b"")
        if len(body) > _MOST_BYTES:
            # It is heard to its end: the relay hears no answer before.
            is_too_large = True
            body.clear()
        if not message.get("more_body", False):
            break
    return None if is_too_large else bytes(body)


async def _left(receive: Receive) -> None:
    """Return when whoever asks has gone away."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _answer(send: Send, status: int, body: bytes) -> None:
    headers = [(b"content-type", b"text/plain"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
