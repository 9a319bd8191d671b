"""What plugins ask of the host, and how each is answered."""

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable, Mapping
from typing import Any

from extensions.hooks import Occasion
from extensions.plugins.bus import publish
from extensions.plugins.capabilities import CANONICAL, missing_capability
from extensions.plugins.contexts import ContextTier
from extensions.plugins.exec_requests import ExecRequests
from extensions.plugins.fields import BadFieldError, Fields
from extensions.plugins.kv import KeyValueError, KeyValues
from extensions.plugins.offering import merged, own_active_tools
from extensions.plugins.plugin_log import PluginLog
from extensions.plugins.refusal_notes import RefusalNotes
from extensions.plugins.served import ServedPlugin, ToolProgress
from extensions.plugins.services import (
    CANCELLED,
    AuditLog,
    Executor,
    Sessions,
    UiAnswer,
    UiRequest,
    UserInterface,
)
from extensions.plugins.serving import Handler, Taker, occasion_in
from extensions.plugins.session_requests import SessionRequests
from extensions.plugins.ui_fields import read_ui_request, written_answer
from extensions.plugins.update_pace import MOST_UPDATES, UpdatePace
from extensions.rpc.errors import ErrorCode, RpcError

_SECONDS_TO_ANSWER = 1.0
"""What is left to a plugin of its call once people have not answered."""

logger = logging.getLogger(__name__)

TOO_OFTEN = f"a plugin may change what it offers {MOST_UPDATES} times a minute"
NOT_STORED = "the host cannot reach what it has stored at present"
BROKE = "the host could not do it; its operator finds the reason in the log"


