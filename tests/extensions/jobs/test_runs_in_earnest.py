"""Runs that are stopped, lost, taken up again or kept within limits: real `claude` and jail."""

import asyncio
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from extensions.jobs.job import Job, JobStatus
from extensions.jobs.run import ResumeReason
from extensions.jobs.run_plan import GO_ON
from extensions.process.detached import Exited, runner_state
from simulator.messages_api import Answer, Hang, ModelRequest, Say, Use, scripted
from tests.fakes.job_house import JobHouse, request
from tests.fakes.job_machine import running_job_machine
from tests.fakes.waiting import until

EATER = "python3 -c 'eaten = bytearray(2 << 30); import time; time.sleep(60)'"
BOMB = "for n in $(seq 300); do setsid sleep 60 & done; wait"
DEAF_FAMILY = "(setsid sleep 300 &) ; trap '' TERM; sleep 300"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[JobHouse]:
    house = JobHouse(tmp_path)
    house.clock.advance(time.time())
    yield house
    for process in processes_of(tmp_path):
        with suppress(psutil.Error):
            process.kill()


def processes_of(folder: Path) -> Iterator[psutil.Process]:
    """Yield what runs for the jobs of this test."""
    for process in psutil.process_iter():
        try:
            if str(folder) in " ".join(process.cmdline()) + process.cwd():
                yield process
        except psutil.Error:
            continue


def runner_of(folder: Path) -> psutil.Process:
    (runner,) = [p for p in processes_of(folder) if "runner" in " ".join(p.cmdline())]
    return runner


def error_of(job: Job) -> str | None:
    assert job.outcome is not None
    return job.outcome.error


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (EATER, "It used more memory than a job may, and was stopped."),
        (BOMB, "It started more processes than a job may, and was stopped."),
    ],
)
async def test_a_job_that_takes_too_much_is_stopped_and_the_rest_goes_on(
    house: JobHouse, command: str, sentence: str
) -> None:
    def script(asked: ModelRequest) -> Answer:
        if "greedy" not in asked.user_texts[0]:
            return Say("All is well.")
        return Use("Bash", {"command": command})

    async with running_job_machine(house, script, memory_bytes=600 << 20, processes=100) as machine:
        greedy = await machine.jobs.spawn(request("greedy"))
        settled = await house.watcher.settled(greedy.id)
        modest = await machine.jobs.spawn(request("modest"))
        other = await house.watcher.settled(modest.id)

        await until(lambda: not list(processes_of(house.folder)))
    assert (settled.status, error_of(settled)) == (JobStatus.FAILED, sentence)
    assert (other.status, error_of(other)) == (JobStatus.COMPLETED, None)


async def test_what_a_job_keeps_in_memory_as_files_is_limited_too(house: JobHouse) -> None:
    fill = "dd if=/dev/zero of={0}/big bs=1M count={1} 2> said.txt; rm {0}/big; cat said.txt"
    script = scripted(
        Use("Bash", {"command": fill.format("/tmp", 500)}),
        Use("Bash", {"command": fill.format("/dev/shm", 100)}),
        Use("Bash", {"command": "touch /dev/big; : > /dev/null && echo fine"}),
        Say("That was all."),
    )
    async with running_job_machine(house, script, memory_bytes=400 << 20) as machine:
        spawned = await machine.jobs.spawn(request())
        await house.watcher.settled(spawned.id)
        results = [result.text for result in machine.api.model_requests[-1].tool_results]

    assert "No space left on device" in results[0]
    assert "67108864 bytes" in results[1]
    assert "Read-only file system" in results[2]
    assert "fine" in results[2]


