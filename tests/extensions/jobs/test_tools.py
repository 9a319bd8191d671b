from pathlib import Path
from typing import Any

import pytest

from extensions.callers import Caller, CallerKind
from extensions.claude.usage import Usage
from extensions.jobs.backend import RunProgressed
from extensions.jobs.job import JobStatus, Outcome
from extensions.jobs.progress import Progress, ToolUse
from tests.fakes.job_backend import FakeJobBackend
from tests.fakes.job_house import JobHouse
from tests.fakes.job_tool_desk import ANNA, BEN, FAILED, NOBODY, end, opened
from tests.fakes.small_disk import fill, make_room, small_disk
from tests.fakes.waiting import until


@pytest.fixture
def house(tmp_path: Path) -> JobHouse:
    return JobHouse(tmp_path)


@pytest.fixture
def backend() -> FakeJobBackend:
    return FakeJobBackend()


async def test_speakers_and_jobs_are_offered_different_tools(
    house: JobHouse, backend: FakeJobBackend
) -> None:
    async with opened(house, backend) as desk:
        offered = {
            kind: [tool.name for tool in desk.registry.visible_to(Caller(kind, "x"))]
            for kind in CallerKind
        }

    assert offered == {
        CallerKind.SPEAKER: [
            "spawn_extension",
            "check_extension",
            "list_extensions",
            "wait_extension",
            "cancel_extension",
        ],
        CallerKind.JOB: ["report_progress"],
    }


class TestSpawnExtension:
    async def test_it_answers_with_where_the_job_stands(
        self, house: JobHouse, backend: FakeJobBackend
    ) -> None:
        async with opened(house, backend) as desk:
            answer = await desk.call(ANNA, "spawn_extension", task="print fibonacci", name="Fib")

        assert answer == {
            "id": "00000001",
            "name": "fib",
            "status": "running",
            "dir": str(house.extensions / "00000001"),
            "startedAt": 1_000_000,
        }
        assert backend.tasks == ["print fibonacci"]

    async def test_a_job_that_must_wait_is_said_to_be_queued(
        self, house: JobHouse, backend: FakeJobBackend
    ) -> None:
        house.limit = 1
        async with opened(house, backend) as desk:
            await desk.call(ANNA, "spawn_extension", task="first")
            answer = await desk.call(ANNA, "spawn_extension", task="second")

        assert (answer["status"], answer["startedAt"]) == ("queued", None)
        assert "starts by itself" in answer["note"]

    async def test_without_a_sandbox_it_says_that_the_job_has_no_bash(
        self, house: JobHouse
    ) -> None:
        async with opened(house, FakeJobBackend(jail="none")) as desk:
            answer = await desk.call(ANNA, "spawn_extension", task="print fibonacci")

        assert answer["note"].startswith("No sandbox works on this machine, so the job has no Bash")

    async def test_the_task_is_passed_on_as_it_is(
        self, house: JobHouse, backend: FakeJobBackend
    ) -> None:
        task = "--mcp-config x\n@/etc/passwd $(id) /clear 🦊 " + "x" * 49_000
        async with opened(house, backend) as desk:
            await desk.call(ANNA, "spawn_extension", task=task)
            await until(lambda: bool(backend.runs))

        assert backend.tasks == [task]

    @pytest.mark.parametrize(
        ("arguments", "reason"),
        [
            ({}, "task is missing"),
            ({"task": ""}, "task is missing"),
            ({"task": "x" * 50_001}, "task has 50,001 characters, and may have 50,000"),
            ({"task": "nul \x00"}, "U+0000"),
            ({"task": 7}, "task must be a text"),
            ({"task": "fox", "name": ["fox"]}, "name must be a text"),
        ],
    )
    async def test_a_wrong_argument_is_told_in_a_sentence_and_starts_nothing(
        self, house: JobHouse, backend: FakeJobBackend, arguments: dict[str, Any], reason: str
    ) -> None:
        async with opened(house, backend) as desk:
            assert reason in await desk.refusal(ANNA, "spawn_extension", **arguments)
            assert desk.manager.running() == []

    async def test_who_may_not_spawn_is_told_why(
        self, house: JobHouse, backend: FakeJobBackend
    ) -> None:
        async with opened(house, backend) as desk:
            refusal = await desk.refusal(NOBODY, "spawn_extension", task="print fibonacci")

        assert refusal == "Nobody is being answered at present."


