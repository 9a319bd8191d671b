"""What a host does for a plugin that is tested: what it can, without any people."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Protocol

from papercup_plugin.conformance.answers import Answer, Silent
from papercup_plugin.conformance.frames import check, find_method
from papercup_plugin.conformance.methods import Dialect, Method, Side
from papercup_plugin.conformance.notebook import Notebook
from papercup_plugin.conformance.offers import Offers
from papercup_plugin.conformance.subject import GRANTS, Subject
from papercup_plugin.errors import CONTEXT_VIOLATION, INVALID_PARAMS, METHOD_NOT_FOUND
from papercup_plugin.json_values import as_object, as_text
from papercup_plugin.testing.services import HostServices, ServiceError

_PATIENCE_SECONDS = 2.0


class Asking(Protocol):
    """A talk with the plugin."""

    async def ask(self, method: str, params: Any, *, timeout_seconds: float) -> Answer:
        """Ask something, and return what came of it."""
        ...


class ObligingHost:
    """Does what the plugin asks. People choose the first option, say no, and write `text`."""

    def __init__(self, subject: Subject, notebook: Notebook, *, timeout_seconds: float) -> None:
        self._subject = subject
        self._notebook = notebook
        self.timeout_seconds = timeout_seconds
        self._services = HostServices(
            ui=_peoples_answer,
            kv={},
            runs=None,
            session_state={"name": "test"},
            refused=frozenset(GRANTS) - subject.declares,
        )
        self._may_answer = asyncio.Event()
        self._may_answer.set()
        self._was_asked = asyncio.Event()
        self._has_pinged = False

    def greeted(self, offers: Offers) -> None:
        """Take what the plugin offers."""
        self._services.registrations = {"tools": [{"name": tool.name} for tool in offers.tools]}

    @contextmanager
    def holding(self) -> Generator[asyncio.Event, None, None]:
        """Answer nothing within the block; what it yields is set when the plugin asks."""
        self._was_asked = asyncio.Event()
        self._may_answer.clear()
        try:
            yield self._was_asked
        finally:
            self._may_answer.set()

    def told(self, message: dict[str, Any]) -> None:
        """Take what the plugin tells."""
        name, params = str(message.get("method")), as_object(message.get("params")) or {}
        if self._looked_at(name, params, is_request=False):
            self._services.told(name, params)

    async def served(self, message: dict[str, Any], talk: Asking) -> dict[str, Any]:
        """Return the answer to what the plugin asks."""
        self._was_asked.set()
        name, params = str(message.get("method")), as_object(message.get("params")) or {}
        method = self._looked_at(name, params, is_request=True)
        await self._may_answer.wait()
        if not self._has_pinged and method is not None:
            self._has_pinged = True
            await self._ping(name, talk)
        return self._reply(name, params, method)

    async def _ping(self, name: str, talk: Asking) -> None:
        # Less than the plugin itself is waited for, as it may be waiting for this.
        seconds = min(_PATIENCE_SECONDS, self.timeout_seconds / 2)
        self._notebook.has_waited = True
        if isinstance(await talk.ask("ping", {}, timeout_seconds=seconds), Silent):
            self._notebook.is_deaf = name

    def _reply(self, name: str, params: dict[str, Any], method: Method | None) -> dict[str, Any]:
        if method is None:
            return _error(METHOD_NOT_FOUND, f"method not found: {name}")
        wrong = [each for each in check(_frame(method), params) if not each.is_unknown]
        if wrong:
            return _error(INVALID_PARAMS, str(wrong[0]))
        if not method.is_request:
            return {"result": {}}
        try:
            result: Any = self._services.served(name, params)
        except ServiceError as error:
            self._refused(name, error)
            return _error(error.code, error.message)
        return {"result": result}

    def _refused(self, name: str, error: ServiceError) -> None:
        if error.code == CONTEXT_VIOLATION:
            mend = "ask it in a command or a hook, with the context that came with that"
            self._notebook.nuisance(f"`{name}` was refused: {error.message}", mend)
        elif error.code == INVALID_PARAMS:
            mend = "ask what can be done"
            self._notebook.wrong(f"`{name}`, which is refused: {error.message}", mend)

    def _looked_at(self, name: str, params: Any, *, is_request: bool) -> Method | None:
        """Return what the plugin says, if it is something that can be said."""
        method = find_method(Dialect.SEP, Side.PLUGIN, name)
        how = "question" if is_request else "notification"
        if method is None:
            mend = "say only what the protocol has"
            self._notebook.wrong(f"a {how} that no host knows: `{name[:100]}`", mend)
            return None
        if method.is_request and not is_request:
            mend = "give it an id, and wait for the answer"
            self._notebook.wrong(f"`{name}` as a notification; it is a request", mend)
        if method.capability is not None and method.capability not in self._subject.declares:
            self._notebook.undeclared[name] = method.capability
        is_right = self._notebook.about(_frame(method), params, f"`{name}`")
        if name == "ui/request" and is_right and params.get("widget"):
            self._notebook.about("render block", params["widget"], "the widget that it shows")
        return method if is_right or is_request else None


def _frame(method: Method) -> str:
    return f"{Dialect.SEP} {method.by} {method.name} params"


def _error(code: int, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message}}


def _peoples_answer(request: dict[str, Any]) -> Any:
    match request["kind"]:
        case "select":
            return next(iter(request["options"]), None)
        case "confirm":
            return False
        case _:
            return as_text(request.get("default")) or "text"
