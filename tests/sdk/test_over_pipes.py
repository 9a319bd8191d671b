"""A plugin that is written with the SDK, run by the real host."""

import asyncio
import logging
from pathlib import Path

import pytest

from extensions.errors import PluginCallError
from extensions.hooks import NOWHERE, Blocked, Changed, HookPoint, Pass
from extensions.plugins.lifecycle import Shutdown
from extensions.plugins.manifest import Dialect
from extensions.plugins.registrations import PluginAnswer, PluginCompletion
from extensions.plugins.services import Confirm, Delivery, Input, SetWidget, UiAnswer
from tests.fakes.plugin_host import HERE
from tests.fakes.sdk_host import SdkHost
from tests.fakes.waiting import until


@pytest.fixture
def host(tmp_path: Path) -> SdkHost:
    return SdkHost(tmp_path)


async def test_it_offers_its_tools_and_ends_when_it_is_told_to(
    host: SdkHost, caplog: pytest.LogCaptureFixture
) -> None:
    async with host.running("sample") as plugin:
        answer = await plugin.call_tool("say", {"phrase": "ab", "times": 2}, HERE)
        failed = await plugin.call_tool("fail", {"message": "why"}, HERE)

    assert answer == PluginAnswer(text="abab", details={"times": 2})
    assert failed == PluginAnswer(text="ValueError: why", is_error=True)
    assert isinstance(plugin.state, Shutdown)
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


