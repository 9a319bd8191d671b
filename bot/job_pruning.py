"""Removes the files of old jobs as the configuration says, and nothing that is still needed."""

from collections.abc import Callable, Collection

from bot.config import JobsConfig
from bot.data_folder import DataFolder
from bot.notices.store import NoticeStore
from extensions.database import Database
from extensions.jobs.prune_plan import KeepLimits
from extensions.jobs.pruning import JobRoots, PruneReport, prune_jobs

_DAY_SECONDS = 24 * 3600
_GB = 1_000_000_000


class JobPruning:
    """Removes the files of old jobs."""

    def __init__(
        self,
        database: Database,
        folder: DataFolder,
        config: JobsConfig,
        *,
        is_live: Callable[[str], bool],
        clock: Callable[[], float],
    ) -> None:
        """Take what it needs.

        Args:
            database: Knows the jobs, and what people are still to be told.
            folder: Where the files are.
            config: Says what is kept.
            is_live: Says of a job, by its id, whether it is under way; without a running bot,
                none is.
            clock: Gives Unix time, in seconds.
        """
        self._database = database
        self._roots = JobRoots(extensions=folder.extensions, run=folder.run)
        self._limits = KeepLimits(
            seconds=config.keep_days * _DAY_SECONDS, bytes=round(config.keep_gb * _GB)
        )
        self._is_live = is_live
        self._clock = clock

    async def prune(self, *, dry_run: bool = False) -> PruneReport:
        """Remove what is too old or too much; or only say what that would be.

        Raises:
            PruneError: If the files cannot be removed.
            sqlite3.Error: If the database cannot be read.
        """
        return await prune_jobs(
            self._database,
            self._roots,
            self._limits,
            awaited=self._awaited,
            is_live=self._is_live,
            now=self._clock(),
            dry_run=dry_run,
        )

    async def _awaited(self) -> Collection[str]:
        return {notice.job_id for notice in await NoticeStore(self._database).owed()}
