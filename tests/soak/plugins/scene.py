"""Where plugins misbehave: a host with all that the bot's has but the bot, and what was seen."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from extensions.hooks import Occasion
from extensions.plugins.host import HostParts, HostSettings, PluginHost, open_plugin_host
from extensions.plugins.kv import KeyValues
from extensions.plugins.manifest import Candidate
from extensions.plugins.plugin import Plugin
from extensions.plugins.requests import Requests
from extensions.plugins.services import UiAnswer, UiRequest, Workspace
from extensions.process.interpreter import base_python
from extensions.tools import ToolRegistry
from tests.fakes.faulty_plugins import faulty, outcome
from tests.fakes.inline_database import InlineDatabase
from tests.fakes.plugin_services import FakeAudit, FakeExecutor, FakeSessions
from tests.soak.plugins.meters import Holdings

_PYTHON = base_python()
NEIGHBOUR = "neighbour"
_MOST_NEW_OBJECTS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What was looked at, and what was seen instead of what must be."""

    check: str
    seen: str | None
    """`None` if all is well."""
    is_timed: bool = False
    """Whether it may come of what else runs on this machine."""


class Records(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.kept.append(record)

    def lines(self, *, level: int = logging.DEBUG, holding: str = "") -> list[str]:
        """Return what was logged from that level on and holds that."""
        found = [record.getMessage() for record in self.kept if record.levelno >= level]
        return [line for line in found if holding in line]

    def faults(self) -> list[str]:
        """Return what was logged with a traceback, or as an error of asyncio."""
        return [
            record.getMessage()
            for record in self.kept
            if record.exc_info is not None or record.name == "asyncio"
        ]


class SilentPerson:
    """Implements `UserInterface`: never answers."""

    async def ask(
        self,
        plugin_id: str,
        request: UiRequest,
        occasion: Occasion,
        *,
        within_seconds: float | None = None,
    ) -> UiAnswer:
        await asyncio.get_running_loop().create_future()
        raise AssertionError(plugin_id, request, occasion, within_seconds)


@dataclass
class Scene:
    """Where one fault is tried."""

    folder: Path
    records: Records = field(default_factory=Records)
    looks: list[Look] = field(default_factory=list[Look])
    figures: list[str] = field(default_factory=list[str])
    audit: FakeAudit = field(default_factory=FakeAudit)
    executor: FakeExecutor = field(default_factory=FakeExecutor)
    registry: ToolRegistry = field(default_factory=ToolRegistry)

    def must(self, check: str, *, be: bool, seen: object = "it is not so") -> None:
        """Look whether that holds."""
        self.looks.append(Look(check=check, seen=None if be else str(seen)))

    def must_stay_below(self, check: str, limit: float, value: float, unit: str) -> None:
        """Look whether something that was measured is less than that."""
        seen = None if value < limit else f"{value:.1f} {unit}"
        self.looks.append(Look(check=check, seen=seen, is_timed=True))

    def tell(self, text: str) -> None:
        """Tell what was measured."""
        self.figures.append(text.replace(str(self.folder), "…"))

    def forget(self) -> None:
        """Keep nothing of what was logged and audited, as it would look like growth."""
        self.records.kept.clear()
        self.audit.notes.clear()

    def must_not_grow(self, before: Holdings, after: Holdings, *, contexts: int = 0) -> None:
        """Look whether more is held than before, though no more runs.

        Args:
            before: What was held before.
            after: What is held after.
            contexts: How many contexts that plugins were given may be known.
        """
        seen = f"{before}, then {after}"
        is_same = after.files <= before.files and after.children == before.children
        self.must("no file stays open, and no process is left", be=is_same, seen=seen)
        self.must("there is no zombie", be=after.zombies == 0, seen=seen)
        self.must("no task is left", be=after.tasks <= before.tasks, seen=seen)
        is_same = after.objects < before.objects + contexts + _MOST_NEW_OBJECTS
        self.must("no object is left", be=is_same, seen=seen)
        grown = after.rss_mib - before.rss_mib
        self.must("memory grows by less than 15 MiB", be=grown < 15, seen=f"{grown:.1f} MiB")

    def must_log_no_fault(self) -> None:
        """Look whether anything was raised where nobody expected it."""
        faults = self.records.faults()
        self.must("nothing is raised that nobody expects", be=not faults, seen=faults[:3])

    def parts(self, settings: HostSettings | None = None, **others: Any) -> HostParts:
        """Return what a host works with."""
        requests = Requests(
            ui=SilentPerson(),
            sessions=FakeSessions(),
            executor=self.executor,
            audit=self.audit,
            kv=KeyValues(InlineDatabase()),
        )
        usual = HostParts(
            registry=self.registry,
            requests=requests,
            audit=self.audit,
            environment_of=lambda _: {"PATH": f"{_PYTHON.parent}:/usr/bin:/bin"},
            workspace_of=lambda _: Workspace(root=self.folder, trusted=True),
            host_version="1.0.0",
            settings=settings or HostSettings(),
        )
        return replace(usual, **others)

    @asynccontextmanager
    async def host(
        self, *candidates: Candidate, settings: HostSettings | None = None, **others: Any
    ) -> AsyncGenerator[PluginHost, None]:
        """Run a host with these plugins and one that is well, and look what is left of it."""
        async with open_plugin_host(self.parts(settings, **others)) as host:
            await host.load([faulty(NEIGHBOUR), *candidates])
            yield host


async def timed(plugin: Plugin, tool: str, **arguments: Any) -> tuple[str, float]:
    """Use a tool of a plugin; return what came of it, and the seconds that it took."""
    began = time.monotonic()
    return await outcome(plugin, tool, **arguments), time.monotonic() - began
