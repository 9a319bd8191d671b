import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from extensions.errors import RunnerStartError
from extensions.process.child import running_child
from extensions.process.detached import (
    Exited,
    Lost,
    NeverStarted,
    RunnerSecrets,
    RunnerSpec,
    Running,
    runner_state,
    start_runner,
    tell_runner,
    watch_exit,
)
from extensions.process.limits import ProcessLimits

NO_SECRETS = RunnerSecrets(environment={"PATH": "/usr/bin:/bin"})
LOUD = "0123456789" * 100 + "\n"


def shell(script: str, cwd: Path, **fields: object) -> RunnerSpec:
    spec = RunnerSpec(command=("/bin/sh", "-c", script), cwd=cwd)
    return RunnerSpec(**{name: getattr(spec, name) for name in spec.__slots__} | fields)


async def ended(folder: Path) -> Exited | Lost:
    async with asyncio.timeout(20):
        return await watch_exit(folder)


async def becomes_true(condition: Callable[[], bool]) -> None:
    """Wait for what another process does."""
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - no event comes from another process
            await asyncio.sleep(0.01)


async def text_comes(path: Path, text: str) -> None:
    await becomes_true(lambda: path.exists() and text in path.read_text())


def is_gone(pid: int) -> bool:
    path = Path(f"/proc/{pid}/stat")
    return not path.exists() or path.read_text().rpartition(")")[2].split()[0] in "ZX"


def read(folder: Path, name: str) -> str:
    return (folder / name).read_text()


async def test_a_run_leaves_its_output_and_its_exact_end(tmp_path: Path) -> None:
    folder = tmp_path / "run"

    await start_runner(folder, shell("echo out; echo err >&2; exit 7", tmp_path), NO_SECRETS)
    end = await ended(folder)

    assert isinstance(end, Exited)
    assert (end.code, end.reason, end.was_slow_to_exit) == (7, "exited", False)
    assert end.finished_at >= end.started_at
    assert end.max_rss_kb > 0
    assert (read(folder, "out.jsonl"), read(folder, "err.log")) == ("out\n", "err\n")
    assert read(folder, "runner.log") == ""


async def test_a_run_goes_on_when_the_bot_is_killed(tmp_path: Path) -> None:
    code = f"""
import asyncio, pathlib, sys
sys.path.insert(0, {str(Path.cwd())!r})
from extensions.process.detached import *
async def main():
    root = pathlib.Path({str(tmp_path)!r})
    for number in range(6):
        script = f"until [ -e go{{number % 2}} ]; do sleep 0.02; done; echo line; exit {{number}}"
        spec = RunnerSpec(command=("/bin/sh", "-c", script), cwd=root)
        await start_runner(root / str(number), spec, RunnerSecrets(environment={{}}))
    print("up", flush=True)
    await asyncio.sleep(60)
asyncio.run(main())
"""
    async with running_child([sys.executable, "-c", code], cwd=tmp_path, env={}) as bot:
        assert bot.stdout is not None
        assert await bot.stdout.readline() == b"up\n"
        bot.kill()
    folders = [tmp_path / str(number) for number in range(6)]
    (tmp_path / "go0").touch()
    early = [await ended(folder) for folder in folders[::2]]

    assert [end.code for end in early if isinstance(end, Exited)] == [0, 2, 4]
    assert all(isinstance(runner_state(folder), Running) for folder in folders[1::2])
    (tmp_path / "go1").touch()
    late = [await ended(folder) for folder in folders[1::2]]
    assert [end.code for end in late if isinstance(end, Exited)] == [1, 3, 5]
    assert [read(folder, "out.jsonl") for folder in folders] == ["line\n"] * 6