async def test_a_lost_run_is_followed_by_one_that_goes_on_with_its_session(
    house: JobHouse,
) -> None:
    def script(asked: ModelRequest) -> Answer:
        if not asked.tool_results:
            return Use("Bash", {"command": "echo 42 > half.txt"})
        if not asked.last_user_text.startswith(GO_ON):
            return Hang(300)
        return Say(f"I was asked to {asked.user_texts[0]}, and half of it is there.")

    async with running_job_machine(house, script) as machine:
        spawned = await machine.jobs.spawn(request("write answers"))
        await machine.api.asked(2)
        runner_of(house.folder).kill()
        lost = await house.watcher.settled(spawned.id)
        await machine.jobs.resume(spawned.id)
        done = await house.watcher.sees(lambda job, _: job.status is JobStatus.COMPLETED)
        sessions = {asked.session_id for asked in machine.api.model_requests}

    assert (lost.status, lost.can_be_resumed) == (JobStatus.INTERRUPTED, True)
    assert done.outcome is not None
    assert done.outcome.summary == "I was asked to write answers, and half of it is there."
    assert done.outcome.cost_is_partial
    assert (Path(done.folder) / "half.txt").read_text() == "42\n"
    assert len(sessions) == 1


async def test_a_run_that_was_lost_before_claude_wrote_anything_is_begun_anew(
    house: JobHouse,
) -> None:
    def script(asked: ModelRequest) -> Answer:
        said = asked.last_user_text
        if said.startswith(GO_ON) and said.endswith("write answers"):
            return Say("All of it is there.")
        return Hang(300)

    async with running_job_machine(house, script) as machine:
        spawned = await machine.jobs.spawn(request("write answers"))
        await machine.api.asked(1)
        runner_of(house.folder).kill()
        await house.watcher.settled(spawned.id)
        projects = house.folder / "run" / spawned.id / "home" / ".claude" / "projects"
        # It comes at about that time.
        shutil.rmtree(projects, ignore_errors=True)
        await machine.jobs.resume(spawned.id)
        done = await house.watcher.sees(lambda job, _: job.status is JobStatus.COMPLETED)

    assert done.run_number == 2


async def test_a_run_that_lost_the_bots_address_goes_on_at_the_new_one(
    house: JobHouse, caplog: pytest.LogCaptureFixture
) -> None:
    def script(asked: ModelRequest) -> Answer:
        return Say("Here I am again.") if asked.last_user_text.startswith(GO_ON) else Hang(300)

    async with running_job_machine(house, script, is_jailed=False) as machine:
        spawned = await machine.jobs.spawn(request())
        await machine.api.asked(1)
        ports = machine.ports
    async with running_job_machine(house, script, is_jailed=False) as machine:
        settled = await house.watcher.settled(spawned.id)
        assert set(machine.ports).isdisjoint(ports)

    assert (settled.status, settled.run_number) == (JobStatus.COMPLETED, 2)
    assert settled.resumed_because is ResumeReason.ADDRESS_LOST
    assert "cannot find Papercup's new address" in caplog.text


async def test_a_run_that_failed_because_the_bot_was_away_goes_on_when_it_is_back(
    house: JobHouse,
) -> None:
    def script(asked: ModelRequest) -> Answer:
        if asked.last_user_text.startswith(GO_ON):
            return Say("Here I am again.")
        return Use("Write", {"file_path": "a.txt", "content": "a"}) if asked.step == 0 else Hang(9)

    async with running_job_machine(house, script, is_jailed=False) as machine:
        spawned = await machine.jobs.spawn(request())
        await machine.api.asked(2)
        ports = machine.ports
    control = house.folder / "run" / spawned.id / "1"
    await until(lambda: isinstance(runner_state(control), Exited), timeout_seconds=20)
    async with running_job_machine(house, script, is_jailed=False, ports=ports):
        settled = await house.watcher.settled(spawned.id)

    assert (settled.status, settled.run_number) == (JobStatus.COMPLETED, 2)
    assert settled.resumed_because is ResumeReason.BOT_AWAY
    assert settled.outcome is not None
    # The first run ended by itself, so that the count of the second holds both.
    assert not settled.outcome.cost_is_partial
    assert settled.outcome.cost_usd is not None
    assert settled.outcome.cost_usd > 0


