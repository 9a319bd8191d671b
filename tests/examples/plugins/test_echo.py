import asyncio
from typing import Any

from extensions.plugins.registrations import PluginCompletion, ShortcutRegistration
from extensions.plugins.served import ToolProgress
from extensions.tools import ToolAnswer
from tests.fakes.example_plugins import ExampleHost, by_hand
from tests.fakes.plugin_host import HERE


async def test_it_says_a_phrase_as_often_as_wanted_and_how_far_it_is() -> None:
    async with ExampleHost().running("echo") as host:
        once = await host.use("ext_echo_say", phrase="ein\u2028Wörtchen 🐍")
        program, told = host.plugins.find_program("echo"), list[ToolProgress]()
        arguments = {"phrase": "ho", "times": 2, "pause_ms": 1}
        twice = await program.call_tool("say", arguments, HERE, on_progress=told.append)

    assert once == ToolAnswer("ein\u2028Wörtchen 🐍")
    assert twice.text == "ho\nho"
    assert [(each.message, each.progress) for each in told] == [("1 of 2", 0.5), ("2 of 2", 1.0)]


async def test_its_command_is_completed_to_what_was_said_before_and_tells_of_turns() -> None:
    async with ExampleHost().running("echo") as host:
        await host.use("ext_echo_say", phrase="hop")
        host.plugins.tell("turn_end", {}, HERE)
        told = await host.plugins.run_command("echo", "echo", "hello", HERE)
        found = await host.plugins.complete_command("echo", "echo", "ho", HERE)
        offered = host.plugins.find_program("echo").registrations

    assert told == "hello\n-# I saw 1 turns end."
    assert found == [PluginCompletion(value="hop", description="said before")]
    assert offered.shortcuts == (
        ShortcutRegistration(key="ctrl+e", command="echo", description="Echo"),
    )


async def test_it_can_be_cancelled_and_goes_on_with_the_next() -> None:
    arguments = {"phrase": "slow", "times": 10, "pause_ms": 5000}
    async with by_hand("echo") as echo:
        echo.send(id=1, method="tool/execute", params={"tool": "say", "arguments": arguments})
        begun = await echo.read()
        echo.send(method="$/cancel", params={"id": 1})
        cancelled = await echo.read()
        ping = await echo.ask("ping")

    assert begun["method"] == "tool/update"
    assert (cancelled["id"], cancelled["error"]["code"]) == (1, -32800)
    assert ping["result"] == {}


async def test_a_use_that_nobody_waits_for_any_more_ends() -> None:
    async with ExampleHost().running("echo") as host:
        program, begun = host.plugins.find_program("echo"), asyncio.Event()
        arguments = {"phrase": "slow", "times": 10, "pause_ms": 5000}
        async with asyncio.TaskGroup() as tasks:
            use = tasks.create_task(
                program.call_tool("say", arguments, HERE, on_progress=lambda _: begun.set())
            )
            await begun.wait()
            use.cancel()
        again = await host.use("ext_echo_say", phrase="again")

    assert again == ToolAnswer("again")


async def test_what_it_cannot_say_it_refuses() -> None:
    wrong: list[Any] = [
        {},
        {"phrase": 7},
        {"phrase": "a", "times": 0},
        {"phrase": "a", "times": 11},
    ]
    async with by_hand("echo") as echo:
        codes = [
            (await echo.ask("tool/execute", tool="say", arguments=each))["error"]["code"]
            for each in (*wrong, {"phrase": "a", "pause_ms": 1e9}, None)
        ]

    assert codes == [-32602] * 6
