"""Passes one request on to the Messages API, and its answer back as it comes."""

import asyncio
import io
import logging
import time
from dataclasses import dataclass
from http import HTTPStatus

import aiohttp
from aiohttp import web
from multidict import CIMultiDict
from yarl import URL

from extensions.callers import Caller
from extensions.claude.usage import Usage
from extensions.server.answer_watch import AnswerWatch, watch_for
from extensions.server.forwarding import (
    ANSWERS,
    KeyMask,
    error_body,
    headers_to_caller,
    headers_to_upstream,
)
from extensions.server.ledger import AnswerBook, AnswerLedger, AnswerState
from extensions.server.model_hooks import Forbidden, ModelHooks
from extensions.server.usage_limit import resets_at, with_reset

_REDIRECTS = range(300, 400)
_ERROR_BYTES = 65_536
"""More of an error than anyone reads."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """The one place to which requests go."""

    base_url: str
    api_key: str
    idle_seconds: float
    """How long to wait for the next bytes of an answer, or for a caller to take them."""


@dataclass(slots=True)
class _Passage:
    """What is known of an answer while it passes."""

    caller: Caller
    ledger: AnswerLedger | None
    """Where it is entered; `None` if it is not the model that answers."""
    book: AnswerBook
    """Where it is noted how it stands."""
    watch: AnswerWatch | None = None
    """`None` until the model has begun to answer."""
    broke_off: bool = False
    """Whether the connection is of no use any more."""

    async def read(self, data: bytes) -> None:
        """Note what came from the upstream; nothing, if no more comes."""
        if self.watch is None:
            return
        self.watch.feed(data)
        # Before the caller has its last bytes: it may end at once, and the ledger be looked into.
        if self.watch.is_whole:
            await self.noted(self.enter(cut=False))
        elif not data:
            await self.noted(self.enter(cut=True))

    def enter(self, *, cut: bool) -> AnswerState | None:
        """Enter the answer in the ledger, unless it was entered already.

        Returns:
            What is to be noted, if it is entered now.
        """
        if self.ledger is None:
            return None
        usage = Usage() if self.watch is None else self.watch.usage
        self.ledger.ended(self.caller, cut=cut, usage=usage)
        state = self.ledger.state_of(self.caller)
        self.ledger = None
        return state

    async def noted(self, state: AnswerState | None) -> None:
        """Note how the last answer to the caller stands."""
        if state is not None:
            await self.book.note(self.caller, state)


class Relay:
    """Forwards requests, and enters each answer of the model in the ledger."""

    def __init__(
        self,
        client: aiohttp.ClientSession,
        upstream: Upstream,
        ledger: AnswerLedger,
        book: AnswerBook,
        hooks: ModelHooks,
    ) -> None:
        self._client = client
        self._upstream = upstream
        self._ledger = ledger
        self._book = book
        self._hooks = hooks

    async def forward(
        self, request: web.BaseRequest, body: bytes, caller: Caller
    ) -> web.StreamResponse:
        """Return the answer, which has been sent already but for its end."""
        is_answer = request.method == "POST" and request.path == ANSWERS
        if is_answer:
            wanted = await self._hooks.revised(caller, body)
            if isinstance(wanted, Forbidden):
                return refusal(400, "invalid_request_error", wanted.reason)
            body = wanted
        passage = _Passage(caller, self._ledger if is_answer else None, self._book)
        if is_answer:
            self._ledger.opened(caller)
        try:
            if is_answer:
                await passage.noted(AnswerState.OPEN)
            response = await self._exchange(request, body, passage)
        finally:
            # Not entered yet: it never began, or its caller left. So it says nothing of whether
            # what the caller has is whole.
            state = passage.enter(cut=self._ledger.last_answer_was_cut(caller))
        # Not if this was cancelled: the program may be ending, and then it stays open.
        await passage.noted(state)
        if passage.broke_off and request.transport is not None:
            request.transport.close()
        return response

    async def _exchange(
        self, request: web.BaseRequest, body: bytes, passage: _Passage
    ) -> web.StreamResponse:
        upstream = self._upstream
        try:
            async with self._client.request(
                request.method,
                # As it came: what is made of a path here must not differ from what was checked.
                URL(upstream.base_url.rstrip("/") + request.raw_path, encoded=True),
                headers=CIMultiDict(
                    headers_to_upstream(request.headers.items(), api_key=upstream.api_key)
                ),
                data=io.BytesIO(body) if body else None,
                allow_redirects=False,
            ) as answer:
                if passage.ledger is not None:
                    await self._hooks.answered(passage.caller, answer.status)
                if answer.status in _REDIRECTS:
                    return self._failed(502, "the model's API answered with a redirect", passage)
                if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
                    return await self._limited(answer)
                return await self._pass_back(request, answer, passage)
        except TimeoutError:
            return self._failed(504, "the model's API did not answer in time", passage)
        except (aiohttp.ClientError, OSError) as error:
            reason = str(error).replace(upstream.api_key, "***")
            logger.warning("a call to the model's API failed: %s", reason or type(error).__name__)
            return self._failed(502, "the model's API cannot be reached", passage)

    async def _pass_back(
        self, request: web.BaseRequest, answer: aiohttp.ClientResponse, passage: _Passage
    ) -> web.StreamResponse:
        response = web.StreamResponse(status=answer.status, headers=self._headers(answer))
        if answer.status == HTTPStatus.OK:
            passage.watch = watch_for(answer.content_type)
        mask = KeyMask(self._upstream.api_key)
        try:
            await response.prepare(request)
            while data := await self._read(answer, passage):
                await self._write(response, mask.feed(data))
            await self._write(response, mask.rest())
        except ConnectionError:
            logger.debug("%s left before its answer had ended", passage.caller)
        except TimeoutError:
            logger.warning("%s does not take its answer", passage.caller)
            passage.broke_off = True
        return response

    async def _limited(self, answer: aiohttp.ClientResponse) -> web.Response:
        body = b""
        while len(body) < _ERROR_BYTES and (data := await answer.content.readany()):
            body += data
        headers = {name.lower(): value for name, value in answer.headers.items()}
        at = resets_at(headers, now=time.time())
        mask = KeyMask(self._upstream.api_key)
        kept = self._headers(answer)
        kept.popall("Content-Length", None)
        whole = mask.feed(body if at is None else with_reset(body, at)) + mask.rest()
        return web.Response(status=answer.status, headers=kept, body=whole)

    async def _read(self, answer: aiohttp.ClientResponse, passage: _Passage) -> bytes:
        """Return the next bytes of the answer; none when it has ended, or broken off."""
        try:
            data = await answer.content.readany()
        except (aiohttp.ClientError, OSError) as error:  # time-outs are among the latter
            logger.warning("an answer to %s broke off: %s", passage.caller, type(error).__name__)
            passage.broke_off = True
            data = b""
        await passage.read(data)
        return data

    async def _write(self, response: web.StreamResponse, data: bytes) -> None:
        if data:
            async with asyncio.timeout(self._upstream.idle_seconds):
                await response.write(data)

    def _headers(self, answer: aiohttp.ClientResponse) -> CIMultiDict[str]:
        headers = CIMultiDict(
            headers_to_caller(answer.headers.items(), api_key=self._upstream.api_key)
        )
        if headers.popall("Content-Encoding", None):  # it was unpacked on its way here
            headers.popall("Content-Length", None)
        return headers

    def _failed(self, status: int, message: str, passage: _Passage) -> web.Response:
        logger.warning("%s for %s", message, passage.caller)
        return refusal(status, "api_error", message)


def refusal(status: int, kind: str, message: str) -> web.Response:
    """Return an error in the Messages API's own form."""
    return web.Response(
        status=status, body=error_body(kind, message), content_type="application/json"
    )
