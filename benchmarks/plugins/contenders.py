"""Those that are held against each other: all of them call a child that answers at once."""

import asyncio
import importlib
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import uvloop
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from benchmarks.plugins.house import CHILD, PYTHON_FLAGS, empty_host, load_all
from benchmarks.plugins.loads import AsyncCall, Load, Rates, rates_of
from extensions.hooks import NOWHERE
from extensions.process.interpreter import base_python

_OURS = "echo0"

# By name, as it says nothing of its types.
_smooth: Any = importlib.import_module("smooth_operator_core.extension")


class _Opening(Protocol):
    def __call__(self) -> AbstractAsyncContextManager[AsyncCall]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AsyncContender:
    """One that runs in an event loop."""

    name: str
    opening: _Opening
    """Starts a child; yields what has a text echoed."""
    has_uvloop: bool = True
    longest_bytes: int | None = None
    """The longest text that it can have echoed; `None`: any."""

    def rates(self, loads: Sequence[Load]) -> Rates:
        """Start a child, have it called, and return how fast that went."""
        factory = uvloop.new_event_loop if self.has_uvloop else asyncio.new_event_loop
        with asyncio.Runner(loop_factory=factory) as runner:
            return runner.run(self._measured(loads))

    async def _measured(self, loads: Sequence[Load]) -> Rates:
        longest = sys.maxsize if self.longest_bytes is None else self.longest_bytes
        async with self.opening() as call:
            return await rates_of(call, [load for load in loads if load.text_bytes <= longest])


@asynccontextmanager
async def our_host() -> AsyncGenerator[AsyncCall, None]:
    """Start a plugin in our host; yield what uses its tool."""
    async with empty_host() as host:
        await load_all(host, 1)
        plugin = host.find_program(_OURS)

        async def call(text: str) -> object:
            return await plugin.call_tool("echo", {"text": text}, NOWHERE)

        yield call


@asynccontextmanager
async def mcp_client() -> AsyncGenerator[AsyncCall, None]:
    """Start a server with the `mcp` package's client for stdio; yield what uses its tool."""
    server = StdioServerParameters(command=str(base_python()), args=child_arguments("mcp"))
    async with Client(stdio_client(server)) as client:

        async def call(text: str) -> object:
            return await client.call_tool("echo", {"text": text})

        yield call


@asynccontextmanager
async def smooth_operator() -> AsyncGenerator[AsyncCall, None]:
    """Start an extension in smooth_operator_core's host; yield what uses its tool."""
    run = _smooth.RunSpec(command=str(base_python()), args=child_arguments("sep"))
    manifest = _smooth.ExtensionManifest(name="echo", version="1.0.0", run=run)
    found = _smooth.DiscoveredExtension(
        manifest=manifest, root=CHILD.parent, scope=_smooth.Scope.GLOBAL
    )
    host, failures = await _smooth.ExtensionHost.load(
        [found],
        _smooth.HostInfo("benchmark", "1.0.0"),
        _smooth.WorkspaceInfo(str(CHILD.parent), trusted=True),
        "headless",
        [],
        _smooth.DefaultHostDelegate(),
    )
    assert not failures, failures
    (tool,) = host.tools()

    async def call(text: str) -> object:
        content: str = await tool.execute({"text": text})
        return content

    try:
        yield call
    finally:
        await host.shutdown_all()


def child_arguments(kind: str) -> list[str]:
    """Return the arguments of Python that run the child."""
    return [*PYTHON_FLAGS, str(CHILD), kind]
