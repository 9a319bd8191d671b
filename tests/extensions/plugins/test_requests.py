import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from extensions.hooks import Occasion
from extensions.plugins.capabilities import CANONICAL
from extensions.plugins.contexts import ContextTier
from extensions.plugins.kv import KeyValues
from extensions.plugins.manifest import Capabilities
from extensions.plugins.registrations import Registrations, ToolRegistration
from extensions.plugins.requests import BROKE, NOT_STORED, TOO_OFTEN, Requests
from extensions.plugins.served import ToolProgress
from extensions.plugins.services import CANCELLED, AuditKind, Confirm, Select, Severity, UiAnswer
from extensions.rpc.errors import ErrorCode, RpcError
from tests.fakes.clock import FakeClock
from tests.fakes.inline_database import InlineDatabase
from tests.fakes.plugin_services import FakeAudit, FakeExecutor, FakeSessions, FakeUserInterface
from tests.fakes.served_plugin import AT_UWES, FakeServedPlugin, FakeServingHost

EVERYTHING = frozenset(
    {
        *("ping", "log", "registry/update", "tools/register", "tool/update", "provider/delta"),
        *("tools/set_active", "tools/setActive", "bus/publish", "events/publish"),
        *("kv/get", "kv/set", "kv/delete", "kv/list", "ui/request", "exec/run"),
        *("session/send_message", "session/send_user_message", "session/append_entry"),
        *("session/set_model", "session/state"),
    }
)


@dataclass
class Desk:
    """Requests, and all that they reach."""

    ui: FakeUserInterface = field(default_factory=FakeUserInterface)
    sessions: FakeSessions = field(default_factory=FakeSessions)
    executor: FakeExecutor = field(default_factory=FakeExecutor)
    audit: FakeAudit = field(default_factory=FakeAudit)
    database: InlineDatabase = field(default_factory=InlineDatabase)
    clock: FakeClock = field(default_factory=FakeClock)

    @property
    def requests(self) -> Requests:
        return Requests(
            ui=self.ui,
            sessions=self.sessions,
            executor=self.executor,
            audit=self.audit,
            kv=KeyValues(self.database),
            clock=self.clock,
        )

    async def ask(self, plugin: FakeServedPlugin, method: str, **params: Any) -> Any:
        return await self.requests.serve(plugin, method, params)

    async def refused(
        self, plugin: FakeServedPlugin, method: str, **params: Any
    ) -> tuple[int, str]:
        """Return the code and the words with which something is refused."""
        with pytest.raises(RpcError) as caught:
            await self.ask(plugin, method, **params)
        return caught.value.code, caught.value.message


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def plugin() -> FakeServedPlugin:
    return FakeServedPlugin()


def test_every_method_is_served_under_all_its_names(desk: Desk) -> None:
    assert desk.requests.methods == EVERYTHING


async def test_a_method_that_nobody_knows_is_refused_by_name(
    desk: Desk, plugin: FakeServedPlugin
) -> None:
    found = await desk.refused(plugin, "kv/steal")

    assert found == (ErrorCode.METHOD_NOT_FOUND, "method not found: kv/steal")


@pytest.mark.parametrize(
    ("method", "missing"),
    [
        ("tools/set_active", "tools"),
        ("tools/setActive", "tools"),
        ("tool/update", "tools"),
        ("provider/delta", "providers"),
        ("ui/request", "ui"),
        ("exec/run", "exec"),
        ("kv/get", "kv"),
        ("kv/set", "kv"),
        ("kv/delete", "kv"),
        ("kv/list", "kv"),
        ("bus/publish", "bus"),
        ("events/publish", "bus"),
        ("session/send_message", "session"),
        ("session/send_user_message", "session"),
        ("session/append_entry", "session"),
        ("session/set_model", "session"),
        ("session/state", "session"),
    ],
)
async def test_what_a_manifest_does_not_declare_is_not_done(
    desk: Desk, method: str, missing: str
) -> None:
    plugin = FakeServedPlugin(capabilities=Capabilities(), is_exec_granted=True)

    code, message = await desk.refused(plugin, method, context=plugin.context())

    canonical = CANONICAL.get(method, method)
    assert desk.audit.notes == [
        (AuditKind.REFUSED, "todo", f"{canonical}: its manifest does not declare it")
    ]
    assert code == ErrorCode.CAPABILITY_DISABLED
    assert message == f"{method} needs the capability `{missing}`, which the manifest lacks"


