"""What plugins ask, asked by real ones over their pipes."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from extensions.hooks import NOWHERE
from extensions.plugins.host import HostParts, PluginHost, open_plugin_host
from extensions.plugins.kv import KeyValues
from extensions.plugins.manifest import Candidate, Capabilities, RunSpec
from extensions.plugins.requests import Requests
from extensions.plugins.services import AuditKind, Delivery, UiAnswer, Workspace
from extensions.plugins.serving import STALE_CONTEXT, WRONG_TIER
from extensions.process.interpreter import base_python
from extensions.rpc.errors import ErrorCode
from extensions.tools import ToolRegistry
from tests.fakes.inline_database import InlineDatabase
from tests.fakes.plugin_host import FOLDER, HERE, program, sep
from tests.fakes.plugin_services import FakeAudit, FakeExecutor, FakeSessions, FakeUserInterface
from tests.fakes.served_plugin import ALL
from tests.fakes.waiting import until


@dataclass
class House:
    """A host of plugins that ask, and all that they reach."""

    folder: Path
    ui: FakeUserInterface = field(default_factory=FakeUserInterface)
    sessions: FakeSessions = field(default_factory=FakeSessions)
    executor: FakeExecutor = field(default_factory=FakeExecutor)
    audit: FakeAudit = field(default_factory=FakeAudit)
    host: PluginHost = field(init=False)

    def candidate(self, name: str, capabilities: Capabilities) -> Candidate:
        found = sep(name, capabilities=capabilities)
        script = (str(FOLDER / "asking_plugin.py"), str(self.folder / f"{name}.json"))
        run = RunSpec(command=base_python().name, args=("-ISE", *script))
        return replace(found, manifest=replace(found.manifest, run=run))

    async def ask(self, plugin_id: str, *requests: tuple[str, dict[str, Any]]) -> list[Any]:
        """Have a plugin ask one thing after the other, and return what came back."""
        wanted = [{"method": method, "params": params} for method, params in requests]
        plugin = program(self.host, plugin_id)
        found: list[Any] = json.loads(await plugin.run_command("ask", json.dumps(wanted), HERE))
        return found

    async def ask_in_tool(self, plugin_id: str, method: str, **params: Any) -> Any:
        """Have a tool of a plugin ask something, and return what came back."""
        wanted = {"requests": [{"method": method, "params": params}]}
        answer = await program(self.host, plugin_id).call_tool("ask", wanted, HERE)
        (found,) = json.loads(answer.text)
        return found


@asynccontextmanager
async def house_with(folder: Path, **plugins: Capabilities) -> AsyncGenerator[House, None]:
    """A host with these plugins, by their ids."""
    house = House(folder)
    parts = HostParts(
        registry=ToolRegistry(),
        requests=Requests(
            ui=house.ui,
            sessions=house.sessions,
            executor=house.executor,
            audit=house.audit,
            kv=KeyValues(InlineDatabase()),
        ),
        audit=house.audit,
        environment_of=lambda _: {"PATH": f"{base_python().parent}:/usr/bin:/bin"},
        workspace_of=lambda _: Workspace(root=folder, trusted=True),
        may_execute=lambda candidate: candidate.id != "ungranted",
        host_version="1",
    )
    async with asyncio.timeout(20), open_plugin_host(parts) as host:
        house.host = host
        await host.load([house.candidate(*each) for each in plugins.items()])
        yield house


async def test_a_plugin_gets_what_it_declared(tmp_path: Path) -> None:
    async with house_with(tmp_path, todo=ALL) as house:
        house.ui.answer = UiAnswer(confirmed=True)
        found = await house.ask(
            "todo",
            ("kv/set", {"key": "a", "value": {"n": [1]}}),
            ("kv/get", {"key": "a"}),
            ("kv/list", {}),
            ("ui/request", {"kind": "confirm", "prompt": "?"}),
            ("exec/run", {"command": "ls", "context": "CONTEXT"}),
            ("session/send_user_message", {"text": "hi", "context": "CONTEXT"}),
            ("session/state", {"context": "CONTEXT"}),
            ("tools/set_active", {"tools": ["ask", "Bash"]}),
            ("ping", {}),
            ("no/such", {}),
        )

    assert found == [
        {},
        {"value": {"n": [1]}},
        {"keys": ["a"]},
        {"confirmed": True},
        {"stdout": "out", "stderr": "err", "exit_code": 3},
        {},
        {"state": {"name": "chat"}},
        {"active": ["ask"]},
        {},
        {"code": ErrorCode.METHOD_NOT_FOUND, "message": "method not found: no/such"},
    ]
    assert [occasion for _, _, occasion in house.ui.asked] == [HERE]
    assert house.executor.ran == [("todo", ("ls",), None, HERE)]
    assert house.sessions.done[0] == ("send_user_message", "todo", "hi", Delivery.FOLLOW_UP, HERE)


@pytest.mark.parametrize(
    ("method", "params"),
    [("kv/get", {"key": "a"}), ("ui/request", {}), ("exec/run", {}), ("session/state", {})],
)
async def test_a_plugin_gets_nothing_that_it_did_not_declare(
    tmp_path: Path, method: str, params: dict[str, Any]
) -> None:
    async with house_with(tmp_path, todo=Capabilities(commands=True)) as house:
        (error,) = await house.ask("todo", (method, params))

    assert error["code"] == ErrorCode.CAPABILITY_DISABLED
    assert [kind for kind, _, _ in house.audit.notes if kind is AuditKind.REFUSED]


async def test_what_the_operator_did_not_grant_is_not_run(tmp_path: Path) -> None:
    async with house_with(tmp_path, ungranted=ALL) as house:
        (error,) = await house.ask("ungranted", ("exec/run", {"command": "ls"}))

    assert error["code"] == ErrorCode.NOT_TRUSTED
    assert house.executor.ran == []


async def test_a_tool_does_not_act_in_the_session_in_whose_turn_it_is_used(
    tmp_path: Path,
) -> None:
    async with house_with(tmp_path, todo=ALL) as house:
        ran = await house.ask_in_tool("todo", "exec/run", command="ls", context="CONTEXT")
        said = await house.ask_in_tool("todo", "session/state", context="CONTEXT")

    assert ran["exit_code"] == 3
    assert said == {"code": ErrorCode.CONTEXT_VIOLATION, "message": WRONG_TIER}


async def test_a_context_does_not_outlive_its_process(tmp_path: Path) -> None:
    request = ("session/state", {"context": "OLD"})
    async with house_with(tmp_path, todo=ALL) as house:
        before = await house.ask("todo", request)
        plugin = program(house.host, "todo")
        await house.host.reload(plugin.candidate)
        after = await house.ask("todo", request)

    assert before == [{"state": {"name": "chat"}}]
    assert after == [{"code": ErrorCode.CONTEXT_VIOLATION, "message": STALE_CONTEXT}]


async def test_what_one_plugin_publishes_the_others_hear(tmp_path: Path) -> None:
    deaf = replace(ALL, bus=False)
    async with house_with(tmp_path, a=ALL, b=ALL, c=deaf) as house:
        await house.ask("a", ("bus/publish", {"topic": "news", "payload": {"n": 1}}))
        await house.ask("b", ("events/publish", {"topic": "more", "payload": {}}))
        # What is told comes before what is asked later.
        heard = [
            json.loads((await program(house.host, each).call_tool("heard", {}, NOWHERE)).text)
            for each in "abc"
        ]

    assert heard == [
        [{"from": "b", "topic": "more", "payload": {}}],
        [{"from": "a", "topic": "news", "payload": {"n": 1}}],
        [],
    ]


async def test_a_tool_that_is_registered_later_is_offered(tmp_path: Path) -> None:
    tool = {"name": "late", "description": "Came later.", "parameters": {"type": "object"}}
    async with house_with(tmp_path, todo=ALL) as house:
        await house.ask("todo", ("tools/register", {"tools": [tool]}))
        plugin = program(house.host, "todo")
        await until(lambda: "late" in {each.name for each in plugin.offered})
        await house.ask("todo", ("tools/setActive", {"tools": ["ask"]}))
        offered = [each.name for each in plugin.offered]

    assert offered == ["ask"]
