from pathlib import Path
from typing import Any

import pytest

from extensions.hooks import Blocked, Changed, HookPoint, Ruling
from extensions.plugins.contexts import ContextTier
from extensions.plugins.exec_requests import NOT_GRANTED, ExecRequests
from extensions.plugins.fields import BadFieldError, Fields
from extensions.plugins.refusal_notes import RefusalNotes
from extensions.plugins.services import AuditKind, ExecutionError
from extensions.plugins.serving import STALE_CONTEXT
from extensions.rpc.errors import ErrorCode, RpcError
from tests.fakes.clock import FakeClock
from tests.fakes.plugin_services import FakeAudit, FakeExecutor
from tests.fakes.served_plugin import AT_UWES, FakeHooks, FakeServedPlugin, FakeServingHost


class Bench:
    """A plugin that has programs run."""

    def __init__(self, ruling: Ruling | None = None, *, is_granted: bool = True) -> None:
        self.hooks = FakeHooks() if ruling is None else FakeHooks(ruling=ruling)
        self.plugin = FakeServedPlugin(
            host=FakeServingHost(hooks=self.hooks), is_exec_granted=is_granted
        )
        self.executor = FakeExecutor()
        self.audit = FakeAudit()

    async def run(self, **params: Any) -> Any:
        """Ask for it, with a context unless one is given."""
        refusals = RefusalNotes(self.audit, FakeClock())
        requests = ExecRequests(executor=self.executor, audit=self.audit, refusals=refusals)
        context = self.plugin.context(ContextTier.EVENT)
        return await requests.handlers()["exec/run"](
            self.plugin, Fields({"context": context, **params})
        )

    async def refusal(self, **params: Any) -> RpcError:
        with pytest.raises(RpcError) as caught:
            await self.run(**params)
        assert self.executor.ran == []
        return caught.value


async def test_a_program_is_run_without_a_shell_and_kept_in_the_log() -> None:
    bench = Bench()

    answer = await bench.run(command="git", args=["log", "a; rm -rf /"], cwd="sub")

    assert answer == {"stdout": "out", "stderr": "err", "exit_code": 3}
    assert bench.executor.ran == [("todo", ("git", "log", "a; rm -rf /"), Path("sub"), AT_UWES)]
    assert bench.audit.notes == [
        (AuditKind.EXEC, "todo", "runs git log 'a; rm -rf /'"),
        (AuditKind.EXEC, "todo", "git ended with 3"),
    ]


async def test_plugins_are_asked_before_a_program_is_run() -> None:
    bench = Bench()

    await bench.run(command="ls", args=["a b"], cwd="sub")

    value = {
        "command": "ls 'a b'",
        "argv": ["ls", "a b"],
        "cwd": "sub",
        "plugin": "todo",
        "agent_id": "speaker",
        "session_id": "5e55",
    }
    assert bench.hooks.fired == [(HookPoint.USER_BASH, value, AT_UWES)]


async def test_what_a_plugin_forbids_is_not_run() -> None:
    bench = Bench(Blocked(reason="not on my watch", by="gate"))

    error = await bench.refusal(command="rm")

    assert (error.code, error.message) == (ErrorCode.BLOCKED, "not on my watch")
    assert error.data == {"by": "gate"}


async def test_what_plugins_want_run_instead_is_run() -> None:
    bench = Bench(Changed({"argv": ["echo", "safe"], "command": "echo evil"}, ("gate",)))

    await bench.run(command="rm")

    assert [argv for _, argv, _, _ in bench.executor.ran] == [("echo", "safe")]
    assert bench.audit.notes[0] == (AuditKind.EXEC, "todo", "runs echo safe")


@pytest.mark.parametrize("argv", [None, [], "rm -rf", [1], [""], ["a\0b"]])
async def test_nothing_is_run_if_it_cannot_be_told_what_plugins_want(argv: object) -> None:
    bench = Bench(Changed({"argv": argv}, ("gate",)))

    error = await bench.refusal(command="ls")

    assert error.code == ErrorCode.BLOCKED


async def test_what_the_operator_has_not_granted_is_refused_and_kept_in_the_log() -> None:
    bench = Bench(is_granted=False)

    error = await bench.refusal(command="ls")

    assert (error.code, error.message) == (ErrorCode.NOT_TRUSTED, NOT_GRANTED)
    assert bench.audit.notes == [(AuditKind.REFUSED, "todo", "exec/run: it was not granted")]
    assert bench.hooks.fired == []


async def test_a_stale_context_runs_nothing() -> None:
    bench = Bench()
    old = bench.plugin.context()
    bench.plugin.contexts.begin_epoch(2)

    error = await bench.refusal(command="ls", context=old)

    assert (error.code, error.message) == (ErrorCode.CONTEXT_VIOLATION, STALE_CONTEXT)


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({}, "command is missing"),
        ({"command": "  "}, "command is empty"),
        ({"command": "ls", "args": "a"}, "args has to be a list of strings"),
        ({"command": "ls", "args": ["a\0"]}, "args hold a NUL character"),
        ({"command": "ls", "args": ["a"] * 1000}, "args are too long"),
        ({"command": "ls", "args": ["a" * 100_000]}, "args are too long"),
        ({"command": "ls", "cwd": 5}, "cwd has to be a string"),
        ({"command": "ls", "cwd": "sub\0"}, "cwd holds a NUL character"),
        ({"command": "ls", "context": None}, "context has to be an object"),
    ],
)
async def test_what_cannot_be_run_is_refused_by_name(params: dict[str, Any], reason: str) -> None:
    bench = Bench()

    with pytest.raises(BadFieldError, match=reason):
        await bench.run(**params)

    assert bench.executor.ran == []


async def test_why_a_program_was_stopped_is_told_and_kept_in_the_log() -> None:
    bench = Bench()
    bench.executor.executed = ExecutionError("it took longer than 120 seconds and was stopped")

    with pytest.raises(RpcError, match="it took longer than 120 seconds"):
        await bench.run(command="sleep", args=["1000"])

    assert bench.audit.notes[-1] == (
        AuditKind.EXEC,
        "todo",
        "sleep: it took longer than 120 seconds and was stopped",
    )


async def test_a_long_command_is_cut_in_the_log() -> None:
    bench = Bench()

    await bench.run(command="echo", args=["x" * 5000])

    assert len(bench.audit.notes[0][2]) < 520
