"""A gateway between a job's client and a scripted upstream."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp
import pytest

from extensions.server.gateway import GatewayOptions, serving_gateway
from extensions.server.http import Doorstep, loopback_socket
from extensions.server.ledger import AnswerBook, AnswerLedger
from extensions.server.tool_hooks import Hooks
from tests.fakes.server_clients import JOB_TOKEN, callers
from tests.fakes.server_upstream import FakeUpstream, Handler, running_upstream, whole

KEY = "sk-ant-api03-the-real-key"


@dataclass(frozen=True, slots=True)
class House:
    """A gateway between a job's client and an upstream."""

    url: str
    port: int
    http: aiohttp.ClientSession
    upstream: FakeUpstream
    ledger: AnswerLedger

    async def ask(
        self, path: str = "/v1/messages?beta=true", *, body: bytes = b'{"stream": true}'
    ) -> tuple[int, bytes]:
        async with self.http.post(self.url + path, data=body) as answer:
            return answer.status, await answer.read()

    async def ask_in_vain(self) -> None:
        with pytest.raises(aiohttp.ClientPayloadError):
            await self.ask()


@asynccontextmanager
async def house(
    handler: Handler = whole,
    *,
    upstream_url: str | None = None,
    options: GatewayOptions | None = None,
    doorstep: Doorstep | None = None,
    book: AnswerBook | None = None,
    hooks: Hooks | None = None,
) -> AsyncGenerator[House, None]:
    ledger = AnswerLedger()
    sock = loopback_socket()
    async with (
        asyncio.timeout(20),
        running_upstream(handler) as upstream,
        serving_gateway(
            callers(),
            ledger,
            upstream=upstream_url or upstream.url,
            api_key=KEY,
            sock=sock,
            book=book,
            options=options,
            doorstep=doorstep,
            hooks=hooks,
        ) as gateway,
        aiohttp.ClientSession(headers={"x-api-key": JOB_TOKEN}) as http,
    ):
        yield House(gateway.url, gateway.port, http, upstream, ledger)


def error_of(body: bytes) -> tuple[str, str]:
    """Return the kind and the text of an error in the Messages API's own form."""
    error = json.loads(body)
    assert error["type"] == "error"
    return error["error"]["type"], error["error"]["message"]