async def test_a_runner_that_is_killed_takes_its_program_along_and_the_run_is_lost(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "run"
    await start_runner(folder, shell("exec sleep 60", tmp_path), NO_SECRETS)
    state = runner_state(folder)
    assert isinstance(state, Running)
    pid = state.pid
    assert pid is not None

    os.kill(json.loads(read(folder, "runner.json"))["runner_pid"], signal.SIGKILL)

    assert await ended(folder) == Lost()
    await becomes_true(lambda: is_gone(pid))


async def test_a_torn_end_is_no_end(tmp_path: Path) -> None:
    assert runner_state(tmp_path) == NeverStarted()

    (tmp_path / "lock").touch()
    (tmp_path / "exit.json.tmp").write_text('{"code": 0')

    assert runner_state(tmp_path) == Lost()


async def test_a_cancelled_run_leaves_no_process_even_if_all_are_deaf_and_daemons(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "run"
    script = """
    trap '' TERM
    setsid sh -c 'echo $$ >> pids; exec sleep 60' &
    (setsid sh -c 'sleep 60 & echo $! >> pids; echo $$ >> pids; wait' &)
    while [ "$(wc -l < pids)" != 3 ]; do sleep 0.01; done
    echo up
    while :; do sleep 0.05; done
    """
    (tmp_path / "pids").touch()
    await start_runner(folder, shell(script, tmp_path, grace_seconds=0.1), NO_SECRETS)
    await text_comes(folder / "out.jsonl", "up")

    assert await tell_runner(folder, "cancel")
    end = await ended(folder)

    assert isinstance(end, Exited)
    assert (end.reason, end.code) == ("cancelled", -signal.SIGKILL)
    assert all(is_gone(int(pid)) for pid in read(tmp_path, "pids").split())


async def test_a_cancelled_run_may_put_its_things_in_order(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    script = "trap 'echo bye; exit 143' TERM; echo up; while :; do sleep 0.01; done"
    await start_runner(folder, shell(script, tmp_path), NO_SECRETS)
    await text_comes(folder / "out.jsonl", "up")

    await tell_runner(folder, "cancel")
    end = await ended(folder)

    assert isinstance(end, Exited)
    assert (end.reason, end.code) == ("cancelled", 143)
    assert read(folder, "out.jsonl") == "up\nbye\n"


async def test_a_run_has_one_runner(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    await start_runner(folder, shell("read line; exit 3", tmp_path), NO_SECRETS)

    with pytest.raises(RunnerStartError, match="started before"):
        await start_runner(folder, shell("exit 4", tmp_path), NO_SECRETS)
    await tell_runner(folder, "close")

    end = await ended(folder)
    assert isinstance(end, Exited)
    assert end.code == 3


async def test_a_runner_refuses_a_folder_that_another_one_holds(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    await start_runner(folder, shell("read line", tmp_path), NO_SECRETS)
    runner = Path("extensions/programs/runner/__main__.py").absolute()  # noqa: ASYNC240

    async with running_child(
        [sys.executable, "-ISE", str(runner), str(folder)], cwd=tmp_path, env={}
    ) as second:
        _, errors = await second.communicate(b'{"environment": {}, "descriptors": {}}')

    assert (second.returncode, errors) == (1, b"another runner has this run\n")
    assert await tell_runner(folder, "cancel")
    await ended(folder)


async def test_the_time_limit_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "run"

    await start_runner(folder, shell("exec sleep 60", tmp_path, timeout_seconds=0.1), NO_SECRETS)
    end = await ended(folder)

    assert isinstance(end, Exited)
    assert (end.reason, end.code) == ("timeout", -signal.SIGTERM)


async def test_much_output_that_nobody_reads_is_kept_whole(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    script = "yes 01234567890123456789012345678 | head -c 30000000"

    await start_runner(folder, shell(script, tmp_path), NO_SECRETS)
    end = await ended(folder)

    assert isinstance(end, Exited)
    assert (end.reason, end.code) == ("exited", 0)
    assert (folder / "out.jsonl").stat().st_size == 30_000_000


async def test_too_much_output_ends_the_run(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    spec = shell("head -c 2000 /dev/zero; exec sleep 60", tmp_path, output_limit_bytes=1000)

    await start_runner(folder, spec, NO_SECRETS)
    end = await ended(folder)

    assert isinstance(end, Exited)
    assert end.reason == "output"


async def test_stdin_is_closed_after_the_last_result_only(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    script = r"""
    read first; echo "got $first"
    printf '{"type":"result","queued_turn_count":1}\n'
    read second; echo "got $second"
    printf '{"type":"tool_result","result":"no"}\n{"type":"result","queued_turn_count":0}\n'
    read third || echo closed
    """
    await start_runner(folder, shell(script, tmp_path, first_line="one"), NO_SECRETS)
    await text_comes(folder / "out.jsonl", '"queued_turn_count":1')

    assert await tell_runner(folder, "send", "two")
    await ended(folder)

    lines = read(folder, "out.jsonl").splitlines()
    assert (lines[0], lines[2], lines[-1]) == ("got one", "got two", "closed")
    assert not await tell_runner(folder, "send", "three")


async def test_a_message_that_comes_after_the_last_result_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    script = r"""
    until [ -e go ]; do sleep 0.01; done
    kill -STOP $PPID; printf '{"type":"result"}\n'; read line || echo closed
    """
    await start_runner(folder, shell(script, tmp_path), NO_SECRETS)
    (tmp_path / "go").touch()
    await text_comes(folder / "out.jsonl", "result")

    # Asked while it sleeps: it has not seen the result yet.
    reader, writer = await asyncio.open_unix_connection(folder / "ctl.sock")
    writer.write(b'{"version": 1, "verb": "send", "line": "two"}\n')
    os.kill(json.loads(read(folder, "runner.json"))["runner_pid"], signal.SIGCONT)
    answer = json.loads(await reader.readline())
    writer.close()

    assert answer == {"version": 1, "ok": False, "error": "the program's stdin is closed"}
    await ended(folder)
    assert read(folder, "out.jsonl") == '{"type":"result"}\nclosed\n'


async def test_a_program_that_stays_after_its_last_result_is_ended(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    script = """printf '{"type":"result"}\\n'; exec sleep 60"""

    await start_runner(folder, shell(script, tmp_path, exit_seconds=0.1), NO_SECRETS)
    end = await ended(folder)

    assert isinstance(end, Exited)
    assert (end.reason, end.was_slow_to_exit) == ("exited", True)


async def test_a_message_larger_than_a_pipe_does_not_hold_up_the_runner(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    line = "x" * 300_000
    script = "until [ -e go ]; do sleep 0.01; done; read -r line; echo ${#line}"

    await start_runner(folder, shell(script, tmp_path, first_line=line), NO_SECRETS)
    (tmp_path / "go").touch()
    await ended(folder)

    assert read(folder, "out.jsonl") == "300000\n"


async def test_secrets_reach_the_program_and_no_file_or_argument(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    secrets = RunnerSecrets(
        environment={"TOKEN": "s3cr3t"}, descriptors={100: b"first", 123: b"x" * 100_000}
    )
    script = 'echo "$TOKEN" | tr 3 -; cat <&100; wc -c <&123; read line'
    spec = RunnerSpec(
        command=("/bin/bash", "-c", script),
        cwd=tmp_path,
    )

    await start_runner(folder, spec, secrets)
    await text_comes(folder / "out.jsonl", "100000")

    assert read(folder, "out.jsonl") == "s-cr-t\nfirst100000\n"
    runner = Path("/proc", str(json.loads(read(folder, "runner.json"))["runner_pid"]))
    seen = [path.read_bytes() for path in folder.iterdir() if path.is_file()]
    seen += [(runner / name).read_bytes() for name in ("environ", "cmdline")]
    assert not any(b"s3cr3t" in data for data in seen)
    await tell_runner(folder, "close")
    await ended(folder)


async def test_only_the_owner_can_read_the_control_folder(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    await start_runner(folder, shell("read line", tmp_path), NO_SECRETS)

    modes = {path.name: path.stat().st_mode & 0o777 for path in [folder, *folder.iterdir()]}

    assert modes.pop("run") == 0o700
    assert modes.pop("ctl.sock") & 0o077 == 0
    assert set(modes.values()) == {0o600}
    await tell_runner(folder, "close")
    await ended(folder)


async def test_a_program_that_cannot_be_started_says_why(tmp_path: Path) -> None:
    folder = tmp_path / "run"

    await start_runner(folder, RunnerSpec(command=("/no/such",), cwd=tmp_path), NO_SECRETS)
    end = await ended(folder)

    assert isinstance(end, Exited)
    assert end.code == 127
    assert read(folder, "err.log").startswith("cannot start /no/such: [Errno 2]")


async def test_the_limits_reach_the_program(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    limits = ProcessLimits(open_files=77)

    await start_runner(folder, shell("ulimit -n; ulimit -c", tmp_path, limits=limits), NO_SECRETS)
    await ended(folder)

    assert read(folder, "out.jsonl") == "77\n0\n"


async def test_the_pid_is_the_programs_behind_its_wrappers(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    script = "sh -c 'sh -c \"echo \\$\\$; read line; exit 5\"; exit $?'; exit $?"
    await start_runner(folder, shell(script, tmp_path, wrappers=2), NO_SECRETS)
    await text_comes(folder / "out.jsonl", "\n")
    await text_comes(folder / "runner.json", f'"pid": {read(folder, "out.jsonl").strip()},')

    await tell_runner(folder, "close")
    end = await ended(folder)

    assert isinstance(end, Exited)
    assert (end.pid, end.code) == (int(read(folder, "out.jsonl")), 5)


async def test_a_control_folder_may_have_a_long_path(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 30) / "run"
    await start_runner(folder, shell("read line; exit 3", tmp_path), NO_SECRETS)

    assert await tell_runner(folder, "close")

    end = await ended(folder)
    assert isinstance(end, Exited)
    assert end.code == 3


async def test_another_version_or_verb_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    await start_runner(folder, shell("read line; exit 3", tmp_path), NO_SECRETS)

    answers: list[object] = []
    for request in (b'{"version": 2, "verb": "cancel"}\n', b"cancel\n", b'{"version": 1}\n'):
        reader, writer = await asyncio.open_unix_connection(folder / "ctl.sock")
        writer.write(request)
        answers.append(json.loads(await reader.readline())["error"])
        writer.close()

    not_ours = "only version 1 is understood"
    assert answers == [not_ours, not_ours, "the verb is not understood"]
    assert isinstance(runner_state(folder), Running)
    await tell_runner(folder, "cancel")
    await ended(folder)


async def test_a_runner_is_small(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    await start_runner(folder, shell("read line", tmp_path), NO_SECRETS)
    runner_pid = json.loads(read(folder, "runner.json"))["runner_pid"]

    status = dict(
        line.split(":", 1) for line in read(Path("/proc", str(runner_pid)), "status").splitlines()
    )

    assert int(status["VmRSS"].split()[0]) < 15 * 1024
    await tell_runner(folder, "cancel")
    await ended(folder)
