"""Plugins that are changed, taken away and brought back all the time."""

import asyncio
import time
from collections import Counter
from collections.abc import Collection
from pathlib import Path

from extensions.plugins.contexts import MOST_CONTEXTS
from extensions.plugins.discovery import DiscoverySettings, discover
from extensions.plugins.host import PluginHost
from extensions.plugins.lifecycle import Ready
from extensions.plugins.manifest import Level, Scope
from extensions.plugins.manifest_reading import HostFacts
from extensions.plugins.search import SearchOptions, SearchRoot
from extensions.plugins.watcher import WatchOptions, watching
from extensions.tools import ToolCall
from tests.fakes.faulty_plugins import small
from tests.fakes.plugin_folders import sep_plugin, stdio_plugin
from tests.fakes.plugin_host import SPEAKER
from tests.soak.plugins.meters import holdings
from tests.soak.plugins.scene import Scene

_CHANGES = 1000
_CHANGE_SECONDS = 4.0
_DEBOUNCE_SECONDS = 0.5
_FOLDERS = 10_000
_PLUGINS = 4
_TURNS = 250
_BETWEEN_TURNS_SECONDS = 0.02
_CALLERS = 2
_HOSTILE = {
    "leads out": "../../escape",
    "holds NUL": "a\\u0000b",
    "holds a new line": "a\\nb",
    "has 300 characters": "x" * 300,
    "is written from right to left": "a\u202ebc",
    "is a command": "$(id)",
}
Root = SearchRoot


async def manifests(scene: Scene) -> None:
    """F20."""
    await _changes(scene)
    fastest = await asyncio.to_thread(_much, scene)
    await asyncio.to_thread(_hostile, scene)
    await asyncio.to_thread(_loops, scene)
    limit = 250.0
    scene.must_stay_below("10,000 folders are looked through within 250 ms", limit, fastest, "ms")
    scene.tell(f"{_FOLDERS} folders with 100 plugins in {fastest:.0f} ms (the best of 5)")


async def _changes(scene: Scene) -> None:
    root = scene.folder / "watched"
    manifest = sep_plugin(root / "x", "x")
    told: list[Collection[Path]] = []

    async def changed(paths: Collection[Path]) -> None:
        told.append(paths)

    def edit() -> int:
        began, count = time.monotonic(), 0
        while (now := time.monotonic()) < began + _CHANGE_SECONDS:
            if count >= (now - began) * _CHANGES:
                time.sleep(0.0002)
                continue
            manifest.write_text(manifest.read_text().split("#")[0] + f"#{count}\n")
            swap = root / "x" / f".extension.toml.{count}.swp"
            swap.touch()
            swap.unlink()
            count += 1
        return count

    options = WatchOptions(debounce_seconds=_DEBOUNCE_SECONDS)
    async with watching([Root(path=root, scope=Scope.SEARCH_PATH)], options, changed):
        count = await asyncio.to_thread(edit)
        await asyncio.sleep(3 * _DEBOUNCE_SECONDS)
    most = int(_CHANGE_SECONDS / _DEBOUNCE_SECONDS) + 2
    scene.must("it is told once in each debounce", be=1 <= len(told) <= most, seen=len(told))
    paths = {path for paths in told for path in paths}
    scene.must("of the manifest alone", be=paths == {manifest}, seen=paths)
    rate = count / _CHANGE_SECONDS
    scene.tell(f"{rate:.0f} changes a second for {_CHANGE_SECONDS:g} s were told {len(told)} times")


def _settings(root: Path, *, max_depth: int = 4) -> DiscoverySettings:
    return DiscoverySettings(
        roots=[Root(path=root, scope=Scope.SEARCH_PATH)],
        host=HostFacts(version="1.0.0"),
        search=SearchOptions(max_depth=max_depth, follow_links=True),
    )


def _much(scene: Scene) -> float:
    """Return how long it takes to look through many folders, in milliseconds."""
    root = scene.folder / "many"
    for number in range(_FOLDERS):
        (root / f"{number % 100}" / f"{number}").mkdir(parents=True)
    for number in range(0, _FOLDERS, 100):
        stdio_plugin(root / "0" / f"{number}", f"plugin-{number}")
    times: list[float] = []
    for _ in range(5):
        began = time.monotonic()
        found = discover(_settings(root))
        times.append(time.monotonic() - began)
        scene.must("all plugins are found", be=len(found.candidates) == 100)
    return 1000 * min(times)


