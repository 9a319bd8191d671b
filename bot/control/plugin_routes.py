"""Answers other processes about plugins, and lets them trust and reload some."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

from aiohttp import web

from bot.control.plugin_answers import answered
from bot.control.plugin_reports import (
    ALL_SETTLED,
    ASK_PATH,
    DONE,
    FORGET_PATH,
    LINES,
    LOG_PATH,
    MOST_LINES,
    NAMED,
    PLUGINS_PATH,
    PROJECT_ORDER,
    PROJECTS,
    PROJECTS_PATH,
    QUESTION,
    RELOAD_PATH,
    REPORTS,
    SETTLED,
    STANDING,
    STANDINGS,
    TRUST_ORDER,
    TRUST_PATH,
    UNTRUST_PATH,
    Done,
    Wire,
)
from bot.plugin_services.provider_asking import Ask
from bot.plugin_services.trust_desk import TrustDesk
from extensions.errors import PluginError, PluginNotFoundError
from extensions.plugins.audit import AuditReader

_DEFAULT_LINES = 50
_NUMBER = re.compile(r"[0-9]{1,18}")
_JSON = "application/json"
_Answer: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]

T = TypeVar("T")


class Reports(Protocol):
    """Says how each plugin does that is loaded."""

    def __call__(self) -> Sequence[Mapping[str, Any]]:
        """Return it as JSON, at once."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginRouteParts:
    """What is asked for the answers."""

    desk: TrustDesk
    log: AuditReader
    report: Reports
    ask: Ask
    forget: Callable[[str], Awaitable[bool]]
    """Throws away what a plugin has kept; says whether it had anything."""


def plugin_routes(parts: PluginRouteParts) -> list[web.RouteDef]:
    """Return what is answered; who asks may do with plugins all that the owner may."""
    office, trust = _Office(parts), _TrustOffice(parts.desk)
    return [
        web.get(PLUGINS_PATH, office.list_loaded),
        web.get(LOG_PATH, _telling_errors(office.read_log)),
        web.post(ASK_PATH, _telling_errors(office.ask)),
        web.get(TRUST_PATH, _telling_errors(trust.show)),
        web.post(TRUST_PATH, _telling_errors(trust.trust)),
        web.post(UNTRUST_PATH, _telling_errors(trust.untrust)),
        web.post(FORGET_PATH, _telling_errors(office.forget)),
        web.post(RELOAD_PATH, _telling_errors(trust.reload)),
        web.get(PROJECTS_PATH, _telling_errors(trust.list_projects)),
        web.post(PROJECTS_PATH, _telling_errors(trust.change_project)),
    ]


class _Office:
    def __init__(self, parts: PluginRouteParts) -> None:
        self._parts = parts

    async def list_loaded(self, _request: web.Request) -> web.Response:
        return _said(REPORTS, [dict(each) for each in self._parts.report()])

    async def read_log(self, request: web.Request) -> web.Response:
        limit = _number(request, "limit", _DEFAULT_LINES)
        if not 1 <= limit <= MOST_LINES:
            raise _BadRequestError(f"limit must be a whole number from 1 to {MOST_LINES}")
        name = request.query.get("name")
        if "after" not in request.query:
            return _said(LINES, await self._parts.log.newest(limit, plugin_id=name))
        after = _number(request, "after", 0)
        return _said(LINES, await self._parts.log.after(after, limit, plugin_id=name))

    async def ask(self, request: web.Request) -> web.StreamResponse:
        question = await _body(request, QUESTION)
        return await answered(request, question, self._parts.ask)

    async def forget(self, request: web.Request) -> web.Response:
        named = await _body(request, NAMED)
        if any(each.get("id") == named.name for each in self._parts.report()):
            raise PluginError(named.name, "it is loaded, and would keep more")
        return _said(DONE, Done(changed=await self._parts.forget(named.name)))


class _TrustOffice:
    def __init__(self, desk: TrustDesk) -> None:
        self._desk = desk

    async def show(self, request: web.Request) -> web.Response:
        name = request.query.get("name")
        if name is None:
            return _said(STANDINGS, await self._desk.standings())
        return _said(STANDING, await self._desk.standing(name))

    async def trust(self, request: web.Request) -> web.Response:
        order = await _body(request, TRUST_ORDER)
        return _said(SETTLED, await self._desk.trust(order))

    async def untrust(self, request: web.Request) -> web.Response:
        named = await _body(request, NAMED)
        return _said(DONE, Done(changed=await self._desk.untrust(named.name)))

    async def reload(self, request: web.Request) -> web.Response:
        named = await _body(request, NAMED)
        return _said(SETTLED, await self._desk.reload(named.name))

    async def list_projects(self, _request: web.Request) -> web.Response:
        return _said(PROJECTS, await self._desk.projects())

    async def change_project(self, request: web.Request) -> web.Response:
        order = await _body(request, PROJECT_ORDER)
        if not order.folder.is_absolute():
            raise _BadRequestError("folder must be an absolute path")
        if order.trusted:
            return _said(ALL_SETTLED, await self._desk.trust_project(order.folder))
        return _said(DONE, Done(changed=await self._desk.untrust_project(order.folder)))


class _BadRequestError(Exception):
    pass


def _telling_errors(answer: _Answer) -> _Answer:
    async def handle(request: web.Request) -> web.StreamResponse:
        try:
            return await answer(request)
        except _BadRequestError as error:
            return _refusal(str(error), status=400)
        except PluginNotFoundError as error:
            return _refusal(str(error), status=404)
        except PluginError as error:
            return _refusal(str(error), status=409)

    return handle


async def _body(request: web.Request, wire: Wire[T]) -> T:
    try:
        return wire.of_json(await request.read())
    except ValueError as error:
        raise _BadRequestError(f"the request is not understood: {error}") from error


def _number(request: web.Request, name: str, otherwise: int) -> int:
    text = request.query.get(name, str(otherwise))
    if not _NUMBER.fullmatch(text):
        raise _BadRequestError(f"{name} must be a whole number")
    return int(text)


def _said(wire: Wire[T], value: T) -> web.Response:
    return web.Response(body=wire.as_json(value), content_type=_JSON)


def _refusal(reason: str, *, status: int) -> web.Response:
    return web.json_response({"error": reason}, status=status)
