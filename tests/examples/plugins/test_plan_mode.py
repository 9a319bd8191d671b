from extensions.hooks import Blocked, HookPoint, Pass, Ruling
from extensions.plugins.services import SetWidget
from tests.fakes.example_plugins import ExampleHost
from tests.fakes.plugin_host import HERE
from tests.fakes.waiting import until


async def ruled(host: ExampleHost, tool: str, session: str = "chat") -> Ruling:
    value = {"tool": tool, "tool_name": tool, "arguments": {}, "call_id": "1"}
    call = {**value, "agent_id": "speaker", "session_id": session}
    return await host.plugins.fire(HookPoint.TOOL_CALL, call, HERE)


async def switched(host: ExampleHost, written: str = "") -> str:
    host.sessions.standing = {"session_id": "chat"}
    return await host.plugins.run_command("plan_mode", "plan", written, HERE)


async def test_while_it_is_on_nothing_is_changed_in_that_session() -> None:
    async with ExampleHost().running("plan_mode") as host:
        before = await ruled(host, "Write")
        told = await switched(host, "on")
        during = [await ruled(host, each) for each in ("Write", "mcp__x__y", "Read")]
        elsewhere = await ruled(host, "Write", "other")
        await switched(host, "off")
        after = await ruled(host, "Write")

    sentence = "plan mode is on, so {} is not used: say what you would do with it"
    assert told == "Now they only plan."
    assert (before, elsewhere, after) == (Pass(), Pass(), Pass())
    assert during == [
        Blocked(sentence.format("Write"), by="plan_mode"),
        Blocked(sentence.format("mcp__x__y"), by="plan_mode"),
        Pass(),
    ]


async def test_without_a_word_behind_it_it_is_changed_and_each_change_is_kept() -> None:
    async with ExampleHost().running("plan_mode") as host:
        told = [await switched(host), await switched(host)]
        kept = [done[2] for done in host.sessions.done if done[0] == "append_entry"]
        found = await host.plugins.complete_command("plan_mode", "plan", "o", HERE)

    assert told == ["Now they only plan.", "Now they may change things again."]
    assert kept == [{"kind": "plan_mode", "enabled": on} for on in (True, False)]
    assert [each.value for each in found] == ["on", "off"]
    assert [texts(each) for each in host.asked()] == [
        "Plan mode: on: nothing is changed",
        "Plan mode: off",
    ]


async def test_the_flag_says_how_sessions_begin_and_people_are_reminded() -> None:
    async with ExampleHost(flags={"plan": True}).running("plan_mode") as host:
        ruling = await ruled(host, "Edit")
        host.plugins.tell("session_start", {"reason": "new", "session_id": "chat"}, HERE)
        await until(lambda: len(host.asked()) == 1)
        await switched(host, "off")
        after = await ruled(host, "Edit")

    assert isinstance(ruling, Blocked)
    assert after == Pass()


def texts(request: object) -> object:
    assert isinstance(request, SetWidget)
    return request.widget["text"]