async def test_an_outage_in_a_stream_and_in_a_tool_changes_nothing(house: JobHouse) -> None:
    def script(asked: ModelRequest) -> Answer:
        if not asked.tool_results:
            return Use("Bash", {"command": "for n in 1 2 3; do sleep 1; echo $n; done"})
        return Say("one two three four five six", chunk_seconds=0.5)

    async with running_job_machine(house, script) as machine:
        spawned = await machine.jobs.spawn(request())
        await house.watcher.sees(lambda _, progress: progress.last_tool == "Bash")
    # Away while the tool ends.
    await until(lambda: '"tool_result"' in output_of(house, spawned.id))
    async with running_job_machine(house, script) as machine:
        await machine.api.asked(1)
    # Away in the middle of the stream.
    async with running_job_machine(house, script):
        settled = await house.watcher.settled(spawned.id)

    assert settled.outcome is not None
    assert (settled.status, settled.run_number) == (JobStatus.COMPLETED, 1)
    assert settled.outcome.summary == "one two three four five six"


def output_of(house: JobHouse, job_id: str) -> str:
    return (house.folder / "run" / job_id / "1" / "out.jsonl").read_text()


@pytest.mark.parametrize("is_jailed", [True, False])
async def test_a_cancelled_job_is_gone_within_its_grace_and_a_second(
    house: JobHouse, *, is_jailed: bool
) -> None:
    if not is_jailed:
        # Without a jail claude has no Bash: a stand-in for it starts the family itself.
        stand_in = house.folder / "stand-in"
        stand_in.write_text(f"#!/bin/bash\n{DEAF_FAMILY}\n")
        stand_in.chmod(0o700)
    settings: dict[str, Any] = {} if is_jailed else {"claude": house.folder / "stand-in"}
    script = scripted(Use("Bash", {"command": DEAF_FAMILY}), Hang(300))
    async with running_job_machine(house, script, is_jailed=is_jailed, **settings) as machine:
        spawned = await machine.jobs.spawn(request())
        await until(lambda: sum("sleep" in p.cmdline() for p in processes_of(house.folder)) == 2)
        asked_at = time.time()
        await machine.jobs.cancel(spawned.id)
        settled = await house.watcher.settled(spawned.id)

        assert settled.status is JobStatus.CANCELLED
        assert settled.finished_at is not None
        # Written by the runner, once all of them were gone.
        assert settled.finished_at - asked_at < 2.0
        # The runner itself may take another moment.
        await until(lambda: not list(processes_of(house.folder)))


async def test_without_a_jail_nothing_runs_where_one_is_required(house: JobHouse) -> None:
    async with running_job_machine(
        house, scripted(), is_jailed=False, is_jail_required=True
    ) as machine:
        spawned = await machine.jobs.spawn(request())
        settled = await house.watcher.settled(spawned.id)

        assert settled.status is JobStatus.FAILED
        assert not machine.api.model_requests


async def test_a_recorded_process_id_that_is_somebody_elses_now_is_never_signalled(
    house: JobHouse,
) -> None:
    async with running_job_machine(house, scripted(Hang(300))) as machine:
        spawned = await machine.jobs.spawn(request())
        await machine.api.asked(1)
        runner = runner_of(house.folder)
    runner.kill()
    await until(lambda: not list(processes_of(house.folder)))
    innocent = await asyncio.create_subprocess_exec("sleep", "60")
    record = house.folder / "run" / spawned.id / "1" / "runner.json"
    record.write_text(f'{{"runner_pid": {innocent.pid}, "pid": {innocent.pid}, "started_at": 1}}')

    async with running_job_machine(house, scripted()) as machine:
        with suppress(Exception):
            await machine.jobs.cancel(spawned.id)
        settled = await house.watcher.settled(spawned.id)

    assert settled.status is JobStatus.INTERRUPTED
    assert innocent.returncode is None
    innocent.kill()
    assert await innocent.wait() == -9
