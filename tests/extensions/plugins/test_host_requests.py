"""What a real program asks of the host, through all of it."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from extensions.hooks import Occasion
from extensions.plugins.host import PluginHost
from extensions.plugins.kv import KeyValues
from extensions.plugins.manifest import Candidate, Capabilities
from extensions.plugins.parts import HostSettings
from extensions.plugins.requests import Requests
from extensions.plugins.services import UiAnswer, UiRequest
from extensions.rpc.errors import ErrorCode
from tests.fakes.inline_database import InlineDatabase
from tests.fakes.plugin_host import ALL, HERE, HostKit, sep, stdio
from tests.fakes.plugin_services import (
    FakeAudit,
    FakeExecutor,
    FakeSessions,
    FakeUserInterface,
)

MORE = replace(ALL, ui=True, exec=True, session=True, bus=True)


@dataclass
class House:
    """A host that serves requests as the bot's does, the bot itself taken down instead."""

    ui: FakeUserInterface = field(
        default_factory=lambda: FakeUserInterface(answer=UiAnswer(confirmed=True))
    )
    sessions: FakeSessions = field(default_factory=FakeSessions)
    executor: FakeExecutor = field(default_factory=FakeExecutor)

    @asynccontextmanager
    async def host(self, *candidates: Candidate, **others: Any) -> AsyncGenerator[PluginHost, None]:
        requests = Requests(
            ui=self.ui,
            sessions=self.sessions,
            executor=self.executor,
            audit=FakeAudit(),
            kv=KeyValues(InlineDatabase()),
        )
        async with HostKit().host(*candidates, requests=requests, **others) as host:
            yield host


class SilentPeople(FakeUserInterface):
    """Nobody answers."""

    def __init__(self) -> None:
        super().__init__()
        self.is_asked, self.is_withdrawn = asyncio.Event(), asyncio.Event()

    async def ask(
        self,
        plugin_id: str,
        request: UiRequest,
        occasion: Occasion,
        *,
        within_seconds: float | None = None,
    ) -> UiAnswer:
        await super().ask(plugin_id, request, occasion, within_seconds=within_seconds)
        self.is_asked.set()
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self.is_withdrawn.set()
        return self.answer


async def asked(host: PluginHost, method: str, **params: Any) -> Any:
    """Have the plugin `echo` ask that while its tool is being used, and return the answer."""
    phrase = json.dumps({"method": method, "params": params})
    plugin = host.find_program("echo")
    return json.loads((await plugin.call_tool("request", {"phrase": phrase}, HERE)).text)


async def test_people_are_asked_where_the_call_came_from() -> None:
    house = House()
    async with house.host(sep("echo", capabilities=MORE)) as host:
        answer = await asked(host, "ui/request", kind="confirm", prompt="Sure?")

    assert answer == {"result": {"confirmed": True}}
    assert [(plugin, occasion) for plugin, _, occasion in house.ui.asked] == [("echo", HERE)]
    (limit_seconds,) = house.ui.limits_seconds
    assert limit_seconds is not None
    assert 0 < limit_seconds <= HostSettings().sep_tool_seconds


async def test_people_are_not_asked_any_more_once_nobody_waits_for_the_call() -> None:
    people = SilentPeople()
    async with (
        asyncio.timeout(10),
        House(ui=people).host(sep("echo", capabilities=MORE)) as host,
        asyncio.TaskGroup() as tasks,
    ):
        call = tasks.create_task(asked(host, "ui/request", kind="confirm", prompt="Sure?"))
        await people.is_asked.wait()
        call.cancel()
        await people.is_withdrawn.wait()


@pytest.mark.parametrize(
    ("method", "code"),
    [
        ("ui/request", ErrorCode.CAPABILITY_DISABLED),
        ("exec/run", ErrorCode.CAPABILITY_DISABLED),
        ("no/such", ErrorCode.METHOD_NOT_FOUND),
    ],
)
async def test_what_was_not_declared_or_is_not_known_is_refused(method: str, code: int) -> None:
    async with House().host(sep("echo", capabilities=Capabilities(tools=None))) as host:
        answer = await asked(host, method)

    assert answer["error"]["code"] == code


async def test_a_tool_may_not_act_in_a_session() -> None:
    async with House().host(sep("echo", capabilities=MORE)) as host:
        answer = await asked(host, "session/send_message", text="hi")

    assert answer["error"]["code"] == ErrorCode.CONTEXT_VIOLATION


async def test_programs_are_run_if_that_was_granted_and_no_guard_forbids_it() -> None:
    house = House()
    echo = sep("echo", capabilities=MORE)
    guard = sep("guard", "hooks=user_bash", "hook=block")
    async with house.host(echo, may_execute=lambda _candidate: True) as host:
        done = await asked(host, "exec/run", command="ls", args=["-l"])
    async with house.host(echo, guard, may_execute=lambda _candidate: True) as host:
        stopped = await asked(host, "exec/run", command="ls")
    async with house.host(echo) as host:
        refused = await asked(host, "exec/run", command="ls")

    assert done == {"result": {"stdout": "out", "stderr": "err", "exit_code": 3}}
    assert stopped["error"]["message"] == "no user_bash"
    assert refused["error"]["code"] == ErrorCode.NOT_TRUSTED
    assert [argv for _, argv, *_ in house.executor.ran] == [("ls", "-l")]


async def test_a_context_of_an_earlier_program_counts_no_more() -> None:
    async with House().host(sep("echo", capabilities=MORE)) as host:
        plugin = host.find_program("echo")
        stale = dict(plugin.calls.event_context(HERE))
        await host.reload(sep("echo", capabilities=MORE))
        answer = await asked(host, "exec/run", command="ls", context=stale)

    assert answer["error"]["code"] in {ErrorCode.CONTEXT_VIOLATION, ErrorCode.NOT_TRUSTED}


async def test_what_a_plugin_says_on_the_bus_and_nobody_hears_is_lost() -> None:
    async with House().host(sep("echo", capabilities=MORE), stdio("sums")) as host:
        assert await asked(host, "bus/publish", topic="t", payload={}) == {"result": {}}
