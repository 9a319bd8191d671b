"""Serves one host: reads what it says, has it done, and answers."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

from papercup_plugin import errors
from papercup_plugin.calls import Call
from papercup_plugin.errors import BadArgumentsError, CallCancelled, RefusedError
from papercup_plugin.facts import Facts, read_facts
from papercup_plugin.functions import Functions, in_words
from papercup_plugin.json_values import as_object, as_text
from papercup_plugin.link import Link, RequestId
from papercup_plugin.loops import Loop
from papercup_plugin.sep import Method, SepWire
from papercup_plugin.stdio import StdioWire
from papercup_plugin.workers import EventLane, Workers, report

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from papercup_plugin.declared import Declared

_CANCELLED = "nobody waits for it any more"
_DRAIN_SECONDS = 3.0
"""How long events may take that were told before the plugin shall end."""
_TIDY_SECONDS = 0.5
"""How long functions may take to end that are cancelled as the plugin ends."""


class Serving:
    """A plugin at work for one host."""

    def __init__(self, declared: Declared, write: Callable[[bytes], None]) -> None:
        """Begin to serve.

        Args:
            declared: What the plugin declares.
            write: Sends a line to the host; it may be called in any thread, and may wait.
        """
        self._declared = declared
        self._functions = Functions(declared)
        self._wire: SepWire | StdioWire = SepWire(declared, self._functions)
        self.link = Link(write)
        self.facts = Facts(flags=declared.flags)
        self._loop = Loop()
        self._workers = Workers()
        self._lane = EventLane()
        self._calls: dict[RequestId, Call] = {}
        self._farewell: RequestId | None = None
        self.is_ending = False
        """Whether the host said that the plugin shall end."""
        self.ended = threading.Event()
        declared.on_change.append(self._tell_change)

    def take(self, line: bytes | None) -> None:
        """Take a line of the host's; `None` is one that was too long. It never waits for long."""
        if line is None:
            self.link.refuse(None, errors.INVALID_REQUEST, "this is too long for one message")
            return
        try:
            message = as_object(json.loads(line.decode()))
        except (ValueError, RecursionError):
            self.link.refuse(None, errors.PARSE_ERROR, "this is not JSON")
            return
        # What is no message is left alone: there is nobody to be answered.
        if message is not None:
            self._take(message)

    def finish(self) -> None:
        """End: do what is still to be done, say farewell, and let nobody wait."""
        self._lane.drain(_DRAIN_SECONDS)
        # They may still ask the host for something, in order to tidy up.
        for call in list(self._calls.values()):
            call.cancel()
        self._workers.drain(_TIDY_SECONDS)
        self._loop.close()
        if self._farewell is not None:
            self.link.answer(self._farewell, {})
        if not self.ended.is_set():
            self._declared.on_change.remove(self._tell_change)
        self.link.close()
        self._lane.close()
        self._workers.close()
        self.ended.set()

    def settled(self, timeout_seconds: float) -> bool:
        """Wait until all events that were told are seen to, and return whether they are."""
        return self._lane.drain(timeout_seconds)

    def _take(self, message: dict[str, Any]) -> None:
        method, number = as_text(message.get("method")), message.get("id")
        params = as_object(message.get("params") or {})
        if method is None:
            if "id" in message and ("result" in message or "error" in message):
                self.link.replied(message)
        elif "id" not in message:
            self._notified(method, params or {})
        elif isinstance(number, int | str):
            if params is not None:
                self._requested(number, method, params)
            else:
                self.link.refuse(number, errors.INVALID_PARAMS, "`params` has to be an object")

    def _requested(self, number: RequestId, method: str, params: dict[str, Any]) -> None:
        match method:
            # At once, however much there is to do: who does not answer it counts as hung.
            case "ping":
                self.link.answer(number, {})
            case "initialize":
                self._initialize(number, params)
            case "shutdown":
                self._farewell, self.is_ending = number, True
            case _:
                self._work(number, method, params)

    def _notified(self, method: str, params: dict[str, Any]) -> None:
        match method:
            case "event":
                self._tell(str(params.get("event")), params.get("payload"), params)
            case "$/cancel":
                self._cancel(params.get("id"))
            case "shutdown":
                self._tell("session_shutdown", params, {})
                self.is_ending = True
            case _:
                pass

    def _initialize(self, number: RequestId, params: dict[str, Any]) -> None:
        # The two wires are told apart by what the host says of itself.
        if "agent_version" in params and "protocol_version" not in params:
            self._wire = StdioWire(self._declared, self._functions)
            self.link.is_one_way = True
        version = params.get("protocol_version", 1)
        if not isinstance(version, int) or isinstance(version, bool) or version < 1:
            self.link.refuse(
                number, errors.INVALID_PARAMS, "`protocol_version` has to be 1 or more"
            )
            return
        facts = read_facts(params)
        self.facts = facts.replaced(flags={**self._declared.flags, **facts.flags})
        try:
            self.link.answer(number, self._wire.greeting())
        except (TypeError, ValueError) as error:
            report()
            self.link.refuse(number, errors.INTERNAL_ERROR, in_words(error))

    def _work(self, number: RequestId, method: str, params: dict[str, Any]) -> None:
        answer = self._wire.method(method)
        if answer is None:
            message = f"method not found: {method}"
            self.link.refuse(number, errors.METHOD_NOT_FOUND, message)
            return
        if number in self._calls:
            self.link.refuse(number, errors.INVALID_REQUEST, "that `id` is in use")
            return
        call = self._calls[number] = self._call(method, params)
        if not self._workers.submit(lambda: self._serve(number, answer, params, call)):
            del self._calls[number]
            self.link.refuse(number, errors.INTERNAL_ERROR, "the plugin has too much to do")

    def _call(self, method: str, params: Mapping[str, Any]) -> Call:
        marks = self._wire.marks(method, params)
        return Call(
            self.link,
            self.facts,
            self._loop,
            context=marks.context,
            call_id=marks.call_id,
            event=marks.event,
            session_id=marks.session_id,
        )

    def _serve(
        self, number: RequestId, answer: Method, params: Mapping[str, Any], call: Call
    ) -> None:
        result: Any = None
        refusal: tuple[int, str] | None = None
        try:
            result = answer(params, call)
        except CallCancelled:
            refusal = errors.CANCELLED, _CANCELLED
        except BadArgumentsError as error:
            refusal = errors.INVALID_PARAMS, error.reason
        except RefusedError as error:
            refusal = errors.INVALID_PARAMS, error.message
        except BaseException as error:  # noqa: BLE001 - the host waits, whatever happened
            report()
            refusal = errors.INTERNAL_ERROR, in_words(error)
        call.is_over = True
        # It is gone if the host was told already that the call was cancelled.
        if self._calls.pop(number, None) is None:
            return
        if refusal is not None:
            self.link.refuse(number, *refusal)
        else:
            self._answer(number, result)

    def _answer(self, number: RequestId, result: Any) -> None:
        try:
            self.link.answer(number, result)
        except (TypeError, ValueError, RecursionError) as error:
            report()
            self.link.refuse(number, errors.INTERNAL_ERROR, in_words(error))

    def _cancel(self, number: Any) -> None:
        # Whoever is at work on it may not heed it: the host need not wait for them.
        call = self._calls.pop(number, None) if isinstance(number, int | str) else None
        if call is not None:
            call.cancel()
            self.link.refuse(number, errors.CANCELLED, _CANCELLED)

    def _tell(self, name: str, payload: Any, params: Mapping[str, Any]) -> None:
        call = self._call("event", {**params, "event": name, "payload": payload})
        about = as_object(payload) or {}

        def tell() -> None:
            self._functions.tell(name, about, call)
            call.is_over = True

        self._lane.submit(tell)

    def _tell_change(self, registrations: dict[str, Any]) -> None:
        self.link.tell("registry/update", registrations)