class Requests:
    """Serves what plugins ask, as far as their manifests declare it."""

    def __init__(
        self,
        *,
        ui: UserInterface,
        sessions: Sessions,
        executor: Executor,
        audit: AuditLog,
        kv: KeyValues,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Make it.

        Args:
            ui: Reaches people.
            sessions: Acts in sessions.
            executor: Runs programs.
            audit: Is told of those.
            kv: Keeps values.
            clock: Gives the seconds since any fixed time.
        """
        self._ui = ui
        self._kv = kv
        self._clock = clock
        self._updates, self._choices = UpdatePace(), UpdatePace()
        self._refusals = RefusalNotes(audit, clock)
        self._takers: Mapping[str, Taker] = {
            "ping": lambda _plugin, _fields: {},
            "log": PluginLog(clock).take,
            "registry/update": self._update_registrations,
            "tools/set_active": self._set_active,
            "tool/update": _take_progress,
            "provider/delta": _take_delta,
            "bus/publish": publish,
        }
        self._handlers: Mapping[str, Handler] = {
            "ui/request": self._ask_people,
            "kv/get": self._get,
            "kv/set": self._set,
            "kv/delete": self._delete,
            "kv/list": self._list,
            **SessionRequests(sessions=sessions).handlers(),
            **ExecRequests(executor=executor, audit=audit, refusals=self._refusals).handlers(),
        }

    @property
    def methods(self) -> frozenset[str]:
        """All methods that are served, with the older names of some."""
        return frozenset({*self._takers, *self._handlers, *CANONICAL})

    async def serve(self, plugin: ServedPlugin, method: str, params: Mapping[str, Any]) -> Any:
        """Do what a plugin asks, and return the result.

        Raises:
            RpcError: What the plugin is answered instead.
        """
        name = CANONICAL.get(method, method)
        try:
            self._check(plugin, name, method)
            return await self._served(plugin, name, Fields(params))
        except RpcError:
            raise
        except BadFieldError as error:
            raise RpcError(ErrorCode.INVALID_PARAMS, error.reason) from error
        except sqlite3.Error as error:
            logger.exception("plugin %s: %s: the database refused it", plugin.id, name)
            raise RpcError(ErrorCode.INTERNAL_ERROR, NOT_STORED) from error
        except Exception as error:  # one request that breaks must not end the plugin
            logger.exception("plugin %s: %s broke", plugin.id, name)
            raise RpcError(ErrorCode.INTERNAL_ERROR, BROKE) from error

    def notified(self, plugin: ServedPlugin, method: str, params: Mapping[str, Any]) -> None:
        """Take what a plugin tells; it never raises and never waits.

        What has to be asked for is not done for a notification: nobody would learn how it ended.
        """
        name = CANONICAL.get(method, method)
        try:
            self._check(plugin, name, method)
            if (taker := self._takers.get(name)) is None:
                logger.debug("plugin %s: %s came as a notification", plugin.id, name)
            else:
                taker(plugin, Fields(params))
        except (RpcError, BadFieldError) as error:
            logger.debug("plugin %s: %s is not taken: %s", plugin.id, method[:100], error)
        except Exception:  # nor must one that nobody asked about
            logger.exception("plugin %s: %s could not be taken", plugin.id, name)

    def _check(self, plugin: ServedPlugin, name: str, method: str) -> None:
        if name not in self._takers and name not in self._handlers:
            raise RpcError(ErrorCode.METHOD_NOT_FOUND, f"method not found: {method}")
        missing = missing_capability(name, plugin.manifest.capabilities)
        if missing is not None:
            self._refusals.note(plugin.id, name, f"{name}: its manifest does not declare it")
            sentence = f"{method} needs the capability `{missing}`, which the manifest lacks"
            raise RpcError(ErrorCode.CAPABILITY_DISABLED, sentence, {"capability": missing})

    async def _served(self, plugin: ServedPlugin, name: str, fields: Fields) -> Any:
        if (taker := self._takers.get(name)) is not None:
            return taker(plugin, fields)
        return await self._handlers[name](plugin, fields)

    def _update_registrations(self, plugin: ServedPlugin, fields: Fields) -> dict[str, Any]:
        self._keep_pace(self._updates, plugin, "registry/update")
        offered = merged(plugin.registrations, plugin.registrations_in(fields.all))
        # Models and people are told of each change.
        if offered != plugin.registrations:
            plugin.register(offered)
        return {}

    def _keep_pace(self, pace: UpdatePace, plugin: ServedPlugin, method: str) -> None:
        if not pace.takes(plugin.id, at=self._clock()):
            self._refusals.note(plugin.id, method, f"{method}: {TOO_OFTEN}")
            raise RpcError(ErrorCode.BLOCKED, TOO_OFTEN)

    def _set_active(self, plugin: ServedPlugin, fields: Fields) -> dict[str, Any]:
        self._keep_pace(self._choices, plugin, "tools/set_active")
        wanted = fields.texts("tools")
        active = own_active_tools(plugin.id, plugin.registrations, wanted)
        if len(active) < len(set(wanted)):
            text = "tools/set_active: some of the tools that it named are not its own"
            self._refusals.note(plugin.id, "tools/set_active", text)
        plugin.set_active(frozenset(active))
        return {"active": list(active)}

    async def _ask_people(self, plugin: ServedPlugin, fields: Fields) -> dict[str, Any]:
        request = read_ui_request(fields)
        occasion = plugin.occasion
        if fields.all.get("context") is not None:
            occasion = occasion_in(plugin, fields, needs=ContextTier.EVENT)
        answer = await self._answered(plugin, request, occasion)
        if answer.wrong is not None:
            raise BadFieldError(answer.wrong)
        return written_answer(request, answer)

    async def _answered(
        self, plugin: ServedPlugin, request: UiRequest, occasion: Occasion
    ) -> UiAnswer:
        """Ask people for as long as somebody waits for the call in which it is asked."""
        left = plugin.seconds_left
        within_seconds = None if left is None else max(0.0, left - _SECONDS_TO_ANSWER)
        async with asyncio.TaskGroup() as tasks:
            asking = tasks.create_task(
                self._ui.ask(plugin.id, request, occasion, within_seconds=within_seconds)
            )
            given_up = tasks.create_task(plugin.given_up())
            await asyncio.wait({asking, given_up}, return_when=asyncio.FIRST_COMPLETED)
            asking.cancel()
            given_up.cancel()
        return CANCELLED if asking.cancelled() else asking.result()

    async def _get(self, plugin: ServedPlugin, fields: Fields) -> dict[str, Any]:
        return {"value": await self._kv.get(plugin.id, fields.text("key"))}

    async def _set(self, plugin: ServedPlugin, fields: Fields) -> dict[str, Any]:
        key, value = fields.text("key"), fields.value("value")
        try:
            await self._kv.set(plugin.id, key, value)
        except KeyValueError as error:
            raise BadFieldError(error.reason) from error
        return {}

    async def _delete(self, plugin: ServedPlugin, fields: Fields) -> dict[str, Any]:
        await self._kv.delete(plugin.id, fields.text("key"))
        return {}

    async def _list(self, plugin: ServedPlugin, fields: Fields) -> dict[str, Any]:
        return {"keys": await self._kv.keys(plugin.id, fields.any_text("prefix") or "")}


def _take_progress(plugin: ServedPlugin, fields: Fields) -> dict[str, Any]:
    progress = ToolProgress(
        message=fields.any_text("message"),
        progress=fields.share("progress"),
        details=fields.all.get("details"),
    )
    plugin.progressed(fields.text("call_id"), progress)
    return {}


def _take_delta(plugin: ServedPlugin, fields: Fields) -> dict[str, Any]:
    plugin.delta_came(fields.text("request_id"), fields.mapping("event"))
    return {}
