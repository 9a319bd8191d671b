"""The page on the protocol names every message, event, error and limit."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bot.plugin_services import entry_store, plugin_pace, ui_questions, ui_view, user_interface
from bot.plugin_services.executor import ExecLimits
from extensions.hooks import NOWHERE, HookPoint
from extensions.plugins import (
    bus,
    kv,
    naming,
    plugin_log,
    plugin_tools,
    schemas,
    session_requests,
    update_pace,
)
from extensions.plugins.capabilities import CANONICAL, missing_capability
from extensions.plugins.dialects import reading
from extensions.plugins.dialects.dialect import CallMark, Order, Welcome, Wire
from extensions.plugins.dialects.sep import UI_KINDS, SepWire
from extensions.plugins.dialects.stdio import StdioWire
from extensions.plugins.host import HostSettings
from extensions.plugins.manifest import Capabilities, Dialect, Manifest
from extensions.plugins.providers import LOGIN_SECONDS, REFRESH_SECONDS
from extensions.plugins.requests import Requests
from extensions.rpc.errors import ErrorCode
from extensions.rpc.options import PeerOptions
from tests.docs.pages import ROOT, page, rows_of
from tests.docs.told_plugins import told_plugins

PAGE = page("docs/plugins/protocol.md")
MARK = CallMark(call_id="c", occasion=NOWHERE)
VALUE = {
    **dict.fromkeys(("text", "source", "tool_name", "content"), ""),
    "arguments": {},
    "is_error": False,
    "duration_ms": 0,
}
NEVER_TOLD = {"session_tree"}
NOTHING = "\N{EN DASH}"


def _first_codes(title: str) -> list[str]:
    return [
        code for cell, *_ in rows_of(PAGE.section(title)) for code in re.findall("`(.+)`", cell)
    ]


def _orders(wire: Wire) -> Iterator[tuple[str, bool]]:
    """Yield the method of everything that a dialect says, and whether it is a request."""
    manifest = Manifest(id="it", dialect=Dialect.SEP, version="1.0.0", name="it")
    welcome = Welcome(
        manifest=manifest, host_version="1", workspace_root="/", workspace_trusted=True
    )
    asked: list[Order | None] = [
        wire.greeting(welcome),
        wire.tool_call("NAME", {}, MARK),
        wire.older_tool_call("NAME", {}),
        wire.command("NAME", "", MARK),
        wire.completion("NAME", "", MARK),
        *(wire.hook(point, VALUE, MARK) for point in HookPoint if wire.hook_name(point)),
        wire.ping(),
    ]
    yield from ((order.method, True) for order in asked if order is not None)
    farewell = wire.farewell("stop")
    yield farewell.order.method, farewell.is_request
    if wire.event("turn_start", {}, None) is not None:
        yield PeerOptions().event_method, False
    yield PeerOptions().cancelling(1)[0], False


def _strings_in(folder: str, pattern: str) -> set[str]:
    return {
        node.value
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.fullmatch(pattern, node.value)
    }


def _shown_kinds(title: str) -> dict[str, bool]:
    """Return the methods of a table, and whether each is a request."""
    return {cells[0].strip("`"): cells[1] == "request" for cells in rows_of(PAGE.section(title))}


def test_all_that_is_said_to_sep_plugins_is_on_the_page() -> None:
    providers = _strings_in("extensions/plugins", r"provider/(?!delta)\w+")
    said = dict(_orders(SepWire())) | dict.fromkeys(providers, True)
    assert _shown_kinds("`sep`: what Papercup asks") == said


def test_all_that_is_said_to_stdio_plugins_is_on_the_page() -> None:
    assert _shown_kinds("`stdio`: what Papercup asks") == dict(_orders(StdioWire()))


def test_all_that_plugins_may_ask_is_on_the_page_with_what_it_needs() -> None:
    nobody: Any = None
    served = Requests(ui=nobody, sessions=nobody, executor=nobody, audit=nobody, kv=nobody)
    rows = rows_of(PAGE.section("What plugins ask"))
    needs = {cells[0].strip("`"): cells[2].strip("`") for cells in rows}
    methods = {CANONICAL.get(method, method) for method in served.methods}
    assert set(needs) == {*methods, PeerOptions().cancelling(1)[0]}
    nothing = Capabilities(hooks=frozenset(), providers=frozenset())
    missing = {method: missing_capability(method, nothing) or NOTHING for method in methods}
    assert {method: needs[method] for method in methods} == missing


def test_the_older_names_of_methods_are_on_the_page() -> None:
    text = " ".join(PAGE.section("What plugins ask").split())
    assert all(f"`{older}` for `{name}`" in text for older, name in CANONICAL.items())


def test_what_may_be_taken_as_a_notification_is_said() -> None:
    rows = rows_of(PAGE.section("What plugins ask"))
    either = {cells[0].strip("`") for cells in rows if cells[1] == "either"}
    source = (ROOT / "extensions/plugins/requests.py").read_text(encoding="utf-8")
    (takers,) = re.findall(r"self\._takers: .*?= \{\n(.*?)\n        \}", source, re.DOTALL)
    assert either == set(re.findall(r'"([\w/]+)":', takers))


def test_every_kind_of_question_and_block_is_on_the_page() -> None:
    assert tuple(_first_codes("Questions and widgets")) == UI_KINDS
    blocks = _strings_in(
        "bot/plugin_services", r"markdown|keyvalue|table|diff|progress|stack|widget"
    )
    assert all(f"`{kind}` {{" in PAGE.text.replace("\n  ", " ") for kind in blocks)


def test_the_time_limits_of_sep_are_those_of_the_host() -> None:
    settings, dialect = HostSettings(), Dialect.SEP
    limits = {
        "initialize": settings.handshake_seconds,
        "ping": settings.ping_seconds,
        "tool/execute": settings.tool_seconds(dialect),
        "command/execute": settings.command_seconds,
        "command/complete": settings.complete_seconds,
        "provider/complete": settings.provider_seconds,
        "provider/oauth_login": LOGIN_SECONDS,
        "provider/oauth_refresh": REFRESH_SECONDS,
        "shutdown": settings.grace_seconds(dialect),
    }
    shown = _shown_times("`sep`: what Papercup asks")
    assert {method: shown[method] for method in limits} == _in_words(limits)


def test_the_time_limits_of_stdio_are_those_of_the_host() -> None:
    settings, dialect = HostSettings(), Dialect.STDIO
    limits = {
        "initialize": settings.handshake_seconds,
        "tools/call": settings.tool_seconds(dialect),
        "tools/NAME": settings.tool_seconds(dialect),
        "tools/list": settings.ping_seconds,
        "shutdown": settings.grace_seconds(dialect),
    }
    for point in HookPoint:
        if name := StdioWire().hook_name(point):
            limits[f"hooks/{name}"] = point.timeout_seconds
    shown = _shown_times("`stdio`: what Papercup asks")
    assert {method: shown[method] for method in limits} == _in_words(limits)


def _shown_times(title: str) -> dict[str, str]:
    return {cells[0].strip("`"): cells[4] for cells in rows_of(PAGE.section(title))}


def _in_words(limits: dict[str, float]) -> dict[str, str]:
    return {name: f"{seconds:g} s" for name, seconds in limits.items()}


def _names_told(path: Path, constants: dict[str, str]) -> Iterator[str]:
    """Yield the events that a module tells of, as far as they are called by their names."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in {
            "tell",
            "_tell",
        }:
            for argument in node.args:
                if isinstance(argument, ast.Name) and argument.id in constants:
                    yield constants[argument.id]
                elif isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield argument.value