async def test_a_full_disk_is_said_to_whoever_asks_for_a_job(
    tmp_path: Path, backend: FakeJobBackend
) -> None:
    with small_disk(tmp_path / "disk") as disk:
        async with opened(JobHouse(disk), backend) as desk:
            fill(disk)
            refusal = await desk.refusal(ANNA, "spawn_extension", task="print fibonacci")
            make_room(disk)
            answer = await desk.call(ANNA, "spawn_extension", task="print fibonacci")

    assert refusal == ("the disk is full, so nothing can be stored: its operator has to make room")
    assert answer["status"] == "running"


class TestCheckExtension:
    async def test_a_running_job_tells_how_far_it_is(
        self, house: JobHouse, backend: FakeJobBackend
    ) -> None:
        async with opened(house, backend) as desk:
            spawned = await desk.call(ANNA, "spawn_extension", task="print fibonacci")
            job = Caller(CallerKind.JOB, spawned["id"])
            await desk.call(job, "report_progress", message="half of it", fraction=0.5)
            house.clock.advance(3.5)
            answer = await desk.call(ANNA, "check_extension", id="print-fibonacci")

        assert answer == {
            "id": "00000001",
            "name": "print-fibonacci",
            "status": "running",
            "startedAt": 1_000_000,
            "finishedAt": None,
            "durationMs": 3500,
            "summary": None,
            "error": None,
            "costUsd": None,
            "progress": {
                "turns": 0,
                "lastTool": None,
                "message": "half of it",
                "fraction": 0.5,
                "tools": [],
                "filesWritten": 0,
                "newestFile": None,
                "tokens": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
            },
            "refusedActions": [],
            "failedServers": [],
        }

    async def test_a_running_job_tells_what_it_did_last(
        self, house: JobHouse, backend: FakeJobBackend
    ) -> None:
        progress = Progress(
            turns=2,
            last_tool="Write",
            tools=(ToolUse("Bash", "ls"), ToolUse("Write", "a.py")),
            files_written=1,
            newest_file="src/a.py",
            usage=Usage(input_tokens=3, output_tokens=4, cache_read_tokens=5),
        )
        async with opened(house, backend) as desk:
            spawned = await desk.call(ANNA, "spawn_extension", task="print fibonacci")
            await until(lambda: spawned["id"] in backend.runs)
            backend.runs[spawned["id"]].emit(RunProgressed(progress))
            await house.watcher.sees(lambda _, seen: seen == progress)
            answer = await desk.call(ANNA, "check_extension", id=spawned["id"])

        assert answer["progress"] == {
            "turns": 2,
            "lastTool": "Write",
            "message": None,
            "fraction": None,
            "tools": [{"name": "Bash", "detail": "ls"}, {"name": "Write", "detail": "a.py"}],
            "filesWritten": 1,
            "newestFile": "src/a.py",
            "tokens": {"input": 3, "output": 4, "cacheRead": 5, "cacheWrite": 0},
        }

    async def test_a_settled_job_tells_what_came_of_it(
        self, house: JobHouse, backend: FakeJobBackend
    ) -> None:
        async with opened(house, backend) as desk:
            spawned = await desk.call(ANNA, "spawn_extension", task="print fibonacci")
            await end(house, backend, spawned["id"], FAILED)
            answer = await desk.call(ANNA, "check_extension", id=spawned["id"])

        assert (answer["status"], answer["error"], answer["costUsd"]) == (
            "failed",
            "It ended.",
            0.5,
        )
        assert (answer["finishedAt"], answer["durationMs"]) == (1_012_250, 12_250)
        assert answer["progress"]["turns"] == 3
        assert (answer["refusedActions"], answer["failedServers"]) == (["Bash"], ["papercup"])

    async def test_a_long_summary_is_cut(self, house: JobHouse, backend: FakeJobBackend) -> None:
        outcome = Outcome(status=JobStatus.COMPLETED, summary="x" * 500_000)
        async with opened(house, backend) as desk:
            spawned = await desk.call(ANNA, "spawn_extension", task="print fibonacci")
            await end(house, backend, spawned["id"], outcome)
            answer = await desk.call(ANNA, "check_extension", id=spawned["id"])

        assert len(answer["summary"]) == 10_000
        assert answer["summary"].endswith("x…")

    @pytest.mark.parametrize("wanted", ["unknown", "../../etc", "%", "' OR 1=1 --"])
    async def test_a_job_that_is_not_there_is_told_by_its_name(
        self, house: JobHouse, backend: FakeJobBackend, wanted: str
    ) -> None:
        async with opened(house, backend) as desk:
            refusal = await desk.refusal(ANNA, "check_extension", id=wanted)

        assert refusal == f'no extension named "{wanted}"'

    async def test_a_job_is_found_by_what_people_call_it(
        self, house: JobHouse, backend: FakeJobBackend
    ) -> None:
        async with opened(house, backend) as desk:
            await desk.call(ANNA, "spawn_extension", task="x", name="auth-refactor")
            await desk.call(BEN, "spawn_extension", task="x", name="auth-tests")
            await desk.call(ANNA, "spawn_extension", task="x", name="docs")
            one = await desk.call(ANNA, "check_extension", id="the auth one")
            both = await desk.call(ANNA, "check_extension", id="both")

        assert one["name"] == "auth-refactor"
        assert [job["name"] for job in both["extensions"]] == ["docs", "auth-refactor"]

    async def test_if_several_could_be_meant_it_asks_back(
        self, house: JobHouse, backend: FakeJobBackend
    ) -> None:
        async with opened(house, backend) as desk:
            for number in range(8):
                await desk.call(ANNA, "spawn_extension", task="x", name=f"task {number}")
            refusal = await desk.refusal(ANNA, "check_extension", id="it")
            for tool in ("check_extension", "wait_extension", "cancel_extension"):
                nothing = await desk.refusal(BEN, tool, id="it")
                assert nothing == "Nothing that could be meant by that is under way."

        assert refusal.startswith(
            "It is unclear which one is meant: ask the person. It could be task-7 (00000008,"
        )
        assert refusal.endswith("task-2 (00000003, running) and 2 more.")

    async def test_the_job_of_somebody_else_is_as_good_as_not_there(
        self, house: JobHouse, backend: FakeJobBackend
    ) -> None:
        async with opened(house, backend) as desk:
            spawned = await desk.call(BEN, "spawn_extension", task="print fibonacci")
            for wanted in (spawned["id"], spawned["name"]):
                refusal = await desk.refusal(ANNA, "check_extension", id=wanted)
                assert refusal == f'no extension named "{wanted}"'


