"""Which sessions are deleted, and what goes with them, with the real database and files."""

import os
from dataclasses import replace
from pathlib import Path

from bot.access import Place
from bot.conversation.session import Session
from bot.conversation.store import SessionStore
from bot.conversation.transcript import SaidHow, TranscriptLine
from bot.conversation.transcript_store import TranscriptStore
from bot.data_folder import DataFolder
from bot.migrations import migrations
from bot.session_pruning import SessionPruning
from bot.speaker.jailed import JailedPlace
from extensions.database import Database, open_database
from extensions.jobs.run import Run
from extensions.jobs.store import JobStore
from tests.fakes.example_job import JOB

DAY = 24 * 3600.0
NOW = 1000 * DAY
OLD = Session(
    id="0000000a",
    name="old",
    place=Place(guild_id=10, channel_id=11),
    opened_by=1,
    created_at=0.0,
    last_active_at=NOW - 31 * DAY,
    is_open=False,
)
NEWER = replace(OLD, id="0000000b", name="newer", last_active_at=NOW - 29 * DAY)
OPEN = replace(OLD, id="0000000c", name="open", is_open=True)
AT_WORK = replace(OLD, id=JOB.origin.session_id, name="at-work")
SESSIONS = (OLD, NEWER, OPEN, AT_WORK)


def files_of(session: Session, folder: DataFolder) -> list[Path]:
    own = folder.sessions / session.id
    place = JailedPlace(folder=own, home=folder.home, session_id=session.id)
    return [own / "inbox" / "a.png", place.transcripts / "x.jsonl", folder.home / "tmp" / own.name]


async def fill(database: Database, folder: DataFolder) -> None:
    store, transcripts = SessionStore(database), TranscriptStore(database, days=100)
    await JobStore(database).add(JOB, Run(job_id=JOB.id, number=1, claude_session_id="x"))
    line = TranscriptLine(at=1.0, person_id=1, name="uwe", text="hi", how=SaidHow.TO_BOT)
    for session in SESSIONS:
        await store.save(session)
        await transcripts.add(session.id, line)
        for path in files_of(session, folder):
            path.mkdir(parents=True)
        at = session.last_active_at
        os.utime(folder.sessions / session.id, (at, at))


async def left(database: Database, folder: DataFolder) -> tuple[set[str], set[str], set[str]]:
    """Return of which sessions there are rows, lines and files, by their names."""
    store, transcripts = SessionStore(database), TranscriptStore(database, days=100)
    return (
        {each.name for each in SESSIONS if await store.find(each.id)},
        {each.name for each in SESSIONS if await transcripts.newest(each.id, 1)},
        {each.name for each in SESSIONS if all(path.exists() for path in files_of(each, folder))},
    )


async def test_a_session_that_nobody_has_used_for_long_goes_with_all_that_was_said(
    tmp_path: Path,
) -> None:
    folder = DataFolder(tmp_path)
    async with open_database(folder.database, migrations()) as database:
        await fill(database, folder)
        assert await SessionPruning(database, folder, None).prune(now=NOW) == []
        assert await left(database, folder) == ({each.name for each in SESSIONS},) * 3

        assert await SessionPruning(database, folder, 30).prune(now=NOW) == [OLD.id]
        kept = {"newer", "open", "at-work"}
        assert await left(database, folder) == (kept, kept, kept)
        assert not any(path.exists() for path in files_of(OLD, folder))
        assert not (folder.sessions / OLD.id).exists()


async def test_files_of_a_session_whose_deletion_was_cut_off_go_the_next_time(
    tmp_path: Path,
) -> None:
    folder = DataFolder(tmp_path)
    async with open_database(folder.database, migrations()) as database:
        for path in files_of(OLD, folder):
            path.mkdir(parents=True)
        pruning = SessionPruning(database, folder, 30)
        now = (folder.sessions / OLD.id).stat().st_mtime
        # One that is new may be about to be stored.
        await pruning.prune(now=now + 29 * DAY)
        assert all(path.exists() for path in files_of(OLD, folder))
        await pruning.prune(now=now + 31 * DAY)
        assert not any(path.exists() for path in files_of(OLD, folder))