def _constants(paths: list[Path]) -> dict[str, str]:
    assigned = (
        (node.targets[0], node.value)
        for path in paths
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign)
    )
    return {
        target.id: value.value
        for target, value in assigned
        if isinstance(target, ast.Name)
        and target.id.isupper()
        and isinstance(value, ast.Constant)
        and isinstance(value.value, str)
    }


def test_every_event_that_is_told_is_on_the_page_and_no_other() -> None:
    paths = [path for name in ("bot", "extensions") for path in (ROOT / name).rglob("*.py")]
    constants = _constants(paths)
    told = {
        name
        for path in paths
        for name in _names_told(path, constants)
        if re.fullmatch(r"[a-z]+[_/][a-z_]+", name)
    }
    told.add(str(PeerOptions().events_lost(1)["event"]))
    assert set(_first_codes("Events")) == told | NEVER_TOLD


async def test_what_an_event_says_is_what_the_page_shows() -> None:
    shown = {
        cells[0].strip("`"): set(re.findall("`([^`]+)`", cells[1].split(":")[0].split("(")[0]))
        for cells in rows_of(PAGE.section("Events"))
    }
    for event, payload in (await told_plugins()).told:
        assert set(payload) - {"agent_id", "session_id"} <= shown[event], event
        assert shown[event] - set(payload) <= {"outcome"}, event


