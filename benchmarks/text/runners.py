"""What can be seen of the runners of jobs from outside: their processes, and who reads them."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

_POLL_SECONDS = 0.005
_KB_PER_MB = 1024


def runner_pids(runs: Path) -> list[int]:
    """Return the processes of the runners, in a folder with the files of all runs."""
    return [
        int(json.loads(record.read_bytes())["runner_pid"])
        for record in runs.glob("*/*/runner.json")
        if not (record.parent / "exit.json").exists()
    ]


def pss_mb(pid: int) -> float:
    """Return the memory of a process, each page divided among those that share it."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    line = next(line for line in text.splitlines() if line.startswith("Pss:"))
    return int(line.split()[1]) / _KB_PER_MB


async def all_followed(runs: Path, *, pid: int, count: int) -> None:
    """Wait until process `pid` has read to its end what so many jobs have printed."""
    while await asyncio.to_thread(_count_of_read, runs, pid) < count:  # noqa: ASYNC110 - see below
        # No event comes from another process.
        await asyncio.sleep(_POLL_SECONDS)


def _count_of_read(runs: Path, pid: int) -> int:
    return len({path for path, is_read in _outputs(runs, pid) if is_read})


def _outputs(runs: Path, pid: int) -> Iterator[tuple[str, bool]]:
    """Yield the outputs in that folder that a process has open, and whether it has read all."""
    for descriptor in Path(f"/proc/{pid}/fd").glob("*"):
        try:
            path = descriptor.readlink()
            if path.is_relative_to(runs) and path.name == "out.jsonl":
                about = Path(f"/proc/{pid}/fdinfo/{descriptor.name}").read_text(encoding="ascii")
                position = int(about.split()[1])
                yield str(path), 0 < path.stat().st_size <= position
        except FileNotFoundError:  # closed meanwhile
            continue
