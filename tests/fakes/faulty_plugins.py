"""Plugins that do wrong what they are told to, and ways to have them do it."""

import asyncio
import base64
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from extensions.errors import PluginCallError
from extensions.plugins.host import PluginHost
from extensions.plugins.manifest import Candidate, RunSpec
from extensions.plugins.plugin import Plugin
from extensions.process.interpreter import base_python
from tests.fakes.plugin_host import ALL, FOLDER, HERE, sep

EVERYTHING = replace(ALL, ui=True, exec=True, kv=True, bus=True, session=True)


def faulty(name: str, *what: str, **more: Any) -> Candidate:
    """Return a plugin that does wrong what it is told to: tests/fakes/plugins/faulty_plugin.py."""
    return _running("faulty_plugin.py", name, what, more)


def small(name: str) -> Candidate:
    """Return a plugin that starts fast, says things, and crashes if it is told to."""
    return _running("small_plugin.py", name, (), {})


def with_command(name: str, command: str, folder: Path = FOLDER) -> Candidate:
    """Return a plugin in that folder whose program is that."""
    candidate = sep(name, folder=folder)
    manifest = replace(candidate.manifest, run=RunSpec(command=command))
    return replace(candidate, manifest=manifest)


def encoded(*lines: bytes) -> list[str]:
    """Return lines as the tool `odd` takes them."""
    return [base64.b64encode(line).decode() for line in lines]


async def use(plugin: Plugin, tool: str, **arguments: Any) -> str:
    """Use a tool of a plugin, and return what it answers.

    Raises:
        PluginCallError: If it came to nothing.
    """
    return (await plugin.call_tool(tool, arguments, HERE)).text


async def outcome(plugin: Plugin, tool: str, **arguments: Any) -> str:
    """Use a tool of a plugin, and return what it answers, or why it came to nothing."""
    try:
        return await use(plugin, tool, **arguments)
    except PluginCallError as error:
        return error.reason


async def outcome_within(plugin: Plugin, limit_seconds: float, tool: str, **arguments: Any) -> str:
    """Return what comes of using a tool if that may take that long, whatever is usual."""
    params = {"tool": tool, "arguments": arguments, "call_id": "impatient"}
    try:
        result = await plugin.request("tool/execute", params, timeout_seconds=limit_seconds)
    except PluginCallError as error:
        return error.reason
    return str(result["content"])


async def many(plugin: Plugin, tool: str, count: int, **arguments: Any) -> Sequence[str]:
    """Use a tool that many times at once, and return what came of each."""
    async with asyncio.TaskGroup() as tasks:
        calls = [tasks.create_task(outcome(plugin, tool, **arguments)) for _ in range(count)]
    return [call.result() for call in calls]


def counts_of(host: PluginHost, plugin_id: str) -> Counter[str]:
    """Return what was counted of a plugin's program."""
    (report,) = (each for each in host.report() if each["id"] == plugin_id)
    return Counter(report["counts"])


def _running(script: str, name: str, what: Sequence[str], more: Mapping[str, Any]) -> Candidate:
    candidate = sep(name, **{"capabilities": EVERYTHING, **more})
    run = RunSpec(command=base_python().name, args=("-ISE", str(FOLDER / script), *what))
    return replace(candidate, manifest=replace(candidate.manifest, run=run))