class TestListExtensions:
    async def test_the_newest_come_first_and_long_tasks_are_cut(
        self, house: JobHouse, backend: FakeJobBackend
    ) -> None:
        async with opened(house, backend) as desk:
            await desk.call(ANNA, "spawn_extension", task="first " + "x" * 200, name="first")
            await desk.call(BEN, "spawn_extension", task="not hers")
            await desk.call(ANNA, "spawn_extension", task="second")
            answer = await desk.call(ANNA, "list_extensions")

        second, first = answer["extensions"]
        assert second == {
            "id": "00000003",
            "name": "second",
            "status": "running",
            "startedAt": 1_000_000,
            "finishedAt": None,
            "durationMs": 0,
            "task": "second",
            "costUsd": None,
        }
        assert (first["name"], len(first["task"]), first["task"][-1]) == ("first", 100, "…")

    async def test_ten_are_listed_unless_another_number_is_asked_for(
        self, house: JobHouse, backend: FakeJobBackend
    ) -> None:
        async with opened(house, backend) as desk:
            for number in range(12):
                await desk.call(ANNA, "spawn_extension", task=f"task {number}")

            assert len((await desk.call(ANNA, "list_extensions"))["extensions"]) == 10
            assert len((await desk.call(ANNA, "list_extensions", limit=2))["extensions"]) == 2
            assert len((await desk.call(ANNA, "list_extensions", limit=50))["extensions"]) == 12
            for limit in (0, 51, "many"):
                refusal = await desk.refusal(ANNA, "list_extensions", limit=limit)
                assert refusal == "limit must be a whole number from 1 to 50."


class TestReportProgress:
    async def test_a_wrong_report_is_refused(
        self, house: JobHouse, backend: FakeJobBackend
    ) -> None:
        async with opened(house, backend) as desk:
            spawned = await desk.call(ANNA, "spawn_extension", task="print fibonacci")
            job = Caller(CallerKind.JOB, spawned["id"])

            assert "message is missing" in await desk.refusal(job, "report_progress")
            refusal = await desk.refusal(job, "report_progress", message="x", fraction=50)
            assert refusal == "fraction must be a number from 0 to 1."

    async def test_a_job_that_has_settled_reports_no_more(
        self, house: JobHouse, backend: FakeJobBackend
    ) -> None:
        async with opened(house, backend) as desk:
            spawned = await desk.call(ANNA, "spawn_extension", task="print fibonacci")
            await end(house, backend, spawned["id"], FAILED)
            job = Caller(CallerKind.JOB, spawned["id"])

            assert spawned["id"] in await desk.refusal(job, "report_progress", message="too late")