async def test_nothing_that_is_printed_reaches_the_host(
    host: SdkHost, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with host.running("sample") as plugin:
        answer = await plugin.call_tool("printed", {}, HERE)
        await until(lambda: "plugin sample says: nor those" in caplog.messages)

    assert answer.text == "nothing to read"
    for said in ("not for the host", "nor this", "nor that"):
        assert f"plugin sample says: {said}" in caplog.messages


async def test_a_plugin_that_closed_what_it_prints_to_is_heard_all_the_same(
    host: SdkHost, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with host.running("sample") as plugin:
        closed = await plugin.call_tool("close_output", {}, HERE)
        failed = await plugin.call_tool("fail", {"message": "why"}, HERE)
        await until(lambda: "plugin sample says: ValueError: why" in caplog.messages)

    assert closed.text == "ValueError: I/O operation on closed file."
    assert failed.text == "ValueError: why"


async def test_a_large_frame_goes_both_ways(host: SdkHost) -> None:
    phrase = "ä€" * 1_000_000
    async with host.running("sample") as plugin:
        answer = await plugin.call_tool("say", {"phrase": phrase}, HERE)

    assert answer.text == phrase


async def test_people_are_asked_where_they_are(host: SdkHost) -> None:
    host.people.answer = UiAnswer(confirmed=True)
    async with host.running("sample") as plugin:
        answer = await plugin.call_tool("ask", {}, HERE)

    assert answer.text == "True True"
    assert host.people.asked == [(Confirm(prompt="Sure?"), HERE)]


async def test_a_call_that_nobody_waits_for_ends_and_withdraws_its_question(host: SdkHost) -> None:
    told: list[float | None] = []
    async with host.running("sample") as plugin:
        async with asyncio.TaskGroup() as tasks:
            calls = [
                tasks.create_task(
                    plugin.call_tool(
                        name, {}, HERE, on_progress=lambda each: told.append(each.progress)
                    )
                )
                for name in ("wait", "sleep")
            ]
            await until(lambda: len(told) == len(host.people.asked) + 1 == 2)
            for call in calls:
                call.cancel()
        await until(lambda: host.people.left_alone == 1)
        answer = await plugin.call_tool("memory", {}, HERE)

    assert host.people.asked == [(Input(prompt="Well?"), HERE)]
    assert sorted(each or 0 for each in told) == [0.1, 0.5]
    assert answer.text == '["cancelled"]'


async def test_commands_are_run_and_completed(host: SdkHost) -> None:
    async with host.running("sample") as plugin:
        kept = await plugin.run_command("do", "keep it", HERE)
        known = await plugin.run_command("do", "known", HERE)
        quiet = await plugin.run_command("do", "publish", HERE)
        with pytest.raises(PluginCallError, match="/do failed: not so"):
            await plugin.run_command("do", "so", HERE)
        completed = await plugin.complete_command("do", "k", HERE)

    assert kept == "it ['kept']"
    assert known == f"{host.folder} widget {{'loud': True}}"
    assert quiet == "/do: done"
    assert completed == [
        PluginCompletion(value="keep"),
        PluginCompletion(value="known", description="what is known"),
    ]


async def test_a_command_acts_in_its_session_and_has_programs_run(host: SdkHost) -> None:
    async with host.running("sample") as plugin:
        state = await plugin.run_command("do", "session", HERE)
        done = await plugin.run_command("do", "exec", HERE)

    assert (state, done) == ("{'name': 'chat'}", "out 3")
    assert host.sessions.done == [
        ("send_message", "sample", "posted", "assistant", HERE),
        ("send_user_message", "sample", "said", Delivery.NEXT_TURN, HERE),
        ("append_entry", "sample", {"n": 1}, HERE),
        ("set_model", "sample", "opus", None, None, HERE),
        ("state", "sample", HERE),
    ]
    assert host.executor.ran == [("sample", ("git", "status"), None, HERE)]


async def test_hooks_forbid_and_change(host: SdkHost) -> None:
    call = {"tool": "Bash", "tool_name": "Bash", "call_id": "c"}
    async with host.running("sample"):
        fire = host.plugins.fire
        bad = await fire(HookPoint.TOOL_CALL, {**call, "arguments": {"command": "rm x"}}, HERE)
        good = await fire(HookPoint.TOOL_CALL, {**call, "arguments": {}}, HERE)
        said = await fire(HookPoint.INPUT, {"text": "hi", "source": "text"}, HERE)
        is_hooked = host.plugins.is_hooked(HookPoint.CONTEXT)

    assert (bad, good) == (Blocked("not that", "sample"), Pass())
    assert isinstance(said, Changed)
    assert said.value["text"] == "HI"
    assert not is_hooked


async def test_events_and_what_others_publish_are_heard(host: SdkHost) -> None:
    async with host.running("sample", "other") as plugin:
        host.plugins.tell("turn_start", {"session_id": "chat"}, HERE)
        await host.plugins.find_program("other").run_command("do", "publish", HERE)
        answers: list[str] = []

        async def has_heard() -> bool:
            answers.append((await plugin.call_tool("memory", {}, HERE)).text)
            return "news" in answers[-1] or '{"n": 1}' in answers[-1]

        await until(has_heard)

    assert answers[-1] == '["turn_start chat", {"n": 1}]'


async def test_a_widget_is_drawn_anew_when_its_key_is_pressed(host: SdkHost) -> None:
    host.people.answer = UiAnswer()
    async with host.running("sample") as plugin:
        await plugin.run_command("do", "show", HERE)
        plugin.key_pressed("counter", "more", HERE)
        await until(lambda: len(host.people.asked) == 2)

    shown = [request for request, _ in host.people.asked]
    assert [each.widget["body"]["text"] for each in shown if isinstance(each, SetWidget)] == [
        "**0**",
        "**1**",
    ]
    assert [occasion for _, occasion in host.people.asked] == [HERE, HERE]


async def test_tools_come_and_are_chosen_while_it_runs(host: SdkHost) -> None:
    async with host.running("sample") as plugin:
        await plugin.call_tool("learn", {}, HERE)
        await until(lambda: "late" in {each.name for each in plugin.offered})
        late = await plugin.call_tool("late", {}, HERE)
        chosen = await plugin.run_command("do", "choose", HERE)
        offered = [each.name for each in plugin.offered]

    assert (late.text, chosen, offered) == ("better late", "['say']", ["say"])


async def test_a_model_answers_in_pieces_and_somebody_logs_in(host: SdkHost) -> None:
    host.people.answer = UiAnswer(text="secret")
    pieces: list[object] = []
    request = {
        "provider": "parrot",
        "model": "grey",
        "messages": [{"role": "user", "content": "hi"}],
    }
    async with host.running("sample") as plugin:
        answer = await plugin.complete_with(
            request, NOWHERE, on_delta=lambda delta: pieces.append(delta["content"])
        )
        provider = {"provider": "parrot"}
        granted = await plugin.request("provider/oauth_login", provider, timeout_seconds=10)
        renewed = await plugin.request(
            "provider/oauth_refresh", {**provider, "refresh_token": "r1"}, timeout_seconds=10
        )

    assert answer == {"content": "you said hi", "finish_reason": "stop"}
    assert pieces == ["you said ", "hi"]
    assert granted == {"api_key": "secret", "refresh_token": "r1"}
    assert renewed == {"access_token": "for r1"}


async def test_what_it_was_told_is_seen_to_before_it_ends(host: SdkHost) -> None:
    async with host.running("sample"):
        host.plugins.tell("session_shutdown", {"reason": "stop"}, HERE)

    assert await host.kv.get("sample", "ended") == "stop"


async def test_it_speaks_the_other_dialect_to_a_host_that_does(host: SdkHost) -> None:
    async with host.running("sample", dialect=Dialect.STDIO) as plugin:
        answer = await plugin.call_tool("say", {"phrase": "hi"}, HERE)
        asked = await plugin.call_tool("ask", {}, HERE)
        said = await host.plugins.fire(HookPoint.INPUT, {"text": "hi", "source": "text"}, HERE)

    assert (answer.text, asked.text) == ("hi", "False False")
    assert isinstance(said, Changed)
    assert said.value["text"] == "HI"


async def test_it_is_restarted_when_it_dies_and_ends_with_its_host(host: SdkHost) -> None:
    async with host.running("sample") as plugin:
        first = plugin.pid
        assert first is not None
        await host.plugins.reload(plugin.candidate)
        assert plugin.pid != first
        assert (await plugin.call_tool("say", {"phrase": "on"}, HERE)).text == "on"
