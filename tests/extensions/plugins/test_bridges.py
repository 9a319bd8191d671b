"""MCP servers that are programs, bridged by a host: all of it real."""

import asyncio
import json
import logging
from dataclasses import replace

import pytest

from extensions.errors import PluginCallError
from extensions.hooks import HookPoint
from extensions.plugins.host import PluginHost
from extensions.plugins.lifecycle import Failed, Ready
from extensions.plugins.manifest import Capabilities
from extensions.plugins.services import AuditKind
from extensions.server.tool_calls import ToolCalls
from extensions.server.tool_hooks import Hooks
from extensions.tools import ToolAnswer, ToolCall
from tests.fakes.bridges import BridgeKit, bridge, small_server
from tests.fakes.plugin_host import FOLDER, SPEAKER, occasion_of, sep, stdio
from tests.fakes.waiting import until

TOOLS = ["say", "told", "environment", "grow", "fail", "refuse", "garble", "flood", "hang", "crash"]


def public(prefix: str) -> list[str]:
    return sorted(f"ext_{prefix}_{tool}" for tool in TOOLS)


def server_of(host: PluginHost, plugin_id: str, number: int = 0) -> dict[str, object]:
    report = next(each for each in host.report() if each["id"] == plugin_id)
    server: dict[str, object] = report["servers"][number]
    return server


async def test_the_tools_of_the_one_server_of_a_plugin_bear_their_own_names() -> None:
    kit = BridgeKit()
    async with kit.host(bridge("notes", files=small_server()), **kit.bridges()) as host:
        assert kit.names() == public("notes")
        assert await kit.use("ext_notes_say", text="hello") == ToolAnswer("say: hello")
        assert await kit.use("ext_notes_fail") == ToolAnswer("it went wrong", is_error=True)
        assert await kit.use("ext_notes_refuse") == ToolAnswer(
            "plugin `notes` tool `refuse` failed: no such text", is_error=True
        )
        wrong = await kit.use("ext_notes_say", text=1)
        assert wrong.is_error
        assert server_of(host, "notes")["state"] == "ready"
    assert kit.names() == []


async def test_those_of_several_servers_bear_the_names_of_their_servers_too() -> None:
    kit = BridgeKit()
    both = bridge("notes", files=small_server(), web=small_server("bare"))
    async with kit.host(both, **kit.bridges()) as host:
        await until(lambda: all(server_of(host, "notes", n)["state"] == "ready" for n in (0, 1)))
        assert kit.names() == public("notes_files")


async def test_those_of_a_program_that_has_tools_do_and_come_and_go_with_it() -> None:
    kit = BridgeKit()
    echo = sep("echo", mcp_servers={"files": small_server()})
    async with kit.host(echo, **kit.bridges()) as host:
        assert set(public("echo_files")) < set(kit.names())
        assert await kit.use("ext_echo_files_say", text="x") == ToolAnswer("say: x")
        assert set(public("echo_files")) < set(host.report()[0]["tools"])
        await host.unload("echo")
        assert kit.names() == []


async def test_those_of_a_program_that_declares_no_tools_bear_their_own_names() -> None:
    kit = BridgeKit()
    echo = sep("echo", capabilities=Capabilities(), mcp_servers={"files": small_server()})
    async with kit.host(echo, **kit.bridges()):
        assert kit.names() == public("echo")


async def test_a_tool_whose_name_another_server_makes_up_first_is_left_out(
    caplog: pytest.LogCaptureFixture,
) -> None:
    kit = BridgeKit()
    # `a_b` + `say` and `a` + `b_say` would be the same.
    both = bridge("notes", a=small_server("prefix:b"), a_b=small_server())
    async with kit.host(both, **kit.bridges()) as host:
        for number in (0, 1):
            await until(lambda n=number: server_of(host, "notes", n)["state"] == "ready")  # type: ignore[misc]  # it is one
        assert kit.names() == public("notes_a_b")
    assert "tool `a_b_say` is left out: another of its servers has one of that name" in caplog.text


async def test_all_pages_of_tools_are_read() -> None:
    kit = BridgeKit()
    async with kit.host(bridge("notes", files=small_server("pages")), **kit.bridges()):
        assert kit.names() == public("notes")


