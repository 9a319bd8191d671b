"""A plugin that speaks as those do that the SDK of `sep` in TypeScript makes runs as it is."""

from pathlib import Path
from typing import Any

from extensions.hooks import Changed, HookPoint
from extensions.plugins.completions import Completion, CompletionRequest
from extensions.plugins.credentials import CredentialFiles
from extensions.plugins.discovery import DiscoverySettings, candidate_at
from extensions.plugins.manifest import Candidate
from extensions.plugins.manifest_reading import HostFacts
from extensions.plugins.providers import Providers
from extensions.plugins.registrations import PluginCompletion
from extensions.plugins.services import Confirm, Notify
from extensions.tools import ToolAnswer
from tests.fakes.clock import FakeClock
from tests.fakes.example_plugins import ExampleHost, example
from tests.fakes.plugin_host import FOLDER, HERE
from tests.fakes.waiting import until

MANIFEST = """
name = "like_typescript"
version = "0.1.0"
protocol = 1
[run]
command = "node"
args = ["index.mjs"]
[capabilities]
events = ["turn_end", "bus/event"]
tools = true
commands = true
ui = true
bus = true
session = true
"""
"""As `create-smooth-extension` writes it: it has neither `hooks` nor `providers`."""


def plugin(folder: Path) -> Candidate:
    folder.joinpath("extension.toml").write_text(MANIFEST)
    folder.joinpath("index.mjs").write_text((FOLDER / "like_typescript.mjs").read_text())
    settings = DiscoverySettings(roots=(), host=HostFacts(version="0.1.0"))
    candidate, _ = candidate_at(folder, settings)
    assert candidate is not None
    return candidate


async def test_its_tools_hooks_commands_and_models_work(tmp_path: Path) -> None:
    pieces: list[Any] = []
    said = {"text": "hi", "source": "text", "images": 0, "agent_id": "speaker", "session_id": "c"}
    host = ExampleHost(flags={"loud": True})
    host.answers(confirmed=True)
    async with host.running():
        await host.plugins.load([plugin(tmp_path)])
        greeting = await host.use("ext_like_typescript_greet", name="Ada")
        louder = await host.plugins.fire(HookPoint.INPUT, said, HERE)
        noted = await host.plugins.run_command("like_typescript", "note", "milk", HERE)
        found = await host.plugins.complete_command("like_typescript", "note", "m", HERE)
        models = Providers(host.plugins.running, CredentialFiles(tmp_path), FakeClock(0.0))
        request = CompletionRequest(model="canned-1", messages=[])
        answer = await models.complete("canned", request, on_delta=pieces.append)

    assert greeting == ToolAnswer("Hello, Ada!")
    assert host.asked() == [Confirm(prompt="Greet Ada?")]
    assert louder == Changed({**said, "text": "HI"}, by=("like_typescript",))
    assert noted == "/note: done"
    assert [done[0] for done in host.sessions.done] == ["append_entry"]
    assert found == [PluginCompletion(value="milk")]
    assert answer == Completion(text="hi", model="canned-1")
    assert pieces == [{"type": "Delta", "content": "hi"}]


async def test_what_it_publishes_plugins_in_python_hear(tmp_path: Path) -> None:
    host = ExampleHost()
    async with host.running():
        candidates = [plugin(tmp_path), example("bus_listener")]
        await host.plugins.load(candidates)
        await host.plugins.run_command("like_typescript", "note", "milk", HERE)
        await until(lambda: host.asked() != [])

    assert host.asked() == [Notify(message="📣 milk")]
