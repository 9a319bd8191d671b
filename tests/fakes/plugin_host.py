"""A plugin host with real plugins of tests/fakes/plugins, and what it works with."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from extensions.callers import Caller, CallerKind
from extensions.hooks import Occasion
from extensions.plugins.host import HostParts, HostSettings, PluginHost, open_plugin_host
from extensions.plugins.manifest import (
    Candidate,
    Capabilities,
    Dialect,
    Manifest,
    RunSpec,
    Scope,
)
from extensions.plugins.plugin import Plugin
from extensions.plugins.served import ServedPlugin, ToolProgress
from extensions.plugins.services import Workspace
from extensions.process.interpreter import base_python
from extensions.rpc.errors import ErrorCode, RpcError
from extensions.tools import Tool, ToolAnswer, ToolCall, ToolRegistry
from tests.fakes.plugin_services import FakeAudit

FOLDER = Path(__file__).parent / "plugins"
_PYTHON = base_python()
SPEAKER = Caller(CallerKind.SPEAKER, "chat")
JOB = Caller(CallerKind.JOB, "job-1")
HERE = Occasion(session_id="chat", person_id=7, guild_id=1, channel_id=2)
ELSEWHERE = Occasion(session_id="other", person_id=8, guild_id=1, channel_id=3)
ALL = Capabilities(
    tools=None,
    commands=True,
    hooks=None,
    events=frozenset({"turn_start", "session_start", "session_shutdown"}),
    providers=None,
)


@dataclass
class FakeServing:
    """Implements `Serving`; answers a question only when `may_answer` is set."""

    asked: list[tuple[str, str, Mapping[str, Any], Occasion]] = field(default_factory=list)
    told: list[tuple[str, str, Mapping[str, Any]]] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    may_answer: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, plugin: ServedPlugin, method: str, params: Mapping[str, Any]) -> Any:
        if method != "ui/request":
            raise RpcError(ErrorCode.METHOD_NOT_FOUND, f"method not found: {method}")
        self.asked.append((plugin.id, method, params, plugin.occasion))
        self.news.set()
        await self.may_answer.wait()
        return {"confirmed": True}

    def notified(self, plugin: ServedPlugin, method: str, params: Mapping[str, Any]) -> None:
        self.told.append((plugin.id, method, params))
        self.news.set()
        if method == "tool/update":
            progress = ToolProgress(message=params["message"], progress=params["progress"])
            plugin.progressed(params["call_id"], progress)
        elif method == "provider/delta":
            plugin.delta_came(params["request_id"], params["event"])
        elif method == "registry/update":
            plugin.register(plugin.registrations_in(params))


async def occasion_of(caller: Caller) -> Occasion:
    return HERE if caller == SPEAKER else replace(HERE, agent_id=caller.subject)


@dataclass
class HostKit:
    """What a host works with, to be looked at."""

    serving: FakeServing = field(default_factory=FakeServing)
    audit: FakeAudit = field(default_factory=FakeAudit)
    registry: ToolRegistry = field(default_factory=ToolRegistry)
    settings: HostSettings = field(default_factory=HostSettings)
    for_jobs: frozenset[str] | None = frozenset()
    number: str = "1"

    def parts(self, **others: Any) -> HostParts:
        usual = HostParts(
            registry=self.registry,
            requests=self.serving,
            audit=self.audit,
            environment_of=lambda _candidate: {
                "PATH": f"{_PYTHON.parent}:/usr/bin:/bin",
                "NUMBER": self.number,
            },
            workspace_of=lambda _candidate: Workspace(root=Path("/project"), trusted=True),
            occasion_of=occasion_of,
            tools_for_jobs=lambda _plugin_id: self.for_jobs,
            flags_of=lambda _plugin_id: {"loud": True},
            host_version="1.2",
            settings=self.settings,
        )
        return replace(usual, **others)

    @asynccontextmanager
    async def host(self, *candidates: Candidate, **others: Any) -> AsyncGenerator[PluginHost, None]:
        """A host with these plugins loaded."""
        async with open_plugin_host(self.parts(**others)) as host:
            await host.load(candidates)
            yield host

    def tool(self, name: str, caller: Caller = SPEAKER) -> Tool:
        found = self.registry.find(caller, name)
        assert found is not None, name
        return found

    async def use(self, name: str, caller: Caller = SPEAKER, **arguments: Any) -> ToolAnswer:
        call = ToolCall(caller=caller, arguments=arguments, tool_use_id="use-1")
        return await self.tool(name, caller).handler(call)


def sep(name: str, *what: str, **more: Any) -> Candidate:
    """Return a plugin that runs tests/fakes/plugins/sep_plugin.py."""
    return _candidate(name, Dialect.SEP, "sep_plugin.py", what, more)


def stdio(name: str, *what: str, **more: Any) -> Candidate:
    """Return a plugin that runs tests/fakes/plugins/stdio_plugin.py."""
    return _candidate(name, Dialect.STDIO, "stdio_plugin.py", what, more)


def program(host: PluginHost, plugin_id: str) -> Plugin:
    return host.find_program(plugin_id)


def _candidate(
    name: str, dialect: Dialect, script: str, what: tuple[str, ...], more: dict[str, Any]
) -> Candidate:
    folder = Path(more.pop("folder", FOLDER))
    manifest = Manifest(
        id=name,
        dialect=dialect,
        version="1.0.0",
        name=name.title(),
        run=RunSpec(command=_PYTHON.name, args=("-ISE", str(FOLDER / script), *what)),
        **{"capabilities": ALL, **more},
    )
    return Candidate(
        manifest=manifest,
        folder=folder,
        manifest_path=folder / "extension.toml",
        scope=Scope.USER,
        root_index=0,
    )