async def test_a_server_that_knows_no_tools_is_up_all_the_same() -> None:
    kit = BridgeKit()
    async with kit.host(bridge("notes", files=small_server("toolless")), **kit.bridges()) as host:
        assert (host.find("notes").state, kit.names()) == (Ready(), [])


async def test_its_tools_are_read_anew_when_it_says_that_they_have_changed() -> None:
    kit = BridgeKit()
    async with kit.host(bridge("notes", files=small_server()), **kit.bridges()):
        await kit.use("ext_notes_grow")
        await until(lambda: "ext_notes_more10" in kit.names())


async def test_a_server_that_crashes_is_started_again_and_its_tools_stay(
    caplog: pytest.LogCaptureFixture,
) -> None:
    kit = BridgeKit()
    async with kit.host(bridge("notes", files=small_server()), **kit.bridges()) as host:
        first = server_of(host, "notes")["pid"]
        assert await kit.use("ext_notes_crash") == ToolAnswer(
            "plugin `notes` MCP server `files`: it exited with code 3", is_error=True
        )
        await until(lambda: server_of(host, "notes")["restarts"] == 1)
        assert kit.names() == public("notes")
        await until(lambda: server_of(host, "notes")["state"] == "ready")
        assert await kit.use("ext_notes_say", text="again") == ToolAnswer("say: again")
        assert server_of(host, "notes")["pid"] != first
    assert (
        AuditKind.CRASHED,
        "notes",
        "MCP server files: it exited with code 3",
    ) in kit.audit.notes
    assert "plugin notes/files: it exited with code 3" in caplog.text


async def test_a_tool_that_is_used_while_its_plugin_is_reloaded_says_so() -> None:
    kit = BridgeKit()
    async with kit.host(bridge("notes", files=small_server()), **kit.bridges()) as host:
        counts = server_of(host, "notes")["counts"]
        async with asyncio.TaskGroup() as tasks:
            call = tasks.create_task(kit.use("ext_notes_hang"))
            await until(lambda: server_of(host, "notes")["counts"] != counts)
            await host.reload(bridge("notes", files=small_server()))
        assert call.result() == ToolAnswer(
            "plugin `notes` MCP server `files`: it was ended or reloaded before it had answered",
            is_error=True,
        )


async def test_what_would_end_the_package_s_client_is_borne() -> None:
    kit = BridgeKit()
    async with kit.host(bridge("notes", files=small_server()), **kit.bridges()) as host:
        assert await kit.use("ext_notes_garble", text="x") == ToolAnswer("garble: x")
        assert await kit.use("ext_notes_flood", text="x") == ToolAnswer("flood: x")
        server = server_of(host, "notes")
        assert server["restarts"] == 0
        counts = server["counts"]
        assert isinstance(counts, dict)
        assert (counts["garbage"], counts["oversized"]) == (2, 1)


async def test_a_call_that_takes_too_long_is_taken_back() -> None:
    kit = BridgeKit()
    kit.bridging = replace(kit.bridging, call_seconds=0.2)
    async with kit.host(bridge("notes", files=small_server()), **kit.bridges()):
        slow = await kit.use("ext_notes_hang")
        assert slow == ToolAnswer(
            "plugin `notes` MCP server `files`: tools/call was not answered within 0.2 seconds",
            is_error=True,
        )
        told = json.loads((await kit.use("ext_notes_told")).text)
    assert [each["method"] for each in told] == [
        "notifications/initialized",
        "notifications/cancelled",
    ]
    assert isinstance(told[1]["params"]["requestId"], int)


async def test_a_server_that_answers_no_call_is_left_alone_for_a_while() -> None:
    kit = BridgeKit()
    kit.bridging = replace(kit.bridging, call_seconds=0.05)
    async with kit.host(bridge("notes", files=small_server()), **kit.bridges()) as host:
        for _ in range(5):
            await kit.use("ext_notes_hang")
        refused = await kit.use("ext_notes_say")
        assert refused.text == (
            "plugin `notes` MCP server `files`: circuit breaker open for plugin"
        )
        breaker = server_of(host, "notes")["breaker"]
        assert breaker == {"name": "ext:mcp:notes/files", "state": "open", "times_opened": 1}


