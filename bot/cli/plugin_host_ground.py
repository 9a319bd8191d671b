"""Papercup's own host of plugins, with a plugin in it that says what it is told to say."""

import asyncio
import json
import shutil
import tempfile
import time
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.data_folder import held_data_folder
from bot.database import open_bot_database
from extensions.database import Database
from extensions.hooks import Occasion
from extensions.plugins.host import PluginHost, open_plugin_host
from extensions.plugins.kv import KeyValues
from extensions.plugins.manifest import (
    Candidate,
    Capabilities,
    Dialect,
    Manifest,
    RunSpec,
    Scope,
)
from extensions.plugins.parts import HostParts
from extensions.plugins.requests import Requests
from extensions.plugins.services import (
    AuditKind,
    Confirm,
    Delivery,
    Executed,
    Input,
    Select,
    UiAnswer,
    UiRequest,
    Workspace,
)
from extensions.process.interpreter import base_python, python_command
from extensions.tools import ToolRegistry
from papercup_plugin.conformance import scripted_peer

HERE = Occasion(session_id="test", person_id=1, guild_id=1, channel_id=1)
HOLD = "hold"
"""A prompt that people never answer."""
UNGRANTED = "ungranted"
"""The plugin for which no programs are run."""

ALL = Capabilities(
    tools=None,
    commands=True,
    hooks=None,
    events=frozenset({"turn_start"}),
    ui=True,
    exec=True,
    kv=True,
    bus=True,
    session=True,
    providers=None,
)
COMMANDS_ALONE = Capabilities(commands=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerSpec:
    """A plugin that says what it is told to say."""

    id: str
    dialect: Dialect
    answers: Mapping[str, Any]
    """The members of its answer to each method."""
    capabilities: Capabilities = ALL


class TrialGround:
    """A host, and the folder in which its plugins stand. Get one from `trial_ground`."""

    def __init__(self, host: PluginHost, folder: Path) -> None:
        self.host = host
        self._folder = folder

    async def load(self, specs: Iterable[PeerSpec]) -> None:
        """Start plugins; how that went, the host reports."""
        await self.host.load([_candidate(spec, self._folder / spec.id) for spec in specs])

    async def control(self, plugin_id: str, order: Mapping[str, Any]) -> Any:
        """Steer a plugin, and return what it gives back; raises PluginCallError."""
        plugin, text = self.host.find_program(plugin_id), json.dumps(order)
        if plugin.manifest.dialect is Dialect.SEP:
            return json.loads(await self.host.run_command(plugin_id, "control", text, HERE))
        answer = await plugin.call_tool("control", {"order": text}, HERE)
        return json.loads(answer.text)


@asynccontextmanager
async def trial_ground() -> AsyncGenerator[TrialGround, None]:
    """Open a host that serves all that plugins can ask, and touches nothing."""
    with (
        tempfile.TemporaryDirectory(prefix="papercup-host-") as name,
        held_data_folder(Path(name) / "data") as data,
    ):
        async with (
            open_bot_database(data, clock=time.time) as database,
            open_plugin_host(_parts(Path(name), database)) as host,
        ):
            yield TrialGround(host, Path(name))


def _candidate(spec: PeerSpec, folder: Path) -> Candidate:
    folder.mkdir()
    peer = shutil.copy(scripted_peer.__file__, folder / "peer.py")
    answers = folder / "answers.json"
    answers.write_text(json.dumps(spec.answers), encoding="utf-8")
    python, *options = python_command(base_python())
    manifest = Manifest(
        id=spec.id,
        dialect=spec.dialect,
        version="1.0.0",
        name=spec.id,
        run=RunSpec(command=Path(python).name, args=(*options, str(peer), str(answers))),
        capabilities=spec.capabilities,
    )
    return Candidate(
        manifest=manifest,
        folder=folder,
        manifest_path=folder / "extension.toml",
        scope=Scope.SEARCH_PATH,
        root_index=0,
    )


def _parts(folder: Path, database: Database) -> HostParts:
    audit = _NoLog()
    requests = Requests(
        ui=_People(),
        sessions=_Sessions(),
        executor=_Executor(),
        audit=audit,
        kv=KeyValues(database),
    )
    return HostParts(
        registry=ToolRegistry(),
        requests=requests,
        audit=audit,
        environment_of=lambda _: {"PATH": str(base_python().parent)},
        workspace_of=lambda _: Workspace(root=folder, trusted=True),
        may_execute=lambda candidate: candidate.id != UNGRANTED,
        host_version="1.0.0",
    )


class _People:
    """People who answer at once, but for what holds."""

    async def ask(
        self,
        plugin_id: str,
        request: UiRequest,
        occasion: Occasion,
        *,
        within_seconds: float | None = None,
    ) -> UiAnswer:
        """Answer."""
        del plugin_id, occasion, within_seconds
        match request:
            case Confirm(prompt=prompt) if prompt == HOLD:
                await asyncio.Event().wait()
            case Select(options=options):
                return UiAnswer(value=options[0])
            case Confirm():
                return UiAnswer(confirmed=True)
            case Input():
                return UiAnswer(text="text")
            case _:
                pass
        return UiAnswer()


class _Sessions:
    """A session in which nothing is done."""

    async def send_message(
        self, plugin_id: str, text: str, *, role: str, occasion: Occasion
    ) -> None:
        """Do nothing."""

    async def send_user_message(
        self, plugin_id: str, text: str, *, deliver_as: Delivery, occasion: Occasion
    ) -> None:
        """Do nothing."""

    async def append_entry(
        self, plugin_id: str, entry: Mapping[str, Any], occasion: Occasion
    ) -> None:
        """Do nothing."""

    async def set_model(
        self,
        plugin_id: str,
        model: str,
        *,
        provider: str | None,
        thinking: str | None,
        occasion: Occasion,
    ) -> None:
        """Do nothing."""

    async def state(self, plugin_id: str, occasion: Occasion) -> Mapping[str, Any]:
        """Return a state."""
        del plugin_id
        return {"session_id": occasion.session_id}


class _Executor:
    """Runs nothing."""

    async def run(
        self, plugin_id: str, command: Sequence[str], *, cwd: Path | None, occasion: Occasion
    ) -> Executed:
        """Say that it went well."""
        del plugin_id, command, cwd, occasion
        return Executed(stdout="", stderr="", exit_code=0)


class _NoLog:
    """Keeps nothing."""

    def note(self, kind: AuditKind, plugin_id: str, text: str) -> None:
        """Keep nothing."""