def test_every_error_code_is_on_the_page() -> None:
    rows = rows_of(PAGE.section("Errors"))
    assert {cells[1].strip("`"): int(cells[0]) for cells in rows} == {
        code.name: code.value for code in ErrorCode
    }


def _size(count: int) -> str:
    for unit, size in (("GiB", 1024**3), ("MiB", 1024**2), ("KiB", 1024)):
        if count % size == 0:
            return f"{count // size} {unit}"
    raise ValueError(count)


def test_the_limits_are_those_of_the_code() -> None:
    peer, host, run = PeerOptions(), HostSettings(), ExecLimits()
    assert host.memory_bytes is not None
    limits = {
        "a message, in either direction": _size(peer.frame_bytes),
        "what waits for a plugin that does not read": _size(peer.queued_bytes),
        "calls that are open to one plugin": peer.open_calls,
        "requests of one plugin that are open": peer.open_requests,
        "events that wait for one plugin": peer.queued_events,
        "of its standard error that is kept, a minute": (
            f"{peer.stderr_bytes_per_minute // 1_000_000} MB"
        ),
        "lines of `log`, a minute": plugin_log.LINES_PER_MINUTE,
        "tools of one plugin": reading.MOST_TOOLS,
        "commands, flags, shortcuts, subscriptions, providers, hooks, renderers, each": (
            reading.MOST_OTHERS
        ),
        "descriptions and schemas of all its tools together": _size(reading.MOST_DESCRIPTION_BYTES),
        "changes by `registry/update`, and by `tools/set_active`, a minute each": (
            update_pace.MOST_UPDATES
        ),
        "a schema: objects and lists in it": schemas.MOST_PARTS,
        "a schema: how deep they lie in each other": schemas.MOST_DEPTH,
        "a name of any of these": f"{reading.LONGEST_NAME} characters",
        "a public tool name": f"{naming.MAX_TOOL_NAME_LENGTH} characters",
        "a tool's description": f"{plugin_tools.LONGEST_DESCRIPTION} characters",
        "what a tool gives back": f"{plugin_tools.LONGEST_ANSWER} characters",
        "a value of `kv`": _size(kv.MOST_VALUE_BYTES),
        "a key of `kv`": f"{kv.LONGEST_KEY} characters",
        "keys of `kv`": kv.MOST_KEYS,
        "all values of `kv` together": _size(kv.MOST_BYTES),
        "a topic of the bus": f"{bus.LONGEST_TOPIC} characters",
        "a payload of the bus": _size(bus.MOST_PAYLOAD_BYTES),
        "a text of `session/send_message`": f"{session_requests.LONGEST_TEXT} characters",
        "an entry of `session/append_entry`": _size(entry_store.MOST_ENTRY_BYTES),
        "messages of a plugin in a session, a minute": plugin_pace.MOST_A_MINUTE,
        "turns that plugins begin out of each other": plugin_pace.MOST_IN_A_ROW,
        "messages and questions by `ui/request` in a place, a minute": (
            user_interface.MESSAGES_A_MINUTE
        ),
        "questions that are open": user_interface.MOST_OPEN_QUESTIONS,
        "widgets in a place": ui_view.MOST_WIDGETS,
        "time for `exec/run`": f"{run.seconds:g} s",
        "output of `exec/run`, each of stdout and stderr": _size(run.output_bytes),
        "programs by `exec/run` at once": run.at_once,
        "memory of a plugin with all that it starts": _size(host.memory_bytes),
        "processes of a plugin": host.processes,
        "plugins that are started at once": host.most_spawning,
    }
    shown = {cells[0]: cells[1] for cells in rows_of(PAGE.section("Limits"))}
    assert shown == {name: str(limit) for name, limit in limits.items()}
    assert f"`options` ({ui_questions.MOST_OPTIONS} at most)" in PAGE.text
