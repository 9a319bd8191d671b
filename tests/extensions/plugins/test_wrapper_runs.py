"""Programs that are run to their end, all of them real."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from extensions.plugins.wrapper_output import Ran, shown
from extensions.plugins.wrapper_runs import run_program
from extensions.process.limits import ProcessLimits
from extensions.rpc.errors import PeerStartError
from tests.fakes.waiting import until

ENVIRONMENT = {"PATH": "/usr/bin:/bin"}


async def run(script: str, *arguments: str, cwd: Path, most_printed_bytes: int = 10**6) -> Ran:
    async with asyncio.timeout(20):
        return await run_program(
            ("/bin/bash", "-c", script, "bash", *arguments),
            cwd=cwd,
            env=ENVIRONMENT,
            limits=ProcessLimits(),
            most_printed_bytes=most_printed_bytes,
        )


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def is_alive(pid_file: Path) -> bool:
    pid = int(pid_file.read_text())
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    return False


async def test_a_program_is_given_nothing_to_read_and_its_arguments_as_they_are(
    tmp_path: Path,
) -> None:
    ran = await run('cat; pwd; echo "$1"; echo bad >&2; exit 3', "a  $(id)", cwd=tmp_path)
    assert shown(ran) == (
        f"{tmp_path}\na  $(id)\n[it exited with code 3]\nThe end of what it said on stderr:\nbad"
    )


async def test_what_it_leaves_behind_is_not_waited_for_and_is_killed(tmp_path: Path) -> None:
    script = (
        "sleep 1000 & echo $! > grouped; setsid sleep 1000 & echo $! > apart; echo started; exit 0"
    )
    ran = await run(script, cwd=tmp_path)
    assert (ran.exit_code, ran.stdout.text) == (0, "started")
    # They are killed by now, but the kernel may still be about it.
    await until(lambda: not is_alive(tmp_path / "grouped"))
    await until(lambda: not is_alive(tmp_path / "apart"))


async def test_one_that_nobody_waits_for_any_more_is_killed(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(run("echo $$ > new; mv new pid; sleep 1000", cwd=tmp_path))
        await until(pid_file.exists)
        running.cancel()
    await until(lambda: not is_alive(pid_file))


async def test_one_that_prints_without_end_is_stopped(tmp_path: Path) -> None:
    ran = await run("yes", cwd=tmp_path, most_printed_bytes=200_000)
    assert ran.has_printed_too_much
    assert ran.stdout.text.count("\n") == 2000
    assert shown(ran).endswith("[it was stopped, as it printed too much]")


async def test_all_that_it_printed_is_there_when_it_has_ended(tmp_path: Path) -> None:
    ran = await run("head -c 900000 /dev/zero", cwd=tmp_path)
    assert (ran.exit_code, ran.stdout.total_bytes) == (0, 900_000)


async def test_one_that_cannot_be_started_is_named(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/no/such/interpreter\n")
    program.chmod(0o755)
    with pytest.raises(PeerStartError, match="shebang interpreter"):
        await run_program((str(program),), cwd=tmp_path, env=ENVIRONMENT, limits=ProcessLimits())


async def test_no_descriptor_is_left_over(tmp_path: Path) -> None:
    await run("true", cwd=tmp_path)
    before = descriptors()
    for _ in range(5):
        await run("true", cwd=tmp_path)
    assert descriptors() == before