async def test_it_gets_no_environment_but_its_own_and_runs_in_the_plugin_s_folder() -> None:
    kit = BridgeKit()
    candidate = bridge("notes", files=small_server(env={"ROOT": "${EXTENSION_ROOT}/notes"}))
    async with kit.host(candidate, **kit.bridges()):
        seen = json.loads((await kit.use("ext_notes_environment")).text)
    assert seen["cwd"] == str(FOLDER)
    assert seen["ROOT"] == f"{FOLDER}/notes"
    assert set(seen) <= {"cwd", "PATH", "ROOT", "LC_CTYPE", "PAPERCUP_FAMILY"}


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        ("ends", "it ended before the handshake was completed: it exited with code 4"),
        ("ancient", "it speaks version '1999-01-01' of MCP, which is not known here"),
    ],
)
async def test_one_that_cannot_be_started_has_failed_and_says_why(what: str, reason: str) -> None:
    kit = BridgeKit()
    async with kit.host(bridge("notes", files=small_server(what)), **kit.bridges()) as host:
        assert host.find("notes").state == Failed(f"MCP server `files`: {reason}")
        report = host.report()[0]
        assert (report["state"], report["reason"]) == ("failed", f"MCP server `files`: {reason}")
        server = server_of(host, "notes")
        assert (server["state"], server["reason"]) == ("failed", reason)
        with pytest.raises(PluginCallError, match="MCP server `files`"):
            await host.reload(bridge("notes", files=small_server(what)))
        await host.reload(bridge("notes", files=small_server()))
        assert kit.names() == public("notes")


async def test_a_server_that_failed_keeps_no_other_from_being_used() -> None:
    kit = BridgeKit()
    both = bridge("notes", files=small_server(), web=small_server("ends"))
    async with kit.host(both, **kit.bridges()) as host:
        await until(lambda: server_of(host, "notes", 1)["state"] == "failed")
        assert host.find("notes").state == Ready()
        assert kit.names() == public("notes_files")


async def test_one_whose_plugin_is_not_trusted_any_more_is_not_started_again() -> None:
    kit = BridgeKit()
    async with kit.host(bridge("notes", files=small_server()), **kit.bridges()) as host:
        kit.refusal = "its files have changed"
        await kit.use("ext_notes_crash")
        await until(lambda: server_of(host, "notes")["state"] == "failed")
        assert server_of(host, "notes")["reason"] == "its files have changed"
        assert kit.names() == []


async def test_a_host_that_ends_while_one_is_greeted_does_not_wait_for_it() -> None:
    kit = BridgeKit()
    async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
        async with kit.host(**kit.bridges()) as host:
            loading = tasks.create_task(host.load([bridge("notes", files=small_server("deaf"))]))
            await until(lambda: bool(host.plugins))
        await loading
    assert kit.names() == []


async def test_hooks_of_plugins_see_and_forbid_the_use_of_a_bridged_tool() -> None:
    kit = BridgeKit()
    notes, guard = bridge("notes", files=small_server()), stdio("guard", "guards")
    async with kit.host(notes, guard, **kit.bridges()) as host:
        hooks = Hooks(chain=host, observers=host, occasion_of=occasion_of)
        call = ToolCall(caller=SPEAKER, arguments={"text": "x"}, tool_use_id="use-1")
        answer = await ToolCalls(kit.registry, hooks).answer("ext_notes_say", call)
        assert host.is_hooked(HookPoint.TOOL_CALL)
    assert answer.is_error
    assert "not ext_notes_say" in answer.text
    kinds = [kind for kind, plugin, _ in kit.audit.notes if plugin == "guard"]
    assert AuditKind.BLOCKED in kinds


async def test_what_a_server_says_on_stderr_is_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    kit = BridgeKit()
    with caplog.at_level(logging.INFO):
        async with kit.host(bridge("notes", files=small_server("ends")), **kit.bridges()):
            pass
    assert "MCP server notes/files says: cannot go on" in caplog.text
