"""Follows a run that ended while no bot was there, by the files that it has left."""

import json
from pathlib import Path

from extensions.claude.usage import Usage
from extensions.jobs.backend import RunProgressed
from extensions.jobs.progress import Progress, ToolUse
from extensions.jobs.run_following import follow_run

RECORDED = Path(__file__).parents[1] / "claude" / "recorded"
EXITED = {
    "code": 0,
    "reason": "exited",
    "pid": 12,
    "started_at": 1000.0,
    "finished_at": 1012.0,
    "max_rss_kb": 1,
    "cpu_seconds": 1.0,
    "was_slow_to_exit": False,
}
USED = Usage(input_tokens=200, output_tokens=20, cache_read_tokens=5, cache_write_tokens=7)


async def last_progress(folder: Path, used: Usage) -> Progress:
    (folder / "out.jsonl").write_bytes((RECORDED / "tools.jsonl").read_bytes())
    (folder / "exit.json").write_text(json.dumps(EXITED))
    events = [event async for event in follow_run(folder, lambda: False, used=lambda: used)]
    return [event.progress for event in events if isinstance(event, RunProgressed)][-1]


async def test_all_that_is_known_of_a_run_is_read_again_from_its_lines(tmp_path: Path) -> None:
    progress = await last_progress(tmp_path, Usage())

    assert progress == Progress(
        turns=3,
        last_tool="Glob",
        tools=(ToolUse("Read", "notes.txt"), ToolUse("Glob", "*")),
        usage=USED,
        cost_usd=progress.cost_usd,
    )
    assert progress.cost_usd


async def test_what_the_bot_has_seen_of_its_tokens_counts_if_it_is_more(tmp_path: Path) -> None:
    progress = await last_progress(tmp_path, Usage(input_tokens=9, output_tokens=500))

    assert (progress.usage.input_tokens, progress.usage.output_tokens) == (200, 500)
