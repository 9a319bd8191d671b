"""A real plugin host, in which plugins run that are written with the SDK."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from extensions.hooks import Occasion
from extensions.plugins.host import HostParts, PluginHost, open_plugin_host
from extensions.plugins.kv import KeyValues
from extensions.plugins.manifest import Candidate, Capabilities, Dialect, Manifest, RunSpec, Scope
from extensions.plugins.plugin import Plugin
from extensions.plugins.requests import Requests
from extensions.plugins.services import UiAnswer, UiRequest, Workspace
from extensions.process.interpreter import base_python
from extensions.tools import ToolRegistry
from tests.fakes.inline_database import InlineDatabase
from tests.fakes.plugin_services import FakeAudit, FakeExecutor, FakeSessions

SDK = Path(__file__).parents[2] / "sdk" / "python"
SCRIPT = Path(__file__).parent / "plugins" / "sdk_plugin.py"
ALL = Capabilities(
    tools=None,
    commands=True,
    ui=True,
    exec=True,
    kv=True,
    bus=True,
    session=True,
    hooks=None,
    events=frozenset({"turn_start", "session_shutdown", "bus/event"}),
    providers=None,
)


@dataclass
class People:
    """Implements `UserInterface`: they answer the same each time, or not at all."""

    answer: UiAnswer | None = None
    asked: list[tuple[UiRequest, Occasion]] = field(default_factory=list)
    left_alone: int = 0
    """How many questions were withdrawn."""

    async def ask(
        self,
        plugin_id: str,  # noqa: ARG002 - as the protocol has it
        request: UiRequest,
        occasion: Occasion,
        *,
        within_seconds: float | None = None,  # noqa: ARG002 - as the protocol has it
    ) -> UiAnswer:
        self.asked.append((request, occasion))
        if self.answer is not None:
            return self.answer
        try:
            return await self._nobody()
        except asyncio.CancelledError:
            self.left_alone += 1
            raise

    async def _nobody(self) -> UiAnswer:
        answer: asyncio.Future[UiAnswer] = asyncio.get_running_loop().create_future()
        return await answer


@dataclass
class SdkHost:
    """A host, and all that its plugins reach."""

    folder: Path
    people: People = field(default_factory=People)
    sessions: FakeSessions = field(default_factory=FakeSessions)
    executor: FakeExecutor = field(default_factory=FakeExecutor)
    kv: KeyValues = field(default_factory=lambda: KeyValues(InlineDatabase()))
    script: Path = SCRIPT
    capabilities: Capabilities = ALL
    may_execute: bool = True
    plugins: PluginHost = field(init=False)

    @asynccontextmanager
    async def running(
        self, *names: str, dialect: Dialect = Dialect.SEP
    ) -> AsyncGenerator[Plugin, None]:
        """Run the plugin under these names while the block lasts; the first one is returned."""
        async with asyncio.timeout(30), open_plugin_host(self._parts()) as self.plugins:
            await self.plugins.load([self._candidate(name, dialect) for name in names])
            yield self.plugins.find_program(names[0])

    def _parts(self) -> HostParts:
        audit = FakeAudit()
        requests = Requests(
            ui=self.people,
            sessions=self.sessions,
            executor=self.executor,
            audit=audit,
            kv=self.kv,
        )
        environment = {"PATH": f"{base_python().parent}:/usr/bin:/bin", "PYTHONPATH": str(SDK)}
        return HostParts(
            registry=ToolRegistry(),
            requests=requests,
            audit=audit,
            environment_of=lambda _: environment,
            workspace_of=lambda _: Workspace(root=self.folder, trusted=True),
            may_execute=lambda _: self.may_execute,
            flags_of=lambda _: {"loud": True},
            host_version="1",
        )

    def _candidate(self, name: str, dialect: Dialect) -> Candidate:
        run = RunSpec(command=base_python().name, args=(str(self.script),))
        manifest = Manifest(
            id=name,
            dialect=dialect,
            version="1.0.0",
            name=name,
            run=run,
            capabilities=self.capabilities,
        )
        file = "plugin.toml" if dialect is Dialect.STDIO else "extension.toml"
        return Candidate(
            manifest=manifest,
            folder=self.folder,
            manifest_path=self.folder / file,
            scope=Scope.USER,
            root_index=0,
        )
