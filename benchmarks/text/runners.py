"""What can be seen of the runners of jobs from outside: their processes, and who reads them."""

import asyncio
import json
import os
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
    while len(_read_to_the_end(runs, pid)) < count:
        await asyncio.sleep(_POLL_SECONDS)


def _read_to_the_end(runs: Path, pid: int) -> set[str]:
    """Return the outputs in that folder that a process has open, and has read to their end."""
    found: set[str] = set()
    for descriptor in os.listdir(f"/proc/{pid}/fd"):  # noqa: PTH208 - many, and often
        try:
            path = os.readlink(f"/proc/{pid}/fd/{descriptor}")  # noqa: PTH115 - many, and often
            if path.startswith(str(runs)) and path.endswith("/out.jsonl"):
                position = Path(f"/proc/{pid}/fdinfo/{descriptor}").read_text(encoding="ascii")
                if 0 < os.stat(path).st_size <= int(position.split()[1]):  # noqa: PTH116
                    found.add(path)
        except FileNotFoundError:  # closed meanwhile
            continue
    return found
