import asyncio
import errno
import json
import logging
import stat
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from extensions.jobs.extensions_file import keeping_extensions_file
from extensions.jobs.job import Job, JobStatus, Origin, Outcome
from tests.fakes.virtual_clock import run_on_virtual_clock
from tests.fakes.waiting import until

JOB = Job(
    id="8d08ba4f",
    name="fox",
    task="print fibonacci",
    origin=Origin(session_id="5e551011", person_id=7, guild_id=1, channel_id=2),
    folder="/papercup/data/extensions/8d08ba4f",
    jail="bubblewrap",
    created_at=90.0,
)
SETTLED = JOB.settled(Outcome(status=JobStatus.CANCELLED), at=95.0)


def states_in(path: Path) -> list[str]:
    try:
        return [record["status"] for record in json.loads(path.read_bytes())["extensions"]]
    except FileNotFoundError:
        return ["no file"]


async def test_it_is_written_at_once_with_what_is_known(tmp_path: Path) -> None:
    path = tmp_path / "extensions.json"
    path.write_text("{ this was damaged")

    async with keeping_extensions_file(path, [JOB]):
        await until(lambda: b"damaged" not in path.read_bytes())
        assert states_in(path) == ["queued"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_changes_reach_the_disk_while_it_is_open(tmp_path: Path) -> None:
    path = tmp_path / "extensions.json"

    async with keeping_extensions_file(path, []) as file:
        file.put(JOB)
        await until(lambda: states_in(path) == ["queued"])
        file.put(SETTLED)
        await until(lambda: states_in(path) == ["cancelled"])


async def test_the_last_change_is_written_before_it_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "extensions.json"

    async with keeping_extensions_file(path, []) as file:
        for number in range(200):
            file.put(replace(JOB, id=f"{number}"))

    assert states_in(path) == ["queued"] * 200


async def test_many_changes_are_written_together(tmp_path: Path) -> None:
    path = tmp_path / "extensions.json"
    inodes: set[int] = set()

    def seen(count: int) -> bool:
        inodes.add(path.stat().st_ino if path.exists() else 0)
        return len(states_in(path)) == count

    async with keeping_extensions_file(path, [JOB]) as file:
        await until(lambda: seen(1))
        for number in range(500):
            file.put(replace(JOB, id=f"{number}"))
        await until(lambda: seen(501))

    assert len(inodes) < 5


async def test_a_disk_that_refuses_is_tried_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "data"

    async with keeping_extensions_file(folder / "extensions.json", [JOB]) as file:
        await until(lambda: "cannot write" in caplog.text)
        folder.mkdir()
        file.put(SETTLED)
        await until(lambda: states_in(folder / "extensions.json") == ["cancelled"])

    assert [record.levelno for record in caplog.records] == [logging.ERROR, logging.WARNING]


async def test_a_file_that_was_removed_is_there_again_after_the_next_change(tmp_path: Path) -> None:
    path = tmp_path / "extensions.json"

    async with keeping_extensions_file(path, [JOB]) as file:
        await until(lambda: states_in(path) == ["queued"])
        path.unlink()
        file.put(SETTLED)
        await until(lambda: states_in(path) == ["cancelled"])


class Writes:
    """Takes what is written, and when, on a clock that moves only while nothing can be done."""

    def __init__(self) -> None:
        self.at: list[float] = []
        self.texts: list[str] = []
        self.failures = 0
        """How many writes to come shall fail."""

    async def __call__(self, path: Path, data: bytes) -> None:
        self.at.append(round(asyncio.get_running_loop().time(), 6))
        if self.failures:
            self.failures -= 1
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        self.texts.append(data.decode())


def test_it_is_written_at_most_twenty_times_a_second() -> None:
    writes = Writes()

    async def change_it_all_the_time() -> None:
        async with keeping_extensions_file(Path("unused"), [], write=writes) as file:
            for number in range(1000):
                file.put(replace(JOB, id=f"{number:08x}"))
                await asyncio.sleep(0.001)

    run_on_virtual_clock(change_it_all_the_time())

    # The last is what was left when it was closed.
    pauses = [round(later - earlier, 3) for earlier, later in pairwise(writes.at[:-1])]
    assert set(pauses) <= {0.05, 0.051}
    assert len(writes.at) in {20, 21, 22}
    assert writes.texts[-1].count('"queued"') == 1000


def test_a_job_that_has_settled_is_written_at_once() -> None:
    writes = Writes()

    async def settle_soon_after_a_change() -> None:
        async with keeping_extensions_file(Path("unused"), [JOB], write=writes) as file:
            await asyncio.sleep(1.0)
            file.put(JOB.started(at=91.0))
            await asyncio.sleep(0.01)
            file.put(JOB.started(at=91.0).settled(Outcome(status=JobStatus.CANCELLED), at=95.0))
            await asyncio.sleep(1.0)

    run_on_virtual_clock(settle_soon_after_a_change())

    assert writes.at == [0.0, 1.01, 2.01]
    assert '"cancelled"' in writes.texts[1]


def test_a_full_disk_is_said_once_and_tried_each_second_until_there_is_room(
    caplog: pytest.LogCaptureFixture,
) -> None:
    writes = Writes()
    writes.failures = 3

    async def wait() -> None:
        async with keeping_extensions_file(Path("unused"), [JOB], write=writes):
            await asyncio.sleep(10)

    run_on_virtual_clock(wait())

    assert writes.at[:4] == [0.0, 1.05, 2.1, 3.15]
    assert [record.getMessage() for record in caplog.records] == [
        "cannot write unused, whose older content stays: the disk is full",
        "unused is up to date again",
    ]