def _hostile(scene: Scene) -> None:
    root = scene.folder / "hostile"
    for number, (_, name) in enumerate(_HOSTILE.items()):
        stdio_plugin(root / f"{number}", name)
    stdio_plugin(root / "same-1", "todo")
    sep_plugin(root / "same-2", "Todo")
    found = discover(_settings(root))
    kept = [each.id for each in found.candidates]
    scene.must("no plugin with a hostile name is taken", be=kept == ["todo"], seen=kept)
    errors = {each.path: each.message for each in found.diagnostics if each.level is Level.ERROR}
    for number, what in enumerate(_HOSTILE):
        message = errors.get(str(root / f"{number}" / "plugin.toml"), "")
        is_named = bool(message) and message.isprintable()
        scene.must("each is named, on one line", be=is_named, seen=f"{what}: {message!r}")
    warnings = [each.message for each in found.diagnostics if each.level is Level.WARN]
    is_named = any("duplicate plugin id `todo`" in each for each in warnings)
    scene.must("names that differ by their case alone clash", be=is_named, seen=warnings)


def _loops(scene: Scene) -> None:
    root = scene.folder / "loops"
    deep = root.joinpath(*["d"] * 50)
    stdio_plugin(deep, "deep")
    (deep / "up").symlink_to(root)
    (root / "self").symlink_to("self")
    shallow, whole = discover(_settings(root)), discover(_settings(root, max_depth=60))
    ids = [[each.id for each in found.candidates] for found in (shallow, whole)]
    scene.must("links in a circle end, and the depth counts", be=ids == [[], ["deep"]], seen=ids)


async def reloads(scene: Scene) -> None:
    """F26."""
    names = [f"p{number}" for number in range(_PLUGINS)]
    is_over = asyncio.Event()
    said: Counter[str] = Counter()
    async with scene.host(*map(small, names)) as host:
        await _turn(host, names[0], range(6))
        scene.forget()
        before, began = holdings(), time.monotonic()
        async with asyncio.TaskGroup() as callers:
            for name in names:
                for _ in range(_CALLERS):
                    callers.create_task(_keep_calling(scene, name, is_over, said))
            async with asyncio.TaskGroup() as turns:
                for name in names:
                    turns.create_task(_turn(host, name, range(_TURNS)))
            is_over.set()
        seconds = time.monotonic() - began
        await asyncio.sleep(0.5)
        scene.forget()
        after = holdings()
        states = [str(each.state) for each in host.plugins]
        is_up = all(isinstance(each.state, Ready) for each in host.plugins)
        scene.must("all plugins are ready in the end", be=is_up, seen=states)
        tools = [tool.name for tool in scene.registry.visible_to(SPEAKER)]
        scene.must("each tool is offered once", be=len(tools) == len(set(tools)))
    lost = [reason for reason in said if reason not in _EXPECTED]
    scene.must("no call is lost without an error that says why", be=not lost, seen=lost[:5])
    scene.must_not_grow(before, after, contexts=_PLUGINS * MOST_CONTEXTS)
    turns_in_all = _PLUGINS * _TURNS
    scene.tell(
        f"{turns_in_all} times reloaded, or unloaded and loaded, in {seconds:.0f} s; calls"
        f" meanwhile: {_told(said)}; before: {before}; after: {after}"
    )


_EXPECTED = {
    "x",
    "not offered",
    *(
        f"plugin `p{number}` tool `say` failed: {reason}"
        for number in range(_PLUGINS)
        for reason in (
            "it is being stopped",
            "plugin not ready: it is being ended",
            "not ready; state = spawning",
            "it was ended or reloaded before it had answered",
        )
    ),
}


def _told(said: Counter[str]) -> str:
    kinds: Counter[str] = Counter()
    for text, count in said.items():
        kinds["answered" if text == "x" else text.rpartition("failed: ")[2]] += count
    return ", ".join(f"{count} {text}" for text, count in kinds.most_common())


async def _turn(host: PluginHost, name: str, turns: range) -> None:
    for number in turns:
        if number % 2:
            await host.unload(name)
            await host.load([small(name)])
        else:
            await host.reload(small(name))
        await asyncio.sleep(_BETWEEN_TURNS_SECONDS)


async def _keep_calling(
    scene: Scene, name: str, is_over: asyncio.Event, said: Counter[str]
) -> None:
    """Use a tool of a plugin as a model does."""
    call = ToolCall(caller=SPEAKER, arguments={"phrase": "x"}, tool_use_id="1")
    while not is_over.is_set():
        tool = scene.registry.find(SPEAKER, f"ext_{name}_say")
        said["not offered" if tool is None else (await tool.handler(call)).text] += 1
        await asyncio.sleep(0.002)
