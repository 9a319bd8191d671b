import asyncio
import json
import os
import signal
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from extensions.process.detached import (
    Exited,
    Lost,
    RunnerSecrets,
    RunnerSpec,
    Running,
    runner_state,
    start_runner,
    tell_runner,
    watch_exit,
)
from extensions.process.jail.bubblewrap import API_URL, MCP_URL, Host, Jail, JailPolicy, this_host
from extensions.process.jail.probe import find_bwraps
from extensions.process.sockets import bound_unix_socket

TOKEN = "tok3n"
HOST = Host(
    links={"/bin": "usr/bin"},
    folders=("/lib",),
    python=Path("/opt/python/bin/python3.11"),
    python_prefix=Path("/opt/python"),
    user_id=1000,
    group_id=100,
)


@pytest.fixture
def jail() -> Jail:
    # Without the filter, whose own tests show that it works.
    return Jail(bwrap=find_bwraps()[0], host=this_host(), seccomp=None)


@pytest.fixture
def policy(tmp_path: Path) -> JailPolicy:
    names = ("folder", "home", "sockets")
    for name in names:
        (tmp_path / name).mkdir()
    folder, home, sockets = (tmp_path / name for name in names)
    environment = {"TOKEN": TOKEN, "HOME": "/elsewhere"}
    return JailPolicy(
        folder=folder, home=home, sockets_folder=sockets, environment=environment, hold_seconds=20
    )


async def start(jail: Jail, policy: JailPolicy, script: str) -> Path:
    """Start a shell script in a jail; return its control folder."""
    jailed = jail.command(policy, ["/bin/bash", "-c", script])
    control = policy.folder.parent / "run"
    spec = RunnerSpec(
        command=jailed.command, cwd=policy.folder, wrappers=jailed.wrappers, timeout_seconds=30
    )
    await start_runner(control, spec, RunnerSecrets(descriptors=jailed.descriptors))
    return control


async def run(jail: Jail, policy: JailPolicy, script: str) -> str:
    """Run a shell script in a jail; return what it printed."""
    control = await start(jail, policy, script)
    await ended(control)
    return output(control)


async def ended(control: Path) -> Exited | Lost:
    async with asyncio.timeout(20):
        return await watch_exit(control)


def output(control: Path) -> str:
    return (control / "out.jsonl").read_text() + (control / "err.log").read_text()


async def becomes_true(condition: Callable[[], bool]) -> None:
    """Wait for what another process does."""
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - no event comes from another process
            await asyncio.sleep(0.01)


def pid_of(control: Path) -> int | None:
    state = runner_state(control)
    return state.pid if isinstance(state, Running) else None


def test_no_argument_tells_a_secret() -> None:
    jail = Jail(bwrap=Path("/usr/bin/bwrap"), host=HOST, seccomp=b"filter")
    policy = JailPolicy(
        folder=Path("/data/job"),
        home=Path("/data/home"),
        sockets_folder=Path("/data/sockets"),
        environment={"TOKEN": TOKEN},
    )

    jailed = jail.command(policy, ["/opt/claude", "-p"])

    assert jailed.command == (
        *("/usr/bin/bwrap", "--args", "100", "--"),
        *("/opt/python/bin/python3.11", "-I", "-S", "-E", "/opt/papercup/forwarder.py"),
        *("--hold", "600.0", "4001=/run/papercup/mcp.sock", "4002=/run/papercup/api.sock", "--"),
        *("/opt/claude", "-p"),
    )
    assert TOKEN not in repr(jailed)
    assert TOKEN not in repr(policy)
    assert jailed.descriptors[101] == b"filter"
    options = jailed.descriptors[100].decode().split("\0")
    assert options[options.index("TOKEN") - 1 :][:3] == ["--setenv", "TOKEN", TOKEN]
    assert options[options.index("--seccomp") + 1] == "101"


def test_a_python_of_the_system_is_there_with_the_system() -> None:
    host = Host(
        links={},
        folders=(),
        python=Path("/usr/bin/python3"),
        python_prefix=Path("/usr"),
        user_id=0,
        group_id=0,
    )
    folder = Path("/data")
    policy = JailPolicy(folder=folder, home=folder, sockets_folder=folder)

    jailed = Jail(bwrap=Path("/bwrap"), host=host, seccomp=None).command(policy, ["true"])

    options = jailed.descriptors[100].decode().split("\0")
    assert [options[i + 1] for i, option in enumerate(options) if option == "--ro-bind"] == [
        "/usr",
        options[options.index("/opt/papercup/forwarder.py") - 1],
        options[options.index("/opt/papercup/hook_relay.py") - 1],
        "/data",
    ]


