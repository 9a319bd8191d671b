"""What the host of `papercup_plugin.testing` does for a plugin: as scripted, and taken down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from papercup_plugin.errors import (
    CAPABILITY_DISABLED,
    CONTEXT_VIOLATION,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    NOT_TRUSTED,
)
from papercup_plugin.json_values import as_object
from papercup_plugin.testing.checks import fault_of, unfit_answer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    from papercup_plugin.orders import ExecResult

    UiAnswers: TypeAlias = Iterable[Any] | Callable[[dict[str, Any]], Any]
    Runs: TypeAlias = Callable[[list[str]], ExecResult]

NO_ANSWER: Any = object()
"""What `ui` may answer if it never shall."""

NOT_GRANTED = "the operator has not granted this plugin that programs are run for it"

_ANSWERED_AS = {"select": "value", "confirm": "confirmed", "input": "text"}
_CAPABILITIES = {"ui/request": "ui", "exec/run": "exec", "bus/publish": "bus"}


class ServiceError(Exception):
    """The plugin is answered with an error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class HostServices:
    """What a plugin can ask, and what it has asked so far."""

    def __init__(
        self,
        *,
        ui: UiAnswers,
        kv: dict[str, Any],
        runs: Runs | None,
        session_state: dict[str, Any],
        refused: frozenset[str],
    ) -> None:
        """Make them; `create_test_host` says what with."""
        self._ui = ui if callable(ui) else iter(ui)
        self._runs = runs
        self._session_state = session_state
        self._refused = refused
        self.kv = kv
        """What is kept for the plugin."""
        self.registrations: dict[str, Any] = {}
        """What it offered when it started."""
        self.registry_updates: list[dict[str, Any]] = []
        """What it offered later."""
        self.active_tools: list[str] | None = None
        """Which of its tools it wants to be offered; `None`: all."""
        self.ui_requests: list[dict[str, Any]] = []
        """What it asked and showed people."""
        self.session_calls: list[tuple[str, dict[str, Any]]] = []
        """What it did in the session: the method, and the parameters but for the context."""
        self.exec_calls: list[list[str]] = []
        """What it wanted to be run: the commands, with their arguments."""
        self.bus_publishes: list[tuple[str, Any]] = []
        """What it told other plugins: the topics, and what it said."""
        self.updates: list[dict[str, Any]] = []
        """How far its tools had come."""
        self.logs: list[tuple[str, str]] = []
        """What it had written to the log: the levels, and the messages."""
        self.cancelled: list[int] = []
        """The numbers of the questions for whose answers it does not wait any more."""
        self.deltas: dict[str, list[dict[str, Any]]] = {}
        """The pieces of its providers' answers, by the request."""

    def told(self, method: str, params: dict[str, Any]) -> None:
        """Take what the plugin tells."""
        match method:
            case "log":
                self.logs.append((params["level"], params["message"]))
            case "tool/update":
                self.updates.append(params)
            case "bus/publish" if "bus" not in self._refused:
                self.bus_publishes.append((params["topic"], params["payload"]))
            case "provider/delta":
                self.deltas.setdefault(params["request_id"], []).append(params["event"])
            case "registry/update":
                self.registry_updates.append(params)
            case "$/cancel":
                self.cancelled.append(params["id"])
            case _:
                pass

    def served(self, method: str, params: dict[str, Any]) -> Any:
        """Return the answer to what the plugin asks.

        Raises:
            ServiceError: If it is refused.
        """
        family = method.partition("/")[0]
        capability = _CAPABILITIES.get(method, family)
        if capability in self._refused:
            message = f"{method} needs the capability `{capability}`, which the manifest lacks"
            raise ServiceError(CAPABILITY_DISABLED, message)
        self._check_permission(method, params)
        if (fault := fault_of(method, params)) is not None:
            raise ServiceError(INVALID_PARAMS, fault)
        match family:
            case "ui":
                return self._asked(params)
            case "kv":
                return self._kept(method, params)
            case "session":
                return self._acted(method, params)
            case "exec":
                return self._ran(params)
            case "tools":
                self.active_tools = self._own_tools(params["tools"])
                return {"active": self.active_tools}
            case "ping":
                return {}
            case _:
                raise ServiceError(METHOD_NOT_FOUND, f"method not found: {method}")

    def _asked(self, params: dict[str, Any]) -> Any:
        self.ui_requests.append(params)
        name = _ANSWERED_AS.get(params["kind"])
        if name is None:
            return {}
        answer = self._ui(params) if callable(self._ui) else next(self._ui, None)
        if answer is NO_ANSWER:
            return answer
        if (unfit := unfit_answer(params, answer)) is not None:
            raise AssertionError(unfit)
        return {"cancelled": True} if answer is None else {name: answer}

    def _kept(self, method: str, params: dict[str, Any]) -> Any:
        match method:
            case "kv/get":
                return {"value": self.kv.get(params["key"])}
            case "kv/set":
                self.kv[params["key"]] = params["value"]
            case "kv/delete":
                self.kv.pop(params["key"], None)
            case _:
                prefix = params.get("prefix", "")
                return {"keys": sorted(key for key in self.kv if key.startswith(prefix))}
        return {}

    def _check_permission(self, method: str, params: dict[str, Any]) -> None:
        tier = (as_object(params.get("context")) or {}).get("tier")
        if method.startswith("session/") and tier != "command":
            message = "session action requires a command-tier context"
            raise ServiceError(CONTEXT_VIOLATION, message)
        if method == "exec/run" and self._runs is None:
            self.exec_calls.append(_argv(params))
            raise ServiceError(NOT_TRUSTED, NOT_GRANTED)

    def _own_tools(self, wanted: list[str]) -> list[str]:
        told = [self.registrations, *self.registry_updates]
        own = {tool["name"] for each in told for tool in each.get("tools", ())}
        return [name for name in dict.fromkeys(wanted) if name in own]

    def _acted(self, method: str, params: dict[str, Any]) -> Any:
        if method == "session/state":
            return {"state": self._session_state}
        rest = {name: value for name, value in params.items() if name != "context"}
        self.session_calls.append((method, rest))
        return {}

    def _ran(self, params: dict[str, Any]) -> Any:
        argv = _argv(params)
        self.exec_calls.append(argv)
        return {} if self._runs is None else self._runs(argv).parts()


def _argv(params: dict[str, Any]) -> list[str]:
    return [params["command"], *params.get("args", ())]
