"""Command templates, offered by a host: all of it real."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from extensions.hooks import Occasion
from extensions.plugins.lifecycle import Failed, Ready
from extensions.plugins.manifest import Candidate, Manifest, Tier
from extensions.plugins.manifest_values import Table
from extensions.plugins.wrapper_manifest import wrapper_manifest
from extensions.plugins.wrappers import WrapperParts, Wrappers
from extensions.server.tool_calls import ToolCalls
from extensions.server.tool_hooks import Hooks
from extensions.tools import ToolAnswer, ToolCall
from tests.fakes.plugin_host import HERE, SPEAKER, HostKit, occasion_of, sep, stdio
from tests.fakes.waiting import until


@dataclass
class WrapperKit(HostKit):
    """What a host works with that offers command templates."""

    refusal: str | None = None
    environment: Mapping[str, str] = field(default_factory=lambda: {"PATH": "/usr/bin:/bin"})

    async def refusal_of(self, _candidate: Candidate) -> str | None:
        return self.refusal

    def wrappers(self, **others: Any) -> dict[str, Any]:
        def workspace_of(plugin_id: str, occasion: Occasion) -> Path:
            return Path(f"/sessions/{occasion.session_id}/{plugin_id}")

        parts = WrapperParts(
            environment_of=lambda _candidate: self.environment,
            workspace_of=workspace_of,
            refusal_of=self.refusal_of,
            **others,
        )
        return {"tiers": {Tier.WRAPPER: Wrappers(parts)}}


def wrapper(folder: Path, command: str | list[str], **more: Any) -> Candidate:
    manifest: Manifest = wrapper_manifest(Table({"name": "tool", "command": command, **more}))
    return replace(sep("tool", folder=folder), manifest=manifest)


async def test_a_program_is_run_for_each_call_in_the_plugin_s_folder(tmp_path: Path) -> None:
    kit = WrapperKit()
    (tmp_path / "shown.txt").write_text("what is shown\n")
    command = wrapper(tmp_path, "cat {{what}}", description="Shows.", prompt_hint="A name.")
    async with kit.host(command, **kit.wrappers()) as host:
        tool = kit.tool("ext_tool_run")
        assert tool.description == "[ext:tool] Shows.\nA name."
        assert tool.input_schema["required"] == ["what"]
        assert await kit.use("ext_tool_run", what="shown.txt") == ToolAnswer("what is shown")
        missing = await kit.use("ext_tool_run", what="missing.txt")
        assert missing.is_error
        assert "[it exited with code 1]" in missing.text
        assert "missing.txt: No such file or directory" in missing.text
        assert (host.find("tool").state, host.report()[0]["servers"]) == (Ready(), [])


async def test_an_argument_is_never_read_by_a_shell_nor_as_an_option(tmp_path: Path) -> None:
    kit = WrapperKit()
    async with kit.host(wrapper(tmp_path, "echo {{what}} | cat"), **kit.wrappers()):
        hostile = 'x"; touch pwned; echo "$(touch pwned) `touch pwned`'
        assert await kit.use("ext_tool_run", what=hostile) == ToolAnswer(hostile)
        refused = await kit.use("ext_tool_run", what="-n")
        assert refused.is_error
        assert refused.text.startswith("It was not run: `what` begins with `-`")
    assert not (tmp_path / "pwned").exists()


async def test_it_gets_the_environment_of_the_plugin_and_is_told_of_the_workspace(
    tmp_path: Path,
) -> None:
    kit = WrapperKit()
    kit.environment = {**kit.environment, "NUMBER": "7"}
    async with kit.host(wrapper(tmp_path, "env"), **kit.wrappers()):
        answer = await kit.use("ext_tool_run")
    seen = dict(line.split("=", 1) for line in answer.text.splitlines())
    seen.pop("PAPERCUP_FAMILY")
    assert seen == {
        "PATH": "/usr/bin:/bin",
        "NUMBER": "7",
        "PAPERCUP_WORKSPACE": f"/sessions/{HERE.session_id}/tool",
        **{name: value for name, value in seen.items() if name == "LC_CTYPE"},
    }


async def test_one_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    kit = WrapperKit()
    slow = wrapper(tmp_path, "sleep 1000", timeout_seconds=0.2)
    async with kit.host(slow, **kit.wrappers()):
        assert await kit.use("ext_tool_run") == ToolAnswer(
            "plugin `tool` took longer than 0.2 seconds, and was stopped", is_error=True
        )


async def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    kit = WrapperKit()
    async with kit.host(wrapper(tmp_path, "no-such-program"), **kit.wrappers()):
        assert await kit.use("ext_tool_run") == ToolAnswer(
            "plugin `tool` cannot be run: its program 'no-such-program' is not found on PATH",
            is_error=True,
        )


async def test_so_many_run_at_once_and_others_wait_or_are_refused(tmp_path: Path) -> None:
    kit = WrapperKit()
    # Each says that it runs, and waits until it may end.
    script = 'touch "ran-$1"; until [ -e go ]; do sleep 0.01; done; echo done'
    command = ["bash", "-c", script, "bash", "{{what}}"]
    limited = kit.wrappers(most_at_once=2, most_calls=3)

    def running() -> int:
        return len(list(tmp_path.glob("ran-*")))

    async with kit.host(wrapper(tmp_path, command), **limited), asyncio.TaskGroup() as tasks:
        calls = [
            tasks.create_task(kit.use("ext_tool_run", what=str(number))) for number in range(3)
        ]
        await until(lambda: running() == 2)
        refused = await kit.use("ext_tool_run", what="4")
        assert refused == ToolAnswer("plugin `tool` has too much to do", is_error=True)
        assert running() == 2
        (tmp_path / "go").touch()
    assert [call.result() for call in calls] == [ToolAnswer("done")] * 3


async def test_those_that_run_end_with_their_plugin(tmp_path: Path) -> None:
    kit = WrapperKit()
    command = ["bash", "-c", "touch ran; sleep 1000"]
    async with (
        asyncio.timeout(20),
        kit.host(wrapper(tmp_path, command), **kit.wrappers()) as host,
        asyncio.TaskGroup() as tasks,
    ):
        call = tasks.create_task(kit.use("ext_tool_run"))
        await until((tmp_path / "ran").exists)
        await host.unload("tool")
    assert call.result() == ToolAnswer("plugin `tool` is being stopped", is_error=True)


async def test_one_whose_files_have_changed_is_not_run_and_not_offered_any_more(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kit = WrapperKit()
    command = wrapper(tmp_path, "echo hello")
    async with kit.host(command, **kit.wrappers()) as host:
        kit.refusal = "its files have changed"
        assert await kit.use("ext_tool_run") == ToolAnswer(
            "plugin `tool` may not be run: its files have changed", is_error=True
        )
        assert host.find("tool").state == Failed("its files have changed")
        assert host.report()[0]["reason"] == "its files have changed"
        assert kit.registry.visible_to(SPEAKER) == []
        kit.refusal = None
        await host.reload(command)
        assert await kit.use("ext_tool_run") == ToolAnswer("hello")
    assert "plugin tool is not run any more: its files have changed" in caplog.text


async def test_hooks_of_plugins_see_and_forbid_its_use(tmp_path: Path) -> None:
    kit = WrapperKit()
    command, guard = wrapper(tmp_path, "touch pwned"), stdio("guard", "guards")
    async with kit.host(command, guard, **kit.wrappers()) as host:
        hooks = Hooks(chain=host, observers=host, occasion_of=occasion_of)
        call = ToolCall(caller=SPEAKER, arguments={}, tool_use_id="use-1")
        answer = await ToolCalls(kit.registry, hooks).answer("ext_tool_run", call)
    assert answer.is_error
    assert "not ext_tool_run" in answer.text
    assert not (tmp_path / "pwned").exists()