async def test_a_job_works_in_its_folder_and_its_home_where_they_are_outside(
    jail: Jail, policy: JailPolicy
) -> None:
    script = "pwd; echo $HOME; echo one > file; echo two > ~/file; id -un; python3 -c 'print(1+1)'"

    printed = await run(jail, policy, script)

    assert printed == f"{policy.folder}\n{policy.home}\njob\n2\n"
    assert (policy.folder / "file").read_text() == "one\n"
    assert (policy.home / "file").read_text() == "two\n"


async def test_a_job_has_the_given_environment_and_no_more(jail: Jail, policy: JailPolicy) -> None:
    printed = await run(jail, policy, "exec env")

    names = {line.partition("=")[0] for line in printed.splitlines()}
    # The last ones are the shell's own.
    own = {"SHLVL", "_", "PWD"}
    assert names - own == {"TOKEN", "PATH", "HOME", "TMPDIR", "IS_SANDBOX"}


async def test_a_job_finds_no_open_file_of_its_jail(jail: Jail, policy: JailPolicy) -> None:
    printed = await run(jail, policy, "cd /proc/self/fd; echo *")

    assert set(printed.split()) <= {"0", "1", "2", "3", "255"}


async def test_the_secrets_stand_in_no_argument_and_not_in_bubblewraps_environment(
    jail: Jail, policy: JailPolicy
) -> None:
    control = await start(jail, policy, "echo up; read line")
    await becomes_true(lambda: pid_of(control) is not None and output(control) == "up\n")
    runner = json.loads((control / "runner.json").read_text())["runner_pid"]

    pids, seen = [runner], list[bytes]()
    while pids:
        process = Path("/proc", str(pids.pop()))
        pids += (process / "task" / process.name / "children").read_text().split()
        seen.append((process / "cmdline").read_bytes())
        if process.name != str(pid_of(control)) and b"forwarder.py\0--hold" not in seen[-1][:120]:
            seen.append((process / "environ").read_bytes())
    files = [path.read_bytes() for path in control.iterdir() if path.is_file()]

    assert len(seen) >= 6
    assert not [data for data in (*seen, *files) if TOKEN.encode() in data]
    await tell_runner(control, "close")
    await ended(control)


async def test_the_pid_is_the_jobs_as_it_is_seen_outside(jail: Jail, policy: JailPolicy) -> None:
    control = await start(jail, policy, "true the-job; read line; exit 5")
    await becomes_true(lambda: pid_of(control) is not None)

    command = Path("/proc", str(pid_of(control)), "cmdline")
    await becomes_true(lambda: command.read_bytes().startswith(b"/bin/bash\0-c\0true the-job"))

    await tell_runner(control, "close")
    end = await ended(control)
    assert isinstance(end, Exited)
    assert end.code == 5


async def test_a_cancelled_job_may_put_its_things_in_order(jail: Jail, policy: JailPolicy) -> None:
    script = "trap 'echo bye; exit 143' TERM; echo up; while :; do sleep 0.01; done"
    control = await start(jail, policy, script)
    await becomes_true(lambda: pid_of(control) is not None and output(control) == "up\n")

    await tell_runner(control, "cancel")
    end = await ended(control)

    assert isinstance(end, Exited)
    assert (end.reason, end.code) == ("cancelled", 143)
    assert output(control) == "up\nbye\n"


async def test_a_job_whose_runner_is_killed_is_gone_with_all_that_it_started(
    jail: Jail, policy: JailPolicy
) -> None:
    lock = policy.folder / "lock"
    # Whoever of them lives holds the lock.
    script = "exec 9> lock; flock 9; setsid sleep 60 & echo up; sleep 60"
    control = await start(jail, policy, script)
    await becomes_true(lambda: output(control) == "up\n")

    os.kill(json.loads((control / "runner.json").read_text())["runner_pid"], signal.SIGKILL)

    assert await ended(control) == Lost()
    released = await asyncio.create_subprocess_exec("flock", "--wait", "20", str(lock), "true")
    assert await released.wait() == 0


async def test_the_two_addresses_lead_to_the_two_sockets_whose_path_may_be_long(
    jail: Jail, policy: JailPolicy, tmp_path: Path
) -> None:
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    long = JailPolicy(folder=policy.folder, home=policy.home, sockets_folder=folder)
    ports = [url.split(":")[2].partition("/")[0] for url in (MCP_URL, API_URL)]
    script = "".join(
        f"exec 5<> /dev/tcp/127.0.0.1/{port}; echo {port} >&5; head -n 1 <&5;" for port in ports
    )

    control = await start(jail, long, script)
    for name in ("mcp.sock", "api.sock"):
        # Only now: the job waits for them.
        with closing(bound_unix_socket(folder / name)) as listener:
            listener.settimeout(20)
            connection, _ = await asyncio.to_thread(listener.accept)
            with connection:
                heard = await asyncio.to_thread(connection.recv, 100)
                connection.sendall(name.encode() + b" heard " + heard)
    await ended(control)

    assert output(control) == f"mcp.sock heard {ports[0]}\napi.sock heard {ports[1]}\n"
