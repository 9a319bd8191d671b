"""Plugins that are not what was trusted, and what they see of the operator."""

import asyncio
import json
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from extensions.errors import PluginError
from extensions.plugins.discovery import discover
from extensions.plugins.host import PluginHost
from extensions.plugins.lifecycle import Failed
from extensions.plugins.tree_hash import TreeHash
from extensions.plugins.trust import Grant, TrustRecord
from extensions.process.interpreter import base_python
from tests.fakes.faulty_plugins import use
from tests.fakes.trust_house import TrustHouse
from tests.fakes.trusted_plugins import make_plugin
from tests.soak.plugins.scene import Scene
from tests.soak.plugins.secret_names import HUSH, SECRET_LIKE

_PATH = f"{base_python().parent}:/usr/bin:/bin"
_MAIN = """\
import json, os, sys
TOOLS = [{{"name": "env", "description": ""}}]
open({mark!r}, "a").write({word!r} + "\\n")
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked and "method" in asked:
        result = {{"protocol_version": 1, "extension": {{"name": "dice", "version": "1"}},
                  "registrations": {{"tools": TOOLS}}}}
        if asked["method"] == "tool/execute":
            result = {{"content": json.dumps(dict(os.environ))}}
        print(json.dumps({{"jsonrpc": "2.0", "id": asked["id"], "result": result}}), flush=True)
"""
_SWAP_STARTS = 40


async def programs_elsewhere(scene: Scene) -> None:
    """S15."""
    house = TrustHouse(scene.folder, environment={"PATH": _PATH})
    mark = scene.folder / "started"
    outside = scene.folder / "outside.sh"
    outside.write_text(f"#!/bin/sh\necho evil >> {mark}\n")
    outside.chmod(0o755)
    commands = ["../../bin/sh", "../outside.sh", str(outside), "./linked", "../../../../bin/sh"]
    parts = {"refusal_of": house.admission.refusal_of, "environment_of": _environment(house)}
    async with scene.host(**parts) as host:
        reasons: list[str] = []
        for number, command in enumerate(commands):
            folder = make_plugin(house.plugins, f"p{number}", command=command)
            (folder / "linked").symlink_to(outside)
            reason = await _refusal(house, host, f"p{number}")
            scene.must("a program outside of its plugin is refused", be=bool(reason), seen=command)
            reasons.append(reason)
        scene.tell("; ".join(dict.fromkeys(reasons)))
        scene.must("none of them has run", be=not mark.exists())
        await _linked(scene, house, host)
        await _swapped(scene, house, host, mark)


async def _refusal(house: TrustHouse, host: PluginHost, name: str) -> str:
    """Return why a plugin is not run, though its operator trusts it as it is."""
    report = await asyncio.to_thread(discover, house.settings)
    found = [each for each in report.candidates if each.id == name]
    if not found:
        return next((each.message for each in report.diagnostics if f"/{name}/" in each.path), "")
    await _trust(house, name)
    await host.load(found)
    state = host.find(name).state
    await host.unload(name)
    return state.reason if isinstance(state, Failed) else ""


def _environment(house: TrustHouse) -> Any:
    return lambda candidate: (
        {"PATH": _PATH}
        if candidate.id == "neighbour"
        else house.admission.environment_of(candidate)
    )


async def _trust(house: TrustHouse, name: str, *env: str) -> None:
    candidate = house.found(name)
    found = (await house.admission.examine(candidate)).found
    digest = found.text if isinstance(found, TreeHash) else "none"
    grant = Grant(env=frozenset(env), exec=True)
    record = TrustRecord(
        scope=candidate.scope,
        folder=candidate.folder,
        plugin_id=candidate.id,
        source=f"path:{candidate.folder}",
        hash=digest,
        grant=grant,
        at=1.0,
    )
    await house.store.keep(record)


