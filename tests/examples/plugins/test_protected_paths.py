from collections.abc import Mapping
from pathlib import Path
from typing import Any

from extensions.hooks import Blocked, HookPoint, Pass
from extensions.plugins.services import Notify, Severity
from tests.fakes.example_plugins import ExampleHost
from tests.fakes.plugin_host import HERE

PROTECTED = (".env", "app/.env.local", "/srv/app/.git/config", "a/node_modules/b/c.js", "KEY.PEM")
FREE = ("env.py", "src/main.py", ".gitignore", "git/config", "")


def call(path: Any, tool: str = "Write") -> Mapping[str, Any]:
    """Return a use of a tool that changes a file."""
    value = {"tool": tool, "tool_name": tool, "arguments": {"file_path": path}}
    return {**value, "call_id": "1", "agent_id": "job-1", "session_id": "chat"}


async def test_what_is_protected_is_not_changed_and_all_else_may_be() -> None:
    async with ExampleHost().running("protected_paths") as host:
        asked = [(path, call(path)) for path in (*PROTECTED, *FREE)]
        rulings = {
            path: await host.plugins.fire(HookPoint.TOOL_CALL, value, HERE) for path, value in asked
        }
        read = await host.plugins.fire(HookPoint.TOOL_CALL, call(".env", "Read"), HERE)

    assert all(isinstance(rulings[path], Blocked) for path in PROTECTED), rulings
    assert [rulings[path] for path in FREE] == [Pass()] * len(FREE)
    assert read == Pass()


async def test_a_link_to_what_is_protected_protects_it_as_well(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").symlink_to(".env")
    async with ExampleHost().running("protected_paths") as host:
        link = call(str(tmp_path / "notes.txt"))
        ruling = await host.plugins.fire(HookPoint.TOOL_CALL, link, HERE)

    assert isinstance(ruling, Blocked)


async def test_the_model_is_told_why_and_people_that_it_tried() -> None:
    async with ExampleHost().running("protected_paths") as host:
        ruling = await host.plugins.fire(HookPoint.TOOL_CALL, call("app/.env"), HERE)

    assert ruling == Blocked(".env is protected; ask a person to change .env", by="protected_paths")
    told = "A model was kept from changing .env."
    assert host.asked() == [Notify(message=told, severity=Severity.WARN)]
