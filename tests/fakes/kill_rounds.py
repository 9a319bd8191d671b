"""Kills a program that writes jobs, again and again, and sees what is left of what it stored."""

import asyncio
import json
import random
import sqlite3
import sys
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from extensions.jobs.job_sheets import JobSheets

ROOT = Path(__file__).parents[2]
_SOON = 0.6
"""How often it is killed a moment after it said something, and not at once."""
_STEPS = ("queued", "running", "completed")


@dataclass(slots=True)
class Damage:
    """What was found after the kills; nothing should be."""

    corrupt: list[str] = field(default_factory=list)
    """Files that could not be read."""
    lost: list[str] = field(default_factory=list)
    """Jobs that were said to be stored, and are not, or not as far."""
    acknowledged: int = 0
    """How many steps were said to be stored in all."""


async def kill_rounds(folder: Path, *, rounds: int, seed: int) -> Damage:
    """Have a program write in `folder`, kill it at random moments, and look each time.

    Args:
        folder: Where it writes; each round goes on where the one before was killed.
        rounds: How often.
        seed: Decides about the moments.
    """
    damage, chance = Damage(), random.Random(seed)  # noqa: S311 - no secrets
    stored: dict[str, int] = {}
    for number in range(rounds):
        for line in await _run_and_kill(folder, chance):
            step, job_id = line.split()
            stored[job_id] = max(stored.get(job_id, 0), _STEPS.index(step))
            damage.acknowledged += 1
        _look(folder, number, stored, damage)
    return damage


async def _run_and_kill(folder: Path, chance: random.Random) -> list[str]:
    writer = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.fakes.job_writer", str(folder)),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    assert writer.stdout is not None
    try:
        async with asyncio.timeout(30):
            lines = [await writer.stdout.readline() for _ in range(chance.randrange(3, 60))]
            if chance.random() < _SOON:
                await asyncio.sleep(chance.uniform(0, 0.003))
    finally:
        writer.kill()
        rest = await writer.stdout.read()
        await writer.wait()
    lines += rest.splitlines(keepends=True)
    # The last may have been torn.
    return [line.decode() for line in lines if line.endswith(b"\n")]


def _look(folder: Path, number: int, stored: dict[str, int], damage: Damage) -> None:
    with closing(sqlite3.connect(folder / "papercup.db")) as connection:
        (finding,) = connection.execute("PRAGMA integrity_check").fetchone()
        found = dict(connection.execute("SELECT id, status FROM jobs"))
    if finding != "ok":
        damage.corrupt.append(f"round {number}: papercup.db: {finding}")
    for job_id, step in stored.items():
        if _STEPS.index(found.get(job_id, "queued")) < step or job_id not in found:
            damage.lost.append(f"round {number}: job {job_id}: {found.get(job_id)}")
    try:
        json.loads((folder / "extensions.json").read_bytes())
    except ValueError as error:
        damage.corrupt.append(f"round {number}: extensions.json: {error}")
    except FileNotFoundError:
        pass  # it was killed before the first writing
    sheets = JobSheets(folder / "run")
    for job_id in found:
        if sheets.read(job_id) is None:
            damage.corrupt.append(f"round {number}: the sheet of job {job_id}")
