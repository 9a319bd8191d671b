"""How a runner holds the processes of its run together to their limits."""

import asyncio
import json
import os
from pathlib import Path

import pytest

from extensions.process.detached import (
    Exited,
    RunnerSecrets,
    RunnerSpec,
    Running,
    runner_state,
    start_runner,
    tell_runner,
    watch_exit,
)
from tests.fakes.waiting import until

NO_SECRETS = RunnerSecrets(environment={"PATH": "/usr/bin:/bin"})
EATER = "import time; eaten = bytearray(300 << 20); time.sleep(60)"
PIDS = Path("/sys/fs/cgroup/pids")
UNIFIED = Path("/sys/fs/cgroup/unified")


def owns(hierarchy: Path) -> bool:
    """Say whether this process is in the topmost group of a hierarchy and may divide it."""
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    name = "" if hierarchy == UNIFIED else hierarchy.name
    return f"{name}:/" in {line.split(":", 1)[1] for line in lines} and os.access(
        hierarchy, os.W_OK
    )


needs_groups = pytest.mark.skipif(
    not (owns(PIDS) and owns(UNIFIED)), reason="no control group is ours to divide"
)


async def end_of(
    folder: Path,
    script: str,
    *,
    memory_bytes: int | None = None,
    processes: int | None = None,
    cgroups: tuple[Path, ...] = (),
) -> Exited:
    spec = RunnerSpec(
        command=("/bin/bash", "-c", script),
        cwd=folder,
        memory_bytes=memory_bytes,
        processes=processes,
        cgroups=cgroups,
    )
    await start_runner(folder / "run", spec, NO_SECRETS)
    async with asyncio.timeout(20):
        end = await watch_exit(folder / "run")
    assert isinstance(end, Exited)
    return end


def is_gone(pid: int) -> bool:
    path = Path(f"/proc/{pid}/stat")
    return not path.exists() or path.read_text().rpartition(")")[2].split()[0] in "ZX"


async def test_a_run_that_takes_too_much_memory_is_ended(tmp_path: Path) -> None:
    # The eater is no child of the program, and leads a session of its own.
    script = f"(setsid python3 -c '{EATER}' & echo $!) | cat; sleep 60"

    end = await end_of(tmp_path, script, memory_bytes=200 << 20)

    assert (end.reason, end.code) == ("memory", -9)
    assert is_gone(int((tmp_path / "run" / "out.jsonl").read_text()))


async def test_the_memory_of_all_processes_counts_together(tmp_path: Path) -> None:
    each = EATER.replace("300", "80")
    script = f"for n in 1 2 3; do python3 -c '{each}' & done; wait"

    end = await end_of(tmp_path, script, memory_bytes=200 << 20)

    assert end.reason == "memory"


async def test_a_run_of_too_many_processes_is_ended(tmp_path: Path) -> None:
    script = "for n in $(seq 300); do sleep 60 & done; wait"

    end = await end_of(tmp_path, script, processes=50)

    assert (end.reason, end.code) == ("processes", -9)


async def test_a_run_within_its_limits_is_left_alone(tmp_path: Path) -> None:
    script = "for n in 1 2 3; do sleep 0.6 & done; wait; echo done"

    end = await end_of(tmp_path, script, memory_bytes=200 << 20, processes=50)

    assert (end.reason, end.code) == ("exited", 0)


@needs_groups
async def test_in_a_control_group_too_many_processes_are_noticed(tmp_path: Path) -> None:
    script = "for n in $(seq 300); do setsid sleep 60 & done; wait"

    end = await end_of(tmp_path, script, processes=50, cgroups=(PIDS, UNIFIED))

    groups = json.loads((tmp_path / "run" / "runner.json").read_text())["cgroups"]
    assert end.reason == "processes"
    assert [Path(group).parent for group in groups] == [PIDS, UNIFIED]
    assert not any(os.path.exists(group) for group in groups)  # noqa: ASYNC240, PTH110 - no wait


@needs_groups
async def test_in_a_control_group_there_cannot_be_any_number_of_threads(tmp_path: Path) -> None:
    threads = (
        "import threading, time\n"
        "for n in range(100): threading.Thread(target=time.sleep, args=(60,)).start()"
    )

    end = await end_of(tmp_path, f"python3 -c '{threads}'", processes=4, cgroups=(PIDS, UNIFIED))

    assert end.reason == "processes"


@needs_groups
async def test_what_runs_is_in_the_control_group_and_its_runner_is_not(tmp_path: Path) -> None:
    spec = RunnerSpec(command=("/bin/cat",), cwd=tmp_path, cgroups=(PIDS,), processes=9)
    await start_runner(tmp_path / "run", spec, NO_SECRETS)
    record = json.loads((tmp_path / "run" / "runner.json").read_text())
    (group,) = record["cgroups"]
    state = runner_state(tmp_path / "run")
    assert isinstance(state, Running)

    await until(lambda: (Path(group) / "cgroup.procs").read_text() != "")
    inside = (Path(group) / "cgroup.procs").read_text().split()
    limit = (Path(group) / "pids.max").read_text()

    await tell_runner(tmp_path / "run", "cancel")
    async with asyncio.timeout(20):
        await watch_exit(tmp_path / "run")
    assert inside == [str(state.pid)]
    assert limit == "72\n"


async def test_a_control_group_that_cannot_be_made_does_not_hinder_the_run(tmp_path: Path) -> None:
    end = await end_of(
        tmp_path, "sleep 60 & sleep 60 & wait", processes=2, cgroups=(tmp_path / "none",)
    )

    assert end.reason == "processes"
    assert "no control group" in (tmp_path / "run" / "runner.log").read_text()
