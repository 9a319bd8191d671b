import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from extensions.jobs.job_logs import JobLogs
from extensions.jobs.progress import Progress
from tests.fakes.example_job import JOB

RECORDED = Path(__file__).parents[1] / "claude" / "recorded"


def says(text: str) -> bytes:
    block = {"type": "text", "text": text}
    return json.dumps({"type": "assistant", "message": {"id": "m", "content": [block]}}).encode()


def put(folder: Path, run_number: int, lines: Iterable[bytes]) -> None:
    control = folder / JOB.id / str(run_number)
    control.mkdir(parents=True)
    (control / "out.jsonl").write_bytes(b"\n".join([*lines, b""]))


async def test_all_runs_stand_in_the_log_in_their_order(tmp_path: Path) -> None:
    put(tmp_path, 2, [says("second")])
    put(tmp_path, 1, [says("first"), b'{"type": "assis'])
    log = await JobLogs(tmp_path).read(replace(JOB, run_number=3), most_bytes=10_000)

    assert log is not None
    order = [log.index(words) for words in ("Run 1", "first", "Run 2", "second")]
    assert order == sorted(order)


async def test_a_line_that_is_being_written_is_not_read(tmp_path: Path) -> None:
    put(tmp_path, 1, [says("first")])
    with (tmp_path / JOB.id / "1" / "out.jsonl").open("ab") as file:
        file.write(says("unfinished"))
    log = await JobLogs(tmp_path).read(JOB, most_bytes=10_000)

    assert log is not None
    assert log.endswith("first\n")


async def test_only_the_newest_part_of_a_huge_output_is_read(tmp_path: Path) -> None:
    put(tmp_path, 1, [says("in the first run")])
    put(tmp_path, 2, [says("at the beginning"), *[says("x" * 1_000_000)] * 70, says("at the end")])
    log = await JobLogs(tmp_path).read(replace(JOB, run_number=2), most_bytes=1_000_000)

    assert log is not None
    assert "The beginning is left out" in log
    assert "at the end" in log
    assert "in the first run" not in log
    assert "at the beginning" not in log
    assert "cannot be read" not in log


async def test_a_job_without_files_has_no_log_and_no_progress(tmp_path: Path) -> None:
    logs = JobLogs(tmp_path)

    assert await logs.read(JOB, most_bytes=10_000) is None
    assert await logs.progress_of(JOB) == Progress()


async def test_how_far_a_run_had_come_is_read_again(tmp_path: Path) -> None:
    put(tmp_path, 1, (RECORDED / "tools.jsonl").read_bytes().splitlines())
    progress = await JobLogs(tmp_path).progress_of(JOB)

    assert (progress.turns, progress.last_tool) == (3, "Glob")
    assert progress.usage.total_tokens == 232
