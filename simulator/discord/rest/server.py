"""The HTTP side: every request is checked, answered, and written into the journal."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from aiohttp import web

from simulator.discord.core import Core
from simulator.discord.errors import ApiError, RateLimitedError
from simulator.discord.faults import Delay, Fault
from simulator.discord.journal import RequestAnswered
from simulator.discord.message_wire import is_good_address
from simulator.discord.rest.account import AccountRoutes
from simulator.discord.rest.call import Answer, Call, Route, read_call
from simulator.discord.rest.channels import ChannelRoutes
from simulator.discord.rest.commands import CommandRoutes
from simulator.discord.rest.interactions import InteractionRoutes
from simulator.discord.rest.messages import MessageRoutes
from simulator.discord.rest.pins import PinRoutes
from simulator.discord.rest.reactions import ReactionRoutes
from simulator.discord.rest.threads import ThreadRoutes
from simulator.discord.rest.voice import VoiceRoutes

logger = logging.getLogger(__name__)

API = "/api/v10"
VOICE_VERSION = "8"
"""Of the voice gateway; that of the other is 9 or higher."""
_BODY_BYTES = 128 * 1024 * 1024
_UNAUTHORIZED = ApiError(401, 0, "401: Unauthorized")
_NOT_FOUND = ApiError(404, 0, "404: Not Found")
_FAILED = ApiError(500, 0, "500: Internal Server Error")


def rest_routes(core: Core) -> list[Route]:
    """Return everything that the REST API serves."""
    # Pins go before messages, as `pins` would be taken for the id of one.
    groups = (
        AccountRoutes,
        ChannelRoutes,
        ThreadRoutes,
        PinRoutes,
        MessageRoutes,
        ReactionRoutes,
        CommandRoutes,
        InteractionRoutes,
        VoiceRoutes,
    )
    return [route for group in groups for route in group(core).routes()]


class RestServer:
    """The REST API, the files of the CDN, and the door to the gateway as one application."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def application(self) -> web.Application:
        """Return what a runner serves."""
        application = web.Application(client_max_size=_BODY_BYTES)
        router = application.router
        for route in rest_routes(self._core):
            router.add_route(route.method, API + route.template, self._served(route))
        router.add_get("/", self._gateway)
        router.add_get("/gateway", self._gateway)
        router.add_get("/attachments/{folder}/{file_id}/{name}", self._file)
        router.add_route("*", "/{path:.*}", self._unknown)
        return application

    def _served(self, route: Route) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def serve(request: web.Request) -> web.StreamResponse:
            return await self._serve(request, route)

        return serve

    async def _serve(self, request: web.Request, route: Route) -> web.StreamResponse:
        call: Call | None = None
        headers: Mapping[str, str] = {}
        try:
            call = await read_call(request, self._core.world.ids)
            fault = self._core.faults.take(request.method, _path(request))
            if isinstance(fault, Fault):
                return await self._fail(request, route, call, fault)
            answer = await self._answer(request, route, call)
            if isinstance(fault, Delay):
                await asyncio.sleep(fault.seconds)
        except ApiError as error:
            answer = Answer(status=error.status, body=error.body())
            headers = error.headers() if isinstance(error, RateLimitedError) else {}
        self._record(request, route, call, answer)
        response = _response(answer)
        response.headers.update(headers)
        return response

    async def _answer(self, request: web.Request, route: Route, call: Call) -> Answer:
        if route.needs_token and not self._is_authorized(request):
            raise _UNAUTHORIZED
        try:
            return await route.handler(call)
        except ApiError:
            raise
        except Exception as error:
            logger.exception("%s %s failed", route.method, route.template)
            raise _FAILED from error

    def _is_authorized(self, request: web.Request) -> bool:
        return request.headers.get("Authorization") == f"Bot {self._core.settings.token}"

    async def _fail(
        self, request: web.Request, route: Route, call: Call, fault: Fault
    ) -> web.StreamResponse:
        if fault.takes_effect:
            await self._answer(request, route, call)
        answer = Answer(status=fault.status or 0, body=fault.body)
        self._record(request, route, call, answer, was_fault=True)
        return _refused(request, fault)

    async def _gateway(self, request: web.Request) -> web.StreamResponse:
        fault = self._core.faults.take("CONNECT", "gateway")
        if isinstance(fault, Fault):
            return _refused(request, fault)
        if isinstance(fault, Delay):
            await asyncio.sleep(fault.seconds)
        if request.query.get("v") == VOICE_VERSION or request.host.endswith(".discord.media"):
            return await self._core.voice_gateway.serve(request)
        return await self._core.gateway.serve(request)

    async def _file(self, request: web.Request) -> web.StreamResponse:
        fault = self._core.faults.take("GET", request.path)
        if isinstance(fault, Fault):
            return _refused(request, fault)
        if isinstance(fault, Delay):
            await asyncio.sleep(fault.seconds)
        file_id, query = request.match_info["file_id"], request.query
        file = self._core.world.uploads.get(int(file_id)) if file_id.isdecimal() else None
        is_good = is_good_address(
            self._core.world, expires=query.get("ex", ""), key=query.get("hm", "")
        )
        if file is None or file.name != request.match_info["name"] or not is_good:
            return web.Response(status=404, text="This content is no longer available.")
        kind = file.content_type or "application/octet-stream"
        return web.Response(body=file.content, headers={"Content-Type": kind})

    async def _unknown(self, request: web.Request) -> web.StreamResponse:
        answer = Answer(status=_NOT_FOUND.status, body=_NOT_FOUND.body())
        self._record(request, None, None, answer)
        logger.warning("no such route: %s %s", request.method, request.path)
        return _response(answer)

    def _record(
        self,
        request: web.Request,
        route: Route | None,
        call: Call | None,
        answer: Answer,
        *,
        was_fault: bool = False,
    ) -> None:
        self._core.journal.record(
            RequestAnswered(
                at_seconds=self._core.clock.seconds(),
                method=request.method,
                path=_path(request),
                route=None if route is None else route.template,
                status=answer.status,
                request_body=None if call is None else call.body,
                response_body=answer.body,
                was_fault=was_fault,
            )
        )


def _refused(request: web.Request, fault: Fault) -> web.Response:
    if fault.status is None:
        if request.transport is not None:
            request.transport.abort()
        return web.Response()
    response = _response(Answer(status=fault.status, body=fault.body))
    response.headers.update(fault.headers)
    return response


def _path(request: web.Request) -> str:
    return request.path.removeprefix(API)


def _response(answer: Answer) -> web.Response:
    headers = {
        "X-RateLimit-Limit": "5",
        "X-RateLimit-Remaining": "4",
        "X-RateLimit-Reset-After": "1",
        "X-RateLimit-Bucket": "simulated",
        # discord.py takes a 429 without it for a ban of the address, and gives up.
        "Via": "1.1 simulator",
    }
    if answer.status == web.HTTPNoContent.status_code:
        return web.Response(status=answer.status, headers=headers)
    # discord.py reads a body as JSON only if this header is exactly so, without a charset.
    headers["Content-Type"] = "application/json"
    return web.Response(body=_encoded(answer.body), status=answer.status, headers=headers)


def _encoded(body: Any) -> bytes:
    return json.dumps(body).encode()