async def test_refusals_do_not_fill_the_audit_log(desk: Desk) -> None:
    plugin, requests = FakeServedPlugin(capabilities=Capabilities()), desk.requests

    for _ in range(100):
        requests.notified(plugin, "bus/publish", {})
    desk.clock.advance(60)
    requests.notified(plugin, "bus/publish", {})

    assert len(desk.audit.notes) == 2


async def test_a_plugin_that_declares_nothing_is_heard_all_the_same(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    plugin = FakeServedPlugin(capabilities=Capabilities())

    with caplog.at_level(logging.INFO):
        assert await desk.ask(plugin, "ping") == {}
        assert await desk.ask(plugin, "log", level="info", message="here") == {}

    assert caplog.messages == ["plugin todo: here"]


async def test_values_are_kept_listed_and_forgotten(desk: Desk, plugin: FakeServedPlugin) -> None:
    assert await desk.ask(plugin, "kv/get", key="a") == {"value": None}
    assert await desk.ask(plugin, "kv/set", key="a", value={"n": 1}) == {}
    assert await desk.ask(plugin, "kv/set", key="b", value=None) == {}

    assert await desk.ask(plugin, "kv/get", key="a") == {"value": {"n": 1}}
    assert await desk.ask(plugin, "kv/list") == {"keys": ["a", "b"]}
    assert await desk.ask(plugin, "kv/list", prefix="b") == {"keys": ["b"]}
    assert await desk.ask(plugin, "kv/delete", key="a") == {}
    assert await desk.ask(plugin, "kv/get", key="a") == {"value": None}


@pytest.mark.parametrize(
    ("method", "params", "reason"),
    [
        ("kv/get", {}, "key is missing"),
        ("kv/get", {"key": 5}, "key has to be a string"),
        ("kv/set", {"key": "a"}, "value is missing"),
        ("kv/set", {"key": "k" * 257, "value": 1}, "a key has 1 to 256 characters"),
        ("kv/list", {"prefix": ["a"]}, "prefix has to be a string"),
        ("tools/set_active", {"tools": "say"}, "tools has to be a list of strings"),
        ("tools/set_active", {"tools": [1]}, "tools has to be a list of strings"),
        ("tool/update", {"call_id": "1", "progress": 1.5}, "progress has to be a number from 0"),
        ("tool/update", {"call_id": "1", "progress": True}, "progress has to be a number from 0"),
        ("tool/update", {"message": "half"}, "call_id is missing"),
        ("provider/delta", {"request_id": "1"}, "event is missing"),
        ("bus/publish", {"payload": {}}, "topic is missing"),
        ("bus/publish", {"topic": "t" * 257}, "topic is longer than 256 characters"),
        ("bus/publish", {"topic": "t", "payload": "x" * 65_535}, "payload is larger than 65536"),
        ("log", {"level": "loud", "message": "x"}, "level has to be one of trace, debug"),
        ("log", {"level": "info"}, "message is missing"),
        ("session/state", {}, "context is missing"),
        ("session/state", {"context": "token"}, "context has to be an object"),
        ("session/state", {"context": {}}, "token is missing"),
    ],
)
async def test_what_is_wrong_with_a_request_is_said(
    desk: Desk, plugin: FakeServedPlugin, method: str, params: dict[str, Any], reason: str
) -> None:
    code, message = await desk.refused(plugin, method, **params)

    assert code == ErrorCode.INVALID_PARAMS
    assert message.startswith(reason)


async def test_people_are_asked_where_the_plugin_works(desk: Desk) -> None:
    plugin = FakeServedPlugin(occasion=AT_UWES)
    desk.ui.answer = UiAnswer(value="tea")

    answer = await desk.ask(plugin, "ui/request", kind="select", prompt="?", options=["tea"])

    assert answer == {"value": "tea"}
    assert desk.ui.asked == [("todo", Select(prompt="?", options=("tea",)), AT_UWES)]


@pytest.mark.parametrize(
    ("seconds_left", "limit_seconds"), [(None, None), (60.0, 59.0), (0.5, 0.0)]
)
async def test_people_have_as_long_as_the_call_is_waited_for_and_the_plugin_a_moment_after(
    desk: Desk, seconds_left: float | None, limit_seconds: float | None
) -> None:
    plugin = FakeServedPlugin(occasion=AT_UWES, seconds_left=seconds_left)

    await desk.ask(plugin, "ui/request", kind="confirm", prompt="?")

    assert desk.ui.limits_seconds == [limit_seconds]


async def test_what_cannot_be_shown_is_refused_with_what_is_wrong(desk: Desk) -> None:
    desk.ui.answer = UiAnswer(wrong="widget: kind has to be one of markdown, table")

    found = await desk.refused(FakeServedPlugin(), "ui/request", kind="set_widget", widget={"a": 1})

    assert found == (ErrorCode.INVALID_PARAMS, "widget: kind has to be one of markdown, table")


async def test_a_plugin_may_say_for_which_call_it_asks_people(
    desk: Desk, plugin: FakeServedPlugin
) -> None:
    elsewhere = Occasion(session_id="b0b", channel_id=12)
    context = plugin.context(ContextTier.EVENT, elsewhere)
    desk.ui.answer = CANCELLED

    answer = await desk.ask(plugin, "ui/request", kind="confirm", prompt="?", context=context)

    assert answer == {"cancelled": True}
    assert desk.ui.asked == [("todo", Confirm(prompt="?"), elsewhere)]


async def test_registrations_are_added_under_both_names(
    desk: Desk, plugin: FakeServedPlugin
) -> None:
    schema = {"type": "object"}
    tool = {"name": "say", "description": "d", "parameters": schema}

    assert await desk.ask(plugin, "registry/update", tools=[tool], flags=["fast"]) == {}
    desk.requests.notified(plugin, "tools/register", {"tools": [tool | {"name": "shout"}, 5]})

    assert [each.name for each in plugin.registrations.tools] == ["say", "shout"]
    assert plugin.registrations.flags == ("fast",)
    assert plugin.left_out == ["tool 2 is left out: it is not an object"]
    assert plugin.times_registered == 2


async def test_registrations_that_change_nothing_are_told_to_nobody(
    desk: Desk, plugin: FakeServedPlugin
) -> None:
    for _ in range(3):
        desk.requests.notified(plugin, "registry/update", {"flags": ["fast"]})

    assert plugin.times_registered == 1


async def test_active_tools_are_clamped_to_the_plugins_own(
    desk: Desk, plugin: FakeServedPlugin
) -> None:
    plugin.registrations = Registrations(tools=(ToolRegistration(name="say"),))

    for method in ("tools/set_active", "tools/setActive"):
        assert await desk.ask(plugin, method, tools=["Bash", "say"]) == {"active": ["say"]}
        assert plugin.active == frozenset({"say"})
    assert [text for _, _, text in desk.audit.notes] == [
        "tools/set_active: some of the tools that it named are not its own"
    ] * 2
    assert await desk.ask(plugin, "tools/set_active", tools=[]) == {"active": []}
    assert plugin.active == frozenset()


def test_progress_and_deltas_reach_those_who_wait(desk: Desk, plugin: FakeServedPlugin) -> None:
    delta = {"type": "Delta", "content": "a"}

    desk.requests.notified(plugin, "tool/update", {"call_id": "1", "progress": 1, "message": "m"})
    desk.requests.notified(plugin, "provider/delta", {"request_id": "r", "event": delta})

    assert plugin.progress == [("1", ToolProgress(message="m", progress=1.0))]
    assert plugin.deltas == [("r", delta)]


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("no/such", {}),
        ("bus/publish", {}),
        ("tool/update", {"call_id": 5}),
        ("kv/set", {"key": "a", "value": 1}),
        ("exec/run", {"command": "rm"}),
        ("ui/request", {"kind": "confirm", "prompt": "?"}),
    ],
)
async def test_nothing_comes_of_a_notification_that_makes_no_sense(
    desk: Desk, plugin: FakeServedPlugin, method: str, params: Mapping[str, Any]
) -> None:
    desk.requests.notified(plugin, method, params)

    assert await desk.ask(plugin, "kv/list") == {"keys": []}
    assert desk.executor.ran == []
    assert desk.ui.asked == []


