from collections.abc import Mapping
from typing import Any

from extensions.hooks import Blocked, HookPoint, Pass, Ruling
from extensions.plugins.services import Confirm, Executed
from tests.fakes.example_plugins import ExampleHost
from tests.fakes.plugin_host import HERE

HARMLESS = (
    "git status",
    "git push",
    "git push --force-with-lease",
    "git checkout -b new",
    "git reset HEAD~1",
    "git stash",
    "git push -q --follow-tags -u origin main",
    "git switch -c new",
    "echo push -f",
)
LOSING = (
    "git reset --hard",
    "git -C a clean -fd",
    "git checkout -- a.py",
    "git checkout .",
    "git stash drop",
    "git branch -D old",
    "git checkout -f",
    "git switch --discard-changes main",
    "git push origin --delete old",
    "git push origin :old",
    "bash -c 'git reset --hard'",
)
REWRITING = (
    "git push -f",
    "git push -fu origin main",
    "git push --mirror",
    "git push origin --force",
    "cd a && git push origin +main",
)


def call(command: Any) -> Mapping[str, Any]:
    """Return a use of Bash."""
    value = {"tool": "Bash", "tool_name": "Bash", "arguments": {"command": command}}
    return {**value, "call_id": "1", "agent_id": "job-1", "session_id": "chat"}


async def ruled(host: ExampleHost, command: Any) -> Ruling:
    return await host.plugins.fire(HookPoint.TOOL_CALL, call(command), HERE)


async def test_people_are_asked_before_work_is_lost_and_shown_what_is_not_committed() -> None:
    host = ExampleHost(may_execute=True)
    host.executor.executed = Executed(stdout=" M a.py\n?? b.py\n", stderr="", exit_code=0)
    host.answers(confirmed=True)
    async with host.running("git_guard"):
        ruling = await ruled(host, "git reset --hard")

    asked = "This may lose work. May it be run?\ngit reset --hard\n M a.py\n?? b.py"
    assert ruling == Pass()
    assert host.asked() == [Confirm(prompt=asked)]
    assert [command for _, command, _, _ in host.executor.ran] == [("git", "status", "--short")]


async def test_they_are_asked_without_that_if_nothing_may_be_run_for_it() -> None:
    host = ExampleHost()
    host.answers(confirmed=False)
    async with host.running("git_guard"):
        rulings = [await ruled(host, command) for command in LOSING]

    assert all(isinstance(ruling, Blocked) for ruling in rulings), rulings
    assert len(host.asked()) == len(LOSING)


async def test_to_rewrite_what_others_have_is_forbidden_without_a_question() -> None:
    async with ExampleHost().running("git_guard") as host:
        rulings = [await ruled(host, command) for command in REWRITING]
        assert host.asked() == []

    assert all(isinstance(ruling, Blocked) for ruling in rulings), rulings


async def test_what_nobody_could_read_to_its_end_is_not_asked_about() -> None:
    async with ExampleHost().running("git_guard") as host:
        ruling = await ruled(host, "echo a\n" * 19 + "git reset --hard")
        assert host.asked() == []

    assert ruling == Blocked(
        "it may lose work, and is too long to be shown to a person; split it up", by="git_guard"
    )


async def test_it_has_nothing_to_say_of_all_else() -> None:
    async with ExampleHost().running("git_guard") as host:
        rulings = [await ruled(host, command) for command in (*HARMLESS, 7, None)]

    assert rulings == [Pass()] * len(rulings)
