import json
import logging
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from extensions.jobs.extensions_file import keeping_extensions_file, write_atomically
from extensions.jobs.job import Job, JobStatus, Origin, Outcome
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

    assert {record.levelno for record in caplog.records} == {logging.ERROR}


def test_a_write_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "extensions.json"
    write_atomically(path, b"first")
    (tmp_path / "extensions.json.tmp").mkdir()

    with pytest.raises(OSError, match="directory"):
        write_atomically(path, b"second")

    assert path.read_bytes() == b"first"