def test_a_notification_that_is_not_declared_is_not_taken(desk: Desk) -> None:
    host = FakeServingHost()
    plugin = FakeServedPlugin(capabilities=Capabilities(), host=host)
    other = FakeServedPlugin(
        id="dice", host=host, registrations=Registrations(subscriptions=frozenset({"bus/event"}))
    )

    desk.requests.notified(plugin, "bus/publish", {"topic": "t", "payload": {}})

    assert other.told == []


async def test_a_broken_database_is_told_to_the_plugin_and_the_log(
    desk: Desk, plugin: FakeServedPlugin, caplog: pytest.LogCaptureFixture
) -> None:
    desk.database.connection.execute("DROP TABLE plugin_values")

    found = await desk.refused(plugin, "kv/get", key="secret key")

    assert found == (ErrorCode.INTERNAL_ERROR, NOT_STORED)
    assert caplog.messages == ["plugin todo: kv/get: the database refused it"]


async def test_a_fault_of_ours_ends_the_request_alone(
    desk: Desk, plugin: FakeServedPlugin, caplog: pytest.LogCaptureFixture
) -> None:
    desk.ui = BrokenUserInterface()

    found = await desk.refused(plugin, "ui/request", kind="confirm", prompt="?")

    assert found == (ErrorCode.INTERNAL_ERROR, BROKE)
    assert caplog.messages == ["plugin todo: ui/request broke"]


