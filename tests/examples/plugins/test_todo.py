import asyncio
from typing import Any

import pytest

from extensions.errors import PluginCallError
from extensions.plugins.services import SetWidget
from extensions.tools import ToolAnswer
from tests.fakes.example_plugins import ExampleHost, by_hand
from tests.fakes.plugin_host import ELSEWHERE, HERE
from tests.fakes.waiting import until


def widget(host: ExampleHost) -> Any:
    """Return the widget as it was drawn last."""
    shown = host.asked()[-1]
    assert isinstance(shown, SetWidget)
    return shown.widget


def keys(host: ExampleHost) -> list[str]:
    return [each["key"] for each in widget(host)["keybindings"]]


async def test_people_and_models_change_one_list_which_is_drawn_anew_each_time() -> None:
    async with ExampleHost().running("todo") as host:
        told = await host.plugins.run_command("todo", "todo", "milk", HERE)
        added = await host.use("ext_todo_add", item="bread")
        finished = await host.use("ext_todo_finish", item="milk")
        drawn, pressed = widget(host), keys(host)
        host.plugins.key_pressed("todo", "list", "clear", HERE)
        await until(lambda: len(host.asked()) == 4)
        cleared = await host.use("ext_todo_show")

    assert told == "☐ milk"
    assert added == ToolAnswer("☐ milk\n☐ bread")
    assert finished == ToolAnswer("☑ milk\n☐ bread")
    assert drawn["body"]["children"][0]["value"] == 0.5
    assert drawn["body"]["children"][1]["rows"] == [["☑", "milk"], ["☐", "bread"]]
    assert pressed == ["finish bread", "clear"]
    assert cleared == ToolAnswer("☐ bread")


async def test_changes_at_the_same_time_are_all_kept() -> None:
    async with ExampleHost().running("todo") as host:
        async with asyncio.TaskGroup() as tasks:
            for number in range(15):
                tasks.create_task(host.use("ext_todo_add", item=f"item {number}"))
        shown = await host.use("ext_todo_show")

    assert len(shown.text.splitlines()) == 15


async def test_the_list_outlives_the_plugin() -> None:
    host = ExampleHost()
    async with host.running("todo"):
        await host.use("ext_todo_add", item="milk")
    async with host.running("todo"):
        shown = await host.use("ext_todo_show")

    assert shown == ToolAnswer("☐ milk")


async def test_what_does_not_fit_is_refused_and_nothing_is_changed() -> None:
    async with ExampleHost().running("todo") as host:
        for number in range(20):
            await host.use("ext_todo_add", item=f"item {number}")
        before = len(host.asked())
        full = await host.use("ext_todo_add", item="one more")
        unknown = await host.use("ext_todo_finish", item="nothing")
        with pytest.raises(PluginCallError, match="an item has 1 to 100 characters"):
            await host.plugins.run_command("todo", "todo", "x" * 101, HERE)
        host.plugins.key_pressed("todo", "list", "finish what is gone", HERE)
        shown = await host.use("ext_todo_show")

    assert full.text.endswith("the list is full: 20 are the most")
    assert unknown.text.endswith("there is no item 'nothing'")
    assert len(host.asked()) == before + 1
    assert len(shown.text.splitlines()) == 20


async def test_what_the_host_refuses_is_told_to_whoever_asked() -> None:
    async with by_hand("todo") as todo:
        todo.send(id=1, method="tool/execute", params={"tool": "show", "arguments": {}})
        asked = await todo.read()
        error = {"code": -32004, "message": "kv/get needs the capability `kv`"}
        todo.send(id=asked["id"], error=error)
        answer = await todo.read()
        todo.send(id=asked["id"], result={})
        todo.send(id=99, result={})
        ping = await todo.ask("ping")

    assert (asked["method"], asked["params"]) == ("kv/get", {"key": "items"})
    assert answer == {"jsonrpc": "2.0", "id": 1, "error": error}
    assert ping["result"] == {}


async def test_a_pressed_key_is_answered_where_it_was_pressed() -> None:
    async with ExampleHost().running("todo") as host:
        await host.plugins.run_command("todo", "todo", "milk", HERE)
        host.plugins.key_pressed("todo", "list", "finish milk", ELSEWHERE)
        await until(lambda: len(host.asked()) == 2)

    assert [occasion for _, _, occasion in host.ui.asked] == [HERE, ELSEWHERE]
