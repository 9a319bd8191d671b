"""The sheets of the jobs, as files: `job.json` beside the folders of a job's runs."""

import logging
import os
import re
import stat
from pathlib import Path

from extensions.disk import write_atomically
from extensions.jobs.job import Job
from extensions.jobs.run import Run
from extensions.jobs.sheet import BadSheetError, JobSheet, parse_sheet, sheet_of, sheet_text
from extensions.process.detached import NeverStarted, runner_state

logger = logging.getLogger(__name__)

_NAME = "job.json"
_LARGEST_BYTES = 1024 * 1024
_JOB_ID = re.compile(r"[0-9a-f]{8}")
_RUN_NUMBER = re.compile(r"[1-9][0-9]{0,5}")


class JobSheets:
    """The folder with the files of all runs, as far as it tells which jobs there are."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.absolute()
        self._kept: dict[str, JobSheet] = {}
        """What was written, by job id, of the jobs that have not settled."""

    def keep(self, job: Job, run: Run) -> None:
        """Have a job's sheet on the disk as it is now; nothing is done once it has settled.

        Raises:
            OSError: If it cannot be written; it is then what it was before.
        """
        if job.status.is_settled:
            self._kept.pop(job.id, None)
            return
        sheet = sheet_of(job, run)
        if self._kept.get(job.id) == sheet:
            return
        path = self._path_of(job.id)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(path, sheet_text(sheet).encode())
        self._kept[job.id] = sheet

    def drop(self, job_id: str) -> None:
        """Forget a job that was not accepted after all."""
        self._kept.pop(job_id, None)
        path = self._path_of(job_id)
        try:
            path.unlink(missing_ok=True)
            path.parent.rmdir()
        except OSError as error:
            logger.warning("job %s: its folder %s stays: %s", job_id, path.parent, error)

    def job_ids(self) -> list[str]:
        """Return the ids of the jobs that have a folder here."""
        try:
            names = [path.name for path in self._folder.iterdir()]
        except FileNotFoundError:
            return []
        return sorted(name for name in names if _JOB_ID.fullmatch(name))

    def read(self, job_id: str) -> JobSheet | None:
        """Return a job's sheet, if there is one that can be relied on; else the log says why."""
        try:
            return parse_sheet(job_id, _read_regular(self._path_of(job_id)))
        except FileNotFoundError:
            return None
        except (OSError, BadSheetError) as error:
            logger.warning("job %s: its job.json is passed over: %s", job_id, error)
            return None

    def newest_run(self, job_id: str) -> int:
        """Return the highest number of a run that has left anything; 0 if none has."""
        try:
            names = [path.name for path in (self._folder / job_id).iterdir()]
        except (FileNotFoundError, NotADirectoryError):
            return 0
        return max((int(name) for name in names if _RUN_NUMBER.fullmatch(name)), default=0)

    def has_begun(self, job_id: str, run_number: int) -> bool:
        """Say whether a runner has ever had that run."""
        control = self.control_folder(job_id, run_number)
        return not isinstance(runner_state(control), NeverStarted)

    def control_folder(self, job_id: str, run_number: int) -> Path:
        """Return where the runner of a run keeps its files."""
        return self._folder / job_id / str(run_number)

    def _path_of(self, job_id: str) -> Path:
        return self._folder / job_id / _NAME


def _read_regular(path: Path) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid():
            raise BadSheetError("it is not a file of this user")
        if found.st_size > _LARGEST_BYTES:
            raise BadSheetError("it is too large")
        return file.read(_LARGEST_BYTES)
