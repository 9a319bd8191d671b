import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from extensions.jobs.job import JobStatus, Outcome
from extensions.jobs.job_sheets import JobSheets
from extensions.jobs.run import Run
from extensions.jobs.sheet import sheet_of
from tests.fakes.example_job import JOB

RUN = Run(job_id=JOB.id, number=1, claude_session_id="0b1d4f1e-0000-4000-8000-000000000000")
STARTED, STARTED_RUN = JOB.started(at=1001.0), RUN.started(token_hash="ab" * 32, at=1001.0)


def sheet_path(folder: Path) -> Path:
    return folder / JOB.id / "job.json"


def test_a_sheet_is_kept_for_its_owner_alone_and_follows_the_run(tmp_path: Path) -> None:
    sheets = JobSheets(tmp_path / "run")

    sheets.keep(JOB, RUN)
    assert sheets.read(JOB.id) == sheet_of(JOB, RUN)

    sheets.keep(STARTED, STARTED_RUN)
    assert JobSheets(tmp_path / "run").read(JOB.id) == sheet_of(JOB, STARTED_RUN)
    assert stat.S_IMODE(sheet_path(tmp_path / "run").stat().st_mode) == 0o600
    assert stat.S_IMODE(sheet_path(tmp_path / "run").parent.stat().st_mode) == 0o700


def test_it_is_written_only_if_something_in_it_changes(tmp_path: Path) -> None:
    sheets = JobSheets(tmp_path)
    sheets.keep(STARTED, STARTED_RUN)
    inode = sheet_path(tmp_path).stat().st_ino

    sheets.keep(STARTED.with_pid(4711), STARTED_RUN)
    settled = STARTED.settled(Outcome(status=JobStatus.CANCELLED), at=1002.0)
    sheets.keep(settled, STARTED_RUN.ended(at=1002.0))

    assert sheet_path(tmp_path).stat().st_ino == inode


def test_a_job_that_was_not_accepted_leaves_nothing(tmp_path: Path) -> None:
    sheets = JobSheets(tmp_path)
    sheets.keep(JOB, RUN)

    sheets.drop(JOB.id)
    sheets.drop(JOB.id)

    assert list(tmp_path.iterdir()) == []


def test_only_folders_named_like_a_job_are_jobs(tmp_path: Path) -> None:
    for name in ("8d08ba4f", "..a", "8D08BA4F", "8d08ba4f0", "home", "8d08ba4\n"):
        (tmp_path / name).mkdir()

    assert JobSheets(tmp_path).job_ids() == ["8d08ba4f"]
    assert JobSheets(tmp_path / "missing").job_ids() == []


def test_the_newest_run_is_found_by_the_folders_of_the_runs(tmp_path: Path) -> None:
    sheets = JobSheets(tmp_path)
    assert sheets.newest_run(JOB.id) == 0

    for name in ("1", "2", "10", "03", "home", "sock"):
        (tmp_path / JOB.id / name).mkdir(parents=True)
    (tmp_path / JOB.id / "10" / "lock").touch()

    assert sheets.newest_run(JOB.id) == 10
    assert sheets.has_begun(JOB.id, 10)
    assert not sheets.has_begun(JOB.id, 2)


def _link_to_a_good_one(path: Path) -> None:
    sheets = JobSheets(path.parent.parent / "elsewhere")
    sheets.keep(JOB, RUN)
    path.symlink_to(path.parent.parent / "elsewhere" / JOB.id / "job.json")


@pytest.mark.parametrize(
    "make",
    [
        _link_to_a_good_one,
        os.mkfifo,
        lambda path: path.mkdir(),
        lambda path: path.write_text("torn {"),
        lambda path: path.write_bytes(b" " * (1024 * 1024 + 1)),
    ],
    ids=["a link", "a pipe", "a folder", "torn", "too large"],
)
def test_what_cannot_be_relied_on_is_passed_over_and_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, make: Callable[[Path], object]
) -> None:
    path = sheet_path(tmp_path)
    path.parent.mkdir()
    make(path)

    assert JobSheets(tmp_path).read(JOB.id) is None
    assert f"job {JOB.id}: its job.json is passed over" in caplog.text


def test_a_sheet_that_is_missing_is_nothing_to_say(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert JobSheets(tmp_path).read(JOB.id) is None
    assert caplog.text == ""
