"""The real `claude` in the real jail; only the model is scripted."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from extensions.callers import Caller, CallerKind
from extensions.jobs.job import Job, JobStatus
from extensions.jobs.progress import ToolUse
from extensions.server.ledger import AnswerLedger
from simulator.messages_api import Answer, Cut, Hang, ModelRequest, Say, Use, scripted
from tests.fakes.job_house import JobHouse, request
from tests.fakes.job_machine import API_KEY, running_job_machine
from tests.fakes.waiting import until

PROGRAM = "print(' '.join(str(n) for n in [1, 1, 2, 3, 5, 8]))\n"


@pytest.fixture
def house(tmp_path: Path) -> JobHouse:
    house = JobHouse(tmp_path)
    house.clock.advance(1_700_000_000)
    return house


def writes_and_runs(asked: ModelRequest) -> Answer:
    """Write a program, report, run the program, and say what it printed."""
    results = asked.tool_results
    match len(results):
        case 0:
            return Use("Write", {"file_path": "fibonacci.py", "content": PROGRAM})
        case 1:
            report = {"message": "it is written", "fraction": 0.5}
            return Use("mcp__papercup__report_progress", report)
        case 2:
            return Use("Bash", {"command": "python3 fibonacci.py"})
        case _:
            return Say(f"It printed: {results[-1].text.strip()}")


def processes_of(folder: Path) -> Iterator[psutil.Process]:
    """Yield what runs for the jobs of this test."""
    for process in psutil.process_iter():
        try:
            if str(folder) in " ".join(process.cmdline()) + process.cwd():
                yield process
        except psutil.Error:
            continue


def find_in_files(folder: Path, secret: str) -> list[Path]:
    return [
        path
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink() and secret.encode() in path.read_bytes()
    ]


async def test_a_job_writes_a_program_runs_it_and_says_what_it_printed(house: JobHouse) -> None:
    async with running_job_machine(house, writes_and_runs) as machine:
        spawned = await machine.jobs.spawn(request("Write a script that prints Fibonacci numbers"))
        running = await house.watcher.sees(lambda job, _: job.pid is not None)
        assert running.pid is not None
        name = Path(psutil.Process(running.pid).exe()).name
        settled = await house.watcher.settled(spawned.id)
        last = [progress for _, progress in house.watcher.changes if progress.message][-1]

    assert settled.outcome is not None
    assert settled.outcome.error is None
    assert settled.status is JobStatus.COMPLETED
    assert settled.outcome.summary == "It printed: 1 1 2 3 5 8"
    assert settled.outcome.refused_actions == settled.outcome.failed_servers == ()
    assert settled.outcome.turns == 4
    assert settled.outcome.cost_usd is not None
    assert (last.message, last.fraction, last.last_tool) == ("it is written", 0.5, "Bash")
    assert last.tools == (ToolUse("Write", "fibonacci.py"), ToolUse("Bash", "python3"))
    assert (last.files_written, last.newest_file) == (1, "fibonacci.py")
    assert last.cost_usd == settled.outcome.cost_usd
    assert last.usage.input_tokens > 0
    assert last.usage.output_tokens > 4
    assert settled.jail == "bubblewrap"
    assert (Path(settled.folder) / "fibonacci.py").read_text() == PROGRAM
    assert name == "claude"
    assert find_in_files(house.folder, API_KEY) == []


@pytest.mark.parametrize("is_clean", [True, False])
async def test_an_answer_that_breaks_off_fails_the_job(house: JobHouse, *, is_clean: bool) -> None:
    cut = Cut("I have done all of it, and it works very well", after_words=4, is_clean=is_clean)
    async with running_job_machine(house, lambda _: cut) as machine:
        spawned = await machine.jobs.spawn(request())
        settled = await house.watcher.settled(spawned.id)

    assert error_of(settled) is not None
    assert settled.outcome is not None
    assert settled.outcome.summary is None


class LedgerOfCutAnswers(AnswerLedger):
    """Has seen each answer break off."""

    def last_answer_was_cut(self, caller: Caller) -> bool:
        return caller.kind is CallerKind.JOB


async def test_a_result_does_not_count_if_the_gateway_saw_the_answer_break_off(
    house: JobHouse,
) -> None:
    script = scripted(Say("I have done all"))
    async with running_job_machine(house, script, ledger=LedgerOfCutAnswers()) as machine:
        spawned = await machine.jobs.spawn(request())
        settled = await house.watcher.settled(spawned.id)

    error = error_of(settled)
    assert error is not None
    assert "cut off" in error


async def test_a_cancelled_job_leaves_no_process_behind(house: JobHouse) -> None:
    daemon = "(setsid sleep 300 &) ; trap '' TERM; sleep 300"
    script = scripted(Use("Bash", {"command": daemon}), Hang(300))
    async with running_job_machine(house, script) as machine:
        spawned = await machine.jobs.spawn(request())
        await house.watcher.sees(lambda _, progress: progress.last_tool == "Bash")
        await until(lambda: len(list(processes_of(house.folder))) > 3)
        await machine.jobs.cancel(spawned.id)
        settled = await house.watcher.settled(spawned.id)

        assert settled.status is JobStatus.CANCELLED
        assert list(processes_of(house.folder)) == []


async def test_without_a_jail_there_is_no_bash_and_files_stay_in_the_folder(
    house: JobHouse,
) -> None:
    outside = house.folder / "outside.txt"
    script = scripted(
        Use("Bash", {"command": f"echo no > {outside}"}),
        Use("Write", {"file_path": str(outside), "content": "no"}),
        Use("Write", {"file_path": "inside.txt", "content": "yes"}),
        Say("I did what I could."),
    )
    async with running_job_machine(house, script, is_jailed=False) as machine:
        spawned = await machine.jobs.spawn(request())
        settled = await house.watcher.settled(spawned.id)
        offered = machine.api.model_requests[-1].tools

    assert settled.status is JobStatus.COMPLETED
    assert settled.jail == "none"
    assert "Bash" not in offered
    assert "Write" in offered
    assert not outside.exists()
    assert (Path(settled.folder) / "inside.txt").read_text() == "yes"


async def test_a_job_goes_on_while_the_bot_is_away_and_is_found_again(house: JobHouse) -> None:
    arrived, go_on = asyncio.Event(), asyncio.Event()

    async def script(asked: ModelRequest) -> Answer:
        if not asked.tool_results:
            return Use("Bash", {"command": "sleep 1; echo 42 > answer.txt; cat answer.txt"})
        arrived.set()
        await go_on.wait()
        return Say(f"The answer is {asked.last_tool_result}")

    async with running_job_machine(house, script) as machine:
        spawned = await machine.jobs.spawn(request())
        await house.watcher.sees(lambda _, progress: progress.last_tool == "Bash")
        assert house.watcher.statuses(spawned.id) == [JobStatus.RUNNING]
    answer = Path(spawned.folder) / "answer.txt"
    await until(answer.exists)

    go_on.set()
    async with running_job_machine(house, script):
        settled = await house.watcher.settled(spawned.id)

    assert settled.outcome is not None
    assert (settled.status, settled.outcome.summary) == (JobStatus.COMPLETED, "The answer is 42")


async def test_a_job_that_takes_too_long_is_ended(house: JobHouse) -> None:
    async with running_job_machine(house, scripted(Hang(300)), run_seconds=2) as machine:
        spawned = await machine.jobs.spawn(request())
        settled = await house.watcher.settled(spawned.id)

    assert error_of(settled) == "It took longer than a job may, and was stopped."


async def test_a_job_whose_runner_was_killed_is_interrupted(house: JobHouse) -> None:
    async with running_job_machine(house, scripted(Hang(300))) as machine:
        spawned = await machine.jobs.spawn(request())
        await machine.api.asked(1)
        (runner,) = [p for p in processes_of(house.folder) if "runner" in " ".join(p.cmdline())]
        runner.kill()
        settled = await house.watcher.settled(spawned.id)

        assert settled.status is JobStatus.INTERRUPTED
        await until(lambda: not list(processes_of(house.folder)))


async def test_a_run_that_cannot_be_started_fails_with_a_sentence(house: JobHouse) -> None:
    (house.folder / "run" / "00000001").mkdir(parents=True)
    (house.folder / "run" / "00000001" / "home").write_text("a file where a folder should be")
    async with running_job_machine(house, scripted()) as machine:
        spawned = await machine.jobs.spawn(request())
        settled = await house.watcher.settled(spawned.id)

    assert error_of(settled) == "It could not be started; Papercup's log says why."


def error_of(job: Job) -> str | None:
    assert job.status is JobStatus.FAILED
    assert job.outcome is not None
    return job.outcome.error
