import asyncio
import os
from pathlib import Path

import pytest

from bot.control.server import serving_control
from bot.data_folder import held_data_folder
from bot.doctor.finding import Grade
from bot.doctor.machine import (
    COMFORTABLE_FREE_BYTES,
    LEAST_FREE_BYTES,
    check_disk,
    check_folder,
    check_lock,
    check_python,
    judge_free_space,
    judge_limits,
)
from extensions.process.cgroups import LimitKeeping
from extensions.process.sockets import bound_unix_socket
from tests.bot.control.test_control import REPORT

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


@pytest.mark.parametrize(
    ("version", "grade"),
    [((3, 10, 9), Grade.FAIL), ((3, 11, 0), Grade.OK), ((3, 13, 1), Grade.OK)],
)
def test_python_has_to_be_new_enough(version: tuple[int, int, int], grade: Grade) -> None:
    assert check_python(version).grade is grade


def test_a_folder_that_a_bot_uses_is_fine(tmp_path: Path) -> None:
    with held_data_folder(tmp_path / "data") as folder:
        folder.database.touch()
        finding = check_folder(folder.root)

    assert finding.grade is Grade.OK
    assert "for its own user alone" in finding.text


def test_a_folder_that_is_yet_to_be_made_is_fine(tmp_path: Path) -> None:
    finding = check_folder(tmp_path / "deep" / "data")

    assert finding.grade is Grade.OK
    assert "made at the first start" in finding.text
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_no_bot_has_used_yet_may_stand_open(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "README.md").touch()

    assert check_folder(tmp_path).grade is Grade.OK


@pytest.mark.parametrize("name", ["", "papercup.db", "extensions", "lock"])
def test_what_other_users_may_open_is_named(tmp_path: Path, name: str) -> None:
    with held_data_folder(tmp_path / "data") as folder:
        folder.database.touch()
    opened = folder.root / name
    opened.chmod(0o755)

    finding = check_folder(folder.root)

    assert finding.grade is Grade.FAIL
    assert finding.text == f"other users may open {opened}"
    assert finding.mend == f"Run `chmod go-rwx {opened}`."


def test_a_file_in_the_folders_place_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "data").touch()

    assert check_folder(tmp_path / "data").grade is Grade.FAIL


@as_root
def test_a_folder_of_another_user_is_a_failure(tmp_path: Path) -> None:
    os.chown(tmp_path, 12345, 12345)

    finding = check_folder(tmp_path)

    assert finding.grade is Grade.FAIL
    assert "another user (12345)" in finding.text


def test_a_free_lock_says_that_no_bot_runs(tmp_path: Path) -> None:
    missing = check_lock(tmp_path)
    with held_data_folder(tmp_path / "data"):
        pass
    left = check_lock(tmp_path / "data")

    assert (missing.grade, left.grade) == (Grade.OK, Grade.OK)
    assert missing.text == left.text == "no Papercup runs on the data folder"


def test_a_held_lock_names_the_holder_and_says_that_it_does_not_answer(tmp_path: Path) -> None:
    with held_data_folder(tmp_path):
        finding = check_lock(tmp_path)

    assert finding.grade is Grade.WARN
    assert f"held by process {os.getpid()}, running since 20" in finding.text


async def test_a_bot_that_answers_is_fine(tmp_path: Path) -> None:
    with held_data_folder(tmp_path) as folder:
        async with asyncio.timeout(5), serving_control(folder.control_socket, lambda: REPORT):
            finding = await asyncio.to_thread(check_lock, tmp_path)

    assert finding.grade is Grade.OK
    assert f"held by process {os.getpid()}" in finding.text
    assert "Discord is connected" in finding.text


def test_a_bot_that_answers_wrongly_is_a_warning(tmp_path: Path) -> None:
    with held_data_folder(tmp_path) as folder, bound_unix_socket(folder.control_socket) as door:
        door.close()
        finding = check_lock(tmp_path)

    assert finding.grade is Grade.WARN


def test_to_look_at_the_lock_does_not_take_it(tmp_path: Path) -> None:
    with held_data_folder(tmp_path):
        pass
    check_lock(tmp_path)
    with held_data_folder(tmp_path):
        check_lock(tmp_path)


@pytest.mark.parametrize(
    ("keeping", "said"),
    [
        (LimitKeeping(cgroups=(Path("/sys/fs/cgroup/bot"),)), "the kernel keeps"),
        (LimitKeeping(reason="none was given"), "each runner watches"),
    ],
)
def test_it_is_said_who_keeps_jobs_within_limits(keeping: LimitKeeping, said: str) -> None:
    finding = judge_limits(keeping)

    assert finding.grade is Grade.OK
    assert said in finding.text
    assert (keeping.reason or "/sys/fs/cgroup/bot") in finding.text


@pytest.mark.parametrize(
    ("free_bytes", "grade", "shown"),
    [
        (0, Grade.FAIL, "0 MB free"),
        (LEAST_FREE_BYTES - 1, Grade.FAIL, "200 MB free"),
        (LEAST_FREE_BYTES, Grade.WARN, "200 MB free"),
        (COMFORTABLE_FREE_BYTES - 1, Grade.WARN, "2.0 GB free"),
        (COMFORTABLE_FREE_BYTES, Grade.OK, "2.0 GB free"),
        (82_700_000_000, Grade.OK, "82.7 GB free"),
    ],
)
def test_too_little_room_is_a_failure(free_bytes: int, grade: Grade, shown: str) -> None:
    finding = judge_free_space(free_bytes)

    assert (finding.grade, finding.text) == (grade, shown)
    assert (finding.mend is None) == (grade is Grade.OK)


def test_the_room_is_that_of_the_disk_on_which_the_folder_will_be(tmp_path: Path) -> None:
    assert "free" in check_disk(tmp_path / "not" / "there" / "yet").text