class BrokenUserInterface(FakeUserInterface):
    """Raises what nobody expects."""

    async def ask(self, *_: object, **_others: object) -> UiAnswer:
        raise LookupError("a bug")


async def test_a_line_for_the_log_stays_one_line(
    desk: Desk, plugin: FakeServedPlugin, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        for level in ("trace", "warn", "warning", "error"):
            await desk.ask(plugin, "log", level=level, message="a\nb\x1b[2J", fields={"n": [1]})

    assert caplog.messages == ['plugin todo: a b [2J {"n": [1]}'] * 4
    assert [record.levelname for record in caplog.records] == ["DEBUG", *["WARNING"] * 2, "ERROR"]


async def test_a_plugin_cannot_flood_the_log(
    desk: Desk, plugin: FakeServedPlugin, caplog: pytest.LogCaptureFixture
) -> None:
    requests, params = desk.requests, {"level": "info", "message": "x" * 3000}

    with caplog.at_level(logging.INFO):
        for _ in range(500):
            requests.notified(plugin, "log", params)
        desk.clock.advance(60)
        requests.notified(plugin, "log", params)

    assert len(caplog.messages) == 120 + 2
    assert caplog.messages[120] == "plugin todo: 380 lines of its log are left out"
    assert max(map(len, caplog.messages)) < 2100


def test_the_levels_of_notices_are_those_on_the_wire() -> None:
    assert [level.value for level in Severity] == ["info", "warn", "error"]


def test_what_is_offered_is_not_changed_all_the_time(desk: Desk) -> None:
    plugin, requests = FakeServedPlugin(), desk.requests
    for number in range(1000):
        update = {"tools": [{"name": f"tool{number}"}]}
        requests.notified(plugin, "registry/update", update)
    assert len(plugin.registrations.tools) == 30

    desk.clock.advance(60.0)
    requests.notified(plugin, "registry/update", {"tools": [{"name": "late"}]})
    assert len(plugin.registrations.tools) == 31
    assert desk.audit.notes == [(AuditKind.REFUSED, "todo", f"registry/update: {TOO_OFTEN}")]


async def test_of_a_line_for_the_log_no_more_is_looked_at_than_is_kept(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    many = {f"{number}": "x" * 1000 for number in range(10_000)}
    await desk.ask(FakeServedPlugin(), "log", level="info", message="well", fields=many)
    await desk.ask(FakeServedPlugin(), "log", level="info", message="y" * 1_000_000)

    first, second = (record.getMessage() for record in caplog.records)
    assert first.startswith('plugin todo: well {"0": "xxx')
    assert (len(first), len(second)) == (2013, 2013)
