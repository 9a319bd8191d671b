"""The host of `papercup_plugin.testing` is held to the real one: a plugin sees the same of both."""

import json
from pathlib import Path
from typing import Any

import pytest

from extensions.plugins.manifest import Capabilities
from extensions.plugins.services import UiAnswer
from papercup_plugin import ExecResult
from papercup_plugin.testing import TestHost, create_test_host
from tests.fakes.plugin_host import HERE
from tests.fakes.plugins import sdk_asking
from tests.fakes.sdk_host import ALL, SdkHost

ANSWERS = {"select": "b", "confirm": True, "input": "words"}
TOOLS_ALONE = Capabilities(tools=None, commands=True)


def real_host(folder: Path, capabilities: Capabilities, *, may_execute: bool) -> SdkHost:
    host = SdkHost(
        folder,
        script=Path(sdk_asking.__file__),
        capabilities=capabilities,
        may_execute=may_execute,
    )
    host.people.answer = UiAnswer(value="b", confirmed=True, text="words")
    return host


def host_in_process(*, refused: list[str], may_execute: bool) -> TestHost:
    done = ExecResult("out", "err", 3)
    return create_test_host(
        sdk_asking.plugin,
        ui=lambda request: ANSWERS[request["kind"]],
        flags={"loud": True},
        runs=(lambda _argv: done) if may_execute else None,
        session_state={"name": "chat"},
        refused=refused,
    )


def differences(one: str, other: str | None) -> dict[str, Any]:
    """Return what a plugin saw otherwise."""
    assert other is not None
    here, there = json.loads(one), json.loads(other)
    assert list(here) == list(there) == list(sdk_asking.QUESTIONS)
    return {name: (here[name], there[name]) for name in here if here[name] != there[name]}


@pytest.mark.parametrize(
    ("capabilities", "refused", "may_execute"),
    [
        (ALL, [], True),
        (ALL, [], False),
        (TOOLS_ALONE, ["ui", "kv", "session", "exec", "bus"], True),
    ],
)
async def test_what_a_plugin_asks_is_answered_alike(
    tmp_path: Path, capabilities: Capabilities, refused: list[str], *, may_execute: bool
) -> None:
    async with real_host(tmp_path, capabilities, may_execute=may_execute).running(
        "asking"
    ) as plugin:
        in_tool = (await plugin.call_tool("ask", {}, HERE)).text
        in_command = await plugin.run_command("ask", "", HERE)
    with host_in_process(refused=refused, may_execute=may_execute) as host:
        assert differences(in_tool, host.call_tool("ask").content) == {}
        assert differences(in_command, host.run_command("ask")) == {}


async def test_what_a_plugin_answers_comes_alike(tmp_path: Path) -> None:
    uses = [("refuse", {}), ("fail", {"count": 7})]
    async with real_host(tmp_path, ALL, may_execute=True).running("asking") as plugin:
        real = [await plugin.call_tool(name, arguments, HERE) for name, arguments in uses]
        completed = await plugin.complete_command("quiet", "O", HERE)
    with host_in_process(refused=[], may_execute=True) as host:
        results = [host.call_tool(name, arguments) for name, arguments in uses]
        items = host.complete_command("quiet", "O")

    assert [(each.content, each.is_error) for each in results] == [
        (each.text, each.is_error) for each in real
    ]
    assert [each.parts() for each in items] == [
        {"value": each.value, "description": each.description} for each in completed
    ]
