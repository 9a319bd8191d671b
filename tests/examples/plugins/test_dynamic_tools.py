import pytest

from extensions.errors import PluginCallError
from extensions.plugins.services import Notify, Severity
from tests.fakes.example_plugins import ExampleHost
from tests.fakes.plugin_host import HERE, SPEAKER
from tests.fakes.waiting import until


def tools(host: ExampleHost) -> set[str]:
    return {each.name for each in host.registry.visible_to(SPEAKER)}


async def add(host: ExampleHost, written: str) -> None:
    await host.plugins.run_command("dynamic_tools", "add-echo-tool", written, HERE)


async def test_a_session_that_is_opened_brings_the_first_tool() -> None:
    async with ExampleHost().running("dynamic_tools") as host:
        before = tools(host)
        host.plugins.tell("session_start", {"reason": "new"}, HERE)
        await until(lambda: tools(host) != before)
        answer = await host.use("ext_dynamic_tools_echo_session", message="hello")

    assert before == set()
    assert answer.text == "[echo_session] hello"


async def test_people_may_ask_for_more_while_it_runs() -> None:
    async with ExampleHost().running("dynamic_tools") as host:
        await add(host, " Parrot ")
        await until(lambda: "ext_dynamic_tools_parrot" in tools(host))
        answer = await host.use("ext_dynamic_tools_parrot", message="hello")
        await add(host, "parrot")

    assert answer.text == "[parrot] hello"
    assert host.asked() == [
        Notify(message="Models have the tool parrot now."),
        Notify(message="They have a tool parrot already.", severity=Severity.WARN),
    ]


async def test_names_that_no_tool_can_have_are_refused_and_more_than_twenty() -> None:
    async with ExampleHost().running("dynamic_tools") as host:
        for written in ("", "a b", "../x", "_x", "ä", "x" * 31):
            with pytest.raises(PluginCallError, match="a name is such as parrot_2"):
                await add(host, written)
        assert tools(host) == set()
        for number in range(20):
            await add(host, f"echo_{number}")
        with pytest.raises(PluginCallError, match="20 tools are the most"):
            await add(host, "one_more")
