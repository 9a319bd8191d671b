"""The example plugins: in a host of their own, or spoken to by hand."""

import asyncio
import json
import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import papercup_plugin
from extensions.plugins.discovery import DiscoverySettings, discover
from extensions.plugins.host import HostParts, PluginHost, open_plugin_host
from extensions.plugins.kv import KeyValues
from extensions.plugins.manifest import Candidate, DiscoveryReport, Scope
from extensions.plugins.manifest_reading import HostFacts
from extensions.plugins.requests import Requests
from extensions.plugins.search import SearchRoot
from extensions.plugins.services import UiAnswer, UiRequest, Workspace
from extensions.process.interpreter import base_python
from extensions.tools import ToolAnswer, ToolCall, ToolRegistry
from tests.e2e.discord_js.running import node_command
from tests.fakes.inline_database import InlineDatabase
from tests.fakes.plugin_host import SPEAKER, occasion_of
from tests.fakes.plugin_services import FakeAudit, FakeExecutor, FakeSessions, FakeUserInterface

FOLDER = Path(__file__).parents[2] / "examples" / "plugins"
NAMES = sorted(path.name for path in FOLDER.iterdir() if path.is_dir())
SDK = Path(papercup_plugin.__file__).parents[1]
"""Where the SDK is found, which some need beside them."""


def search_path() -> str:
    """Return a PATH on which is all that the examples are run with."""
    folders = [base_python().parent, Path(node_command()[0]).parent]
    return os.pathsep.join([*map(str, folders), "/usr/bin", "/bin"])


def environment() -> dict[str, str]:
    """Return what the examples are run with."""
    return {"PATH": search_path(), "PYTHONPATH": str(SDK), "PYTHONDONTWRITEBYTECODE": "1"}


def found() -> DiscoveryReport:
    """Return what is found in their folder."""
    root = SearchRoot(path=FOLDER, scope=Scope.SEARCH_PATH)
    return discover(DiscoverySettings(roots=[root], host=HostFacts(version="0.1.0")))


def example(name: str) -> Candidate:
    """Return one of them."""
    return next(each for each in found().candidates if each.id == name)


@dataclass
class ExampleHost:
    """What the examples reach, and how they are used."""

    ui: FakeUserInterface = field(default_factory=FakeUserInterface)
    registry: ToolRegistry = field(default_factory=ToolRegistry)
    audit: FakeAudit = field(default_factory=FakeAudit)
    kv: KeyValues = field(default_factory=lambda: KeyValues(InlineDatabase()))
    sessions: FakeSessions = field(default_factory=FakeSessions)
    executor: FakeExecutor = field(default_factory=FakeExecutor)
    may_execute: bool = False
    flags: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """As the operator set them, of each plugin."""
    plugins: PluginHost = field(init=False)

    @asynccontextmanager
    async def running(self, *names: str) -> AsyncGenerator["ExampleHost", None]:
        """Run these while the block lasts."""
        async with asyncio.timeout(20), open_plugin_host(self._parts()) as self.plugins:
            await self.plugins.load([example(name) for name in names])
            yield self

    async def use(self, tool: str, **arguments: Any) -> ToolAnswer:
        """Have a speaker use a tool, by its public name."""
        offered = self.registry.find(SPEAKER, tool)
        assert offered is not None, tool
        call = ToolCall(caller=SPEAKER, arguments=arguments, tool_use_id="use-1")
        return await offered.handler(call)

    def asked(self) -> list[UiRequest]:
        """Return what people were shown and asked."""
        return [request for _, request, _ in self.ui.asked]

    def answers(self, *, confirmed: bool | None) -> None:
        """Have people say yes or no from now on; `None`: nobody answers."""
        self.ui.answer = UiAnswer(confirmed=confirmed, cancelled=confirmed is None)

    def _parts(self) -> HostParts:
        requests = Requests(
            ui=self.ui,
            sessions=self.sessions,
            executor=self.executor,
            audit=self.audit,
            kv=self.kv,
        )
        return HostParts(
            registry=self.registry,
            requests=requests,
            audit=self.audit,
            environment_of=lambda _: environment(),
            may_execute=lambda _: self.may_execute,
            workspace_of=lambda _: Workspace(root=FOLDER, trusted=True),
            occasion_of=occasion_of,
            flags_of=lambda _: self.flags,
            host_version="0.1.0",
        )


class ByHand:
    """One of them, spoken to line by line."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    def write(self, line: bytes) -> None:
        """Say a line, whatever it is."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")

    def send(self, **message: Any) -> None:
        """Say a message."""
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode())

    async def read(self) -> dict[str, Any]:
        """Return the next message that it says."""
        assert self.process.stdout is not None
        message: dict[str, Any] = json.loads(await self.process.stdout.readline())
        return message

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Ask something, and return the whole answer."""
        self.send(id=method, method=method, params=params)
        return await self.read()


@asynccontextmanager
async def by_hand(name: str) -> AsyncGenerator[ByHand, None]:
    """Run one of them while the block lasts."""
    run = example(name).manifest.run
    assert run is not None
    process = await asyncio.create_subprocess_exec(
        "/usr/bin/env",
        run.command,
        *run.args,
        cwd=FOLDER / name,
        env=environment(),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=1 << 24,
    )
    try:
        async with asyncio.timeout(20):
            yield ByHand(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
