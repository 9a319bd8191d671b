import time
from pathlib import Path

from bot.access import Place
from bot.config import JobsConfig
from bot.data_folder import DataFolder
from bot.job_pruning import JobPruning
from bot.migrations import migrations
from bot.notices.store import NoticeStore, OwedNotice
from extensions.database import Database, open_database
from extensions.jobs.job import JobStatus, Outcome
from extensions.jobs.run import Run
from extensions.jobs.store import JobStore
from tests.fakes.example_job import JOB

DAY = 24 * 3600.0
OWED = OwedNotice(job_id=JOB.id, run_number=1, place=Place(guild_id=10, channel_id=11))


async def old_job(database: Database, folder: DataFolder) -> None:
    run = Run(job_id=JOB.id, number=1, claude_session_id="session")
    at = time.time() - 31 * DAY
    settled = JOB.settled(Outcome(status=JobStatus.COMPLETED), at=at)
    store = JobStore(database)
    await store.add(JOB, run)
    await store.save(settled, run.ended(at=at))
    await store.end_was_told(settled)
    for root in (folder.extensions, folder.run):
        (root / JOB.id).mkdir(parents=True)


async def test_what_is_removed_is_as_configured_and_no_notice_is_owed(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    async with open_database(folder.database, migrations()) as database:
        await old_job(database, folder)
        notices = NoticeStore(database)
        await notices.owe([OWED], at=1.0)

        async def removed(config: JobsConfig) -> list[str]:
            pruning = JobPruning(database, folder, config, is_live=lambda _: False, clock=time.time)
            return [one.job_id for one in (await pruning.prune()).removed]

        assert await removed(JobsConfig()) == []
        await notices.failed([OWED], "the channel is gone")
        assert await removed(JobsConfig(keep_days=32)) == []
        assert await removed(JobsConfig()) == [JOB.id]
        assert not (folder.extensions / JOB.id).exists()