async def _linked(scene: Scene, house: TrustHouse, host: PluginHost) -> None:
    """A link to a folder is that folder; where it is bent, what it leads to is not trusted."""
    inside, link = house.plugins / ".store", house.plugins / "linked"
    make_plugin(inside / "one", "linked", main=_main(scene, "good"))
    make_plugin(inside / "other", "linked", main=_main(scene, "evil"))
    link.symlink_to(inside / "one" / "linked")
    await _trust(house, "linked")
    await host.load([house.found("linked")])
    scene.must(
        "a linked plugin runs if it is trusted", be=str(host.find("linked").state) == "ready"
    )
    link.unlink()
    link.symlink_to(inside / "other" / "linked")
    with suppress(PluginError):
        await host.reload(house.found("linked"))
    state = host.find("linked").state
    scene.must("where its link is bent, it is not", be=isinstance(state, Failed), seen=state)
    await host.unload("linked")
    make_plugin(scene.folder / "outside", "linked", main=_main(scene, "evil"))
    link.unlink()
    link.symlink_to(scene.folder / "outside" / "linked")
    reason = await _refusal(house, host, "linked")
    wanted = "manifest path escapes search root via symlink"
    scene.must("a link out of the root is refused by name", be=reason == wanted, seen=reason)


async def _swapped(scene: Scene, house: TrustHouse, host: PluginHost, mark: Path) -> None:
    mark.unlink(missing_ok=True)  # noqa: ASYNC240 - it is only a mark
    folder = make_plugin(house.plugins, "dice", main=_main(scene, "good"))
    await _trust(house, "dice")
    await host.load([house.found("dice")])
    (folder / "main.py").write_text(_main(scene, "evil"))
    with suppress(PluginError):
        await host.reload(house.found("dice"))
    state = host.find("dice").state
    reason = "its files have changed since it was looked at: `papercup plugin trust dice`"
    scene.must("what was changed after it was trusted is refused", be=state == Failed(reason))
    words = _words(mark)
    scene.must("it has not run", be=words == ["good"], seen=words)
    await _raced(scene, house, host, folder / "main.py")


async def _raced(scene: Scene, house: TrustHouse, host: PluginHost, main: Path) -> None:
    """Tell how often something else runs if a file is exchanged all the time."""
    mark, is_over = scene.folder / "started", threading.Event()
    mark.unlink(missing_ok=True)
    other = scene.folder / "other"
    texts = [_main(scene, "good"), _main(scene, "evil")]

    def exchange() -> int:
        count = 0
        while not is_over.is_set():
            other.write_text(texts[count % 2])
            other.replace(main)
            count += 1
            time.sleep(0.0005)
        return count

    candidate = house.found("dice")
    async with asyncio.TaskGroup() as tasks:
        exchanging = tasks.create_task(asyncio.to_thread(exchange))
        for _ in range(_SWAP_STARTS):
            with suppress(PluginError):
                await host.reload(candidate)
        is_over.set()
    count = exchanging.result()
    words = _words(mark)
    scene.tell(
        f"a file exchanged {count} times during {_SWAP_STARTS} starts: {words.count('good')} ran"
        f" what was trusted, {words.count('evil')} what was put there right after the look"
    )


def _words(mark: Path) -> list[str]:
    """Return what was started, in turn."""
    return mark.read_text().split() if mark.exists() else []


def _main(scene: Scene, word: str) -> str:
    return _MAIN.format(mark=str(scene.folder / "started"), word=word)


async def secrets(scene: Scene) -> None:
    """S18, for plugins."""
    parent = {"PATH": _PATH, **{name: f"{HUSH}-{name}" for name in SECRET_LIKE}}
    house = TrustHouse(scene.folder, environment={**parent, "DISCORD_TOKEN": "tok-123"})
    make_plugin(house.plugins, "dice", main=_main(scene, "good"))
    await _trust(house, "dice", "DICE_SEED", "DISCORD_TOKEN")
    parts = {"refusal_of": house.admission.refusal_of, "environment_of": _environment(house)}
    async with scene.host(house.found("dice"), **parts) as host:
        told: dict[str, str] = json.loads(await use(host.find_program("dice"), "env"))
    got = sorted(name for name, value in told.items() if HUSH in value)
    is_granted = got == ["DICE_SEED"]
    scene.must("of 40 secret-like variables a plugin gets those it was granted", be=is_granted)
    scene.must("never one of the bot's own secrets", be="tok-123" not in told.values())
    scene.tell(f"{len(SECRET_LIKE)} set, {got} reached the plugin, which has {sorted(told)}")
