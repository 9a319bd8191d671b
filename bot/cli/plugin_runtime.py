"""`papercup plugin doctor --runtime`: starts each plugin that is trusted, and shakes hands."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

import typer

from bot.cli.output import print_json, print_table
from bot.cli.plugin_exit import PluginExit
from bot.cli.plugin_overview import FoundPlugin, Ground, Overview
from bot.data_folder import held_data_folder
from bot.database import open_bot_database
from bot.plugin_services.tier_openers import tier_openers
from bot.plugin_services.trusting import open_trust
from extensions.plugins.host import PluginHost, open_plugin_host
from extensions.plugins.manifest import Candidate, Tier
from extensions.plugins.packages.sdk import sdk_warning
from extensions.plugins.parts import HostParts, HostSettings
from extensions.plugins.served import ServedPlugin
from extensions.plugins.services import Workspace
from extensions.rpc.errors import ErrorCode, RpcError
from extensions.tools import ToolRegistry

_MOST_AT_ONCE = 4
_LONGEST_START_SECONDS = 120.0
_READY, _SPAWNING = "ready", "spawning"
_MILLISECONDS = 1000

logger = logging.getLogger(__name__)


class Outcome(StrEnum):
    """How a trial ended."""

    OK = "ok"
    FAIL = "fail"
    SKIP = "skip"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """How one plugin did."""

    id: str
    transport: str
    outcome: Outcome
    elapsed_ms: int | None = None
    """From its start until it was ready; `None`: it was not started now."""
    error: str | None = None
    tools: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()


def print_trial(ground: Ground, overview: Overview, *, as_json: bool) -> PluginExit:
    """Try each plugin that may be started, and print how they did.

    Where a bot runs, its plugins run already: then it is asked how they do.

    Raises:
        DataFolderBusyError: If a bot is just about to start, or to end.
        DatabaseError: If the database cannot be used.
    """
    if overview.is_running:
        trials = [_as_it_runs(each) for each in overview.plugins]
    else:
        with held_data_folder(ground.config.data_dir):
            trials = asyncio.run(_try_all(ground, overview.plugins))
    counts = {one.value: sum(each.outcome is one for each in trials) for one in Outcome}
    if as_json:
        print_json({"checks": [asdict(each) for each in trials], **counts})
    else:
        columns = ("ID", "TRANSPORT", "OUTCOME", "ELAPSED", "ERROR")
        print_table(None, columns, [_row(each) for each in trials])
        typer.echo(", ".join(f"{count} {name}" for name, count in counts.items()))
    return PluginExit.CHECK_FAILED if counts[Outcome.FAIL] else PluginExit.OK


async def _try_all(ground: Ground, plugins: Sequence[FoundPlugin]) -> list[Trial]:
    trials = {each.candidate.id: _skipped(each) for each in plugins}
    at_once = asyncio.Semaphore(_MOST_AT_ONCE)

    async def try_one(candidate: Candidate) -> None:
        async with at_once:
            trials[candidate.id] = await _tried(host, candidate, changed)

    async with _host(ground) as host, asyncio.TaskGroup() as tasks:
        changed = asyncio.Event()
        host.watch(changed.set)
        for each in plugins:
            if each.obstacle is None:
                tasks.create_task(try_one(each.candidate))
    return list(trials.values())


@asynccontextmanager
async def _host(ground: Ground) -> AsyncGenerator[PluginHost, None]:
    opening = open_bot_database(ground.local.folder, clock=time.time)
    async with opening as database, open_trust(ground.local.ground, database) as trust:
        settings, version = HostSettings(), ground.local.ground.version
        plugins_folder = ground.local.ground.plugins_folder
        parts = HostParts(
            registry=ToolRegistry(),
            requests=_NoServing(),
            audit=trust.audit,
            environment_of=trust.admission.environment_of,
            workspace_of=lambda each: Workspace(root=each.folder, trusted=False),
            refusal_of=trust.admission.refusal_of,
            flags_of=lambda plugin_id: ground.config.plugins.entry(plugin_id).flags,
            host_version=version,
            settings=settings,
            tiers=tier_openers(
                trust,
                # Nothing is run there in a trial.
                workspace_of=lambda plugin_id, _occasion: plugins_folder / plugin_id,
                settings=settings,
                version=version,
            ),
        )
        async with open_plugin_host(parts) as host:
            yield host


class _NoServing:
    """Plugins are given nothing here but a handshake."""

    async def serve(self, plugin: ServedPlugin, method: str, params: Mapping[str, Any]) -> Any:
        """Refuse it."""
        self.notified(plugin, method, params)
        raise RpcError(ErrorCode.INTERNAL_ERROR, f"{method} is not served: this is a trial")

    def notified(self, plugin: ServedPlugin, method: str, params: Mapping[str, Any]) -> None:
        """Leave it be."""
        del params
        logger.debug("plugin %s: %s is not served in a trial", plugin.id, method)


async def _tried(host: PluginHost, candidate: Candidate, changed: asyncio.Event) -> Trial:
    started_at = time.monotonic()
    await host.load([candidate])
    # A plugin is loaded as soon as one of its MCP servers is up.
    with suppress(TimeoutError):
        async with asyncio.timeout(_LONGEST_START_SECONDS):
            while _is_starting(_report(host, candidate)):
                changed.clear()
                await changed.wait()
    elapsed_ms = round((time.monotonic() - started_at) * _MILLISECONDS)
    return _trial(candidate, _report(host, candidate), elapsed_ms=elapsed_ms)


def _report(host: PluginHost, candidate: Candidate) -> Mapping[str, Any]:
    (report,) = (each for each in host.report() if each["id"] == candidate.id)
    return report


def _is_starting(report: Mapping[str, Any]) -> bool:
    return any(each["state"] == _SPAWNING for each in report.get("servers") or ())


def _as_it_runs(found: FoundPlugin) -> Trial:
    if found.running is None:
        reason = found.obstacle or "the running bot has not loaded it"
        return _skipped(found, reason)
    return _trial(found.candidate, found.running, elapsed_ms=None)


def _trial(candidate: Candidate, report: Mapping[str, Any], *, elapsed_ms: int | None) -> Trial:
    trouble = _trouble(report)
    # Why a program ended at once, nobody but itself knows; this is often why.
    lack = None if trouble is None else sdk_warning(candidate.folder, candidate.manifest)
    return Trial(
        id=candidate.id,
        transport=_transport(candidate),
        outcome=Outcome.OK if trouble is None else Outcome.FAIL,
        elapsed_ms=elapsed_ms,
        error=trouble if lack is None else f"{trouble}; {lack}",
        tools=_texts(report.get("tools")),
        commands=_texts(report.get("commands")),
    )


def _trouble(report: Mapping[str, Any]) -> str | None:
    """Return what of a plugin is not up, and why; `None`: all of it is."""
    if report["state"] != _READY and report.get("reason"):
        return str(report["reason"])
    troubles = [
        f"MCP server `{each['name']}`: {each.get('reason') or each['state']}"
        for each in report.get("servers") or ()
        if each["state"] != _READY
    ]
    if report["state"] != _READY and not troubles:
        return str(report["state"])
    return "; ".join(troubles) or None


def _skipped(found: FoundPlugin, reason: str | None = None) -> Trial:
    return Trial(
        id=found.candidate.id,
        transport=_transport(found.candidate),
        outcome=Outcome.SKIP,
        error=reason or found.obstacle,
    )


def _transport(candidate: Candidate) -> str:
    tier = candidate.manifest.tier
    return candidate.manifest.dialect.value if tier is Tier.PROCESS else tier.value


def _texts(values: Iterable[Any] | None) -> tuple[str, ...]:
    return tuple(str(each) for each in values or ())


def _row(trial: Trial) -> tuple[str, ...]:
    elapsed = "" if trial.elapsed_ms is None else f"{trial.elapsed_ms} ms"
    return trial.id, trial.transport, trial.outcome.value, elapsed, trial.error or ""
