"""The bot's database, opened so that it lasts: mended, brought up to date, and backed up daily."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial

from bot.data_folder import DataFolder
from bot.migrations import migrations
from extensions.backups import keeping_backups
from extensions.database import Database
from extensions.jobs.job_sheets import JobSheets
from extensions.jobs.recovering import JobFilesOnDisk, recover_jobs
from extensions.jobs.workspace import Workspace
from extensions.rebuilding import open_database_or_rebuild


@asynccontextmanager
async def open_bot_database(
    folder: DataFolder, *, clock: Callable[[], float]
) -> AsyncGenerator[Database, None]:
    """Open the database of a data folder, with all jobs in it that the folder tells of.

    Raises:
        DatabaseError: If it cannot be opened, or not be rebuilt.
    """
    files = JobFilesOnDisk(
        json_path=folder.extensions_json,
        sheets=JobSheets(folder.run),
        workspace=Workspace(folder.extensions),
    )
    recover = partial(recover_jobs, files=files, clock=clock)
    async with (
        open_database_or_rebuild(
            folder.database, migrations(), recover=recover, clock=clock
        ) as database,
        keeping_backups(folder.database, clock=clock),
    ):
        yield database
