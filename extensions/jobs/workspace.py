"""The folders in which jobs work."""

from pathlib import Path


class Workspace:
    """A folder with one folder for each job in it."""

    def __init__(self, root: Path) -> None:
        self._root = root.absolute()

    def path_of(self, job_id: str) -> Path:
        """Return the absolute path of a job's folder, whether it is there or not."""
        return self._root / job_id

    def has(self, job_id: str) -> bool:
        """Say whether a job's folder is there."""
        return self.path_of(job_id).is_dir()

    def prepare(self, job_id: str) -> Path:
        """Make a job's folder, open to its owner alone, and return its path.

        A folder that is there already is kept with all that is in it.

        Raises:
            OSError: If it cannot be made.
        """
        folder = self.path_of(job_id)
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        # It may be a folder of an earlier time, or the umask may have had its say.
        folder.chmod(0o700)
        return folder
