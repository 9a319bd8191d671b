"""Which sessions are deleted, and what goes with them, with the real database and files."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

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
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = DataFolder(tmp_path)
    async with open_database(folder.database, migrations()) as database:
        await fill(database, folder)
        pruning = SessionPruning(database, folder, 30)
        in_the_way = folder.home / "tmp" / OLD.id
        in_the_way.rmdir()
        in_the_way.write_text("not a folder")
        assert await pruning.prune(now=NOW) == [OLD.id]
        assert "its files cannot be deleted" in caplog.text
        assert (folder.sessions / OLD.id).exists()

        in_the_way.unlink()
        assert await pruning.prune(now=NOW) == []
        assert not (folder.sessions / OLD.id).exists()
        assert await left(database, folder) == ({"newer", "open", "at-work"},) * 3


async def test_files_of_which_the_database_knows_nothing_are_left_alone(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    async with open_database(folder.database, migrations()) as database:
        # As after a database that was damaged, and begun anew.
        for path in files_of(OLD, folder):
            path.mkdir(parents=True)
        os.utime(folder.sessions / OLD.id, (0, 0))
        await SessionPruning(database, folder, 30).prune(now=NOW)
        assert all(path.exists() for path in files_of(OLD, folder))


async def test_a_link_in_the_place_of_a_session_leads_to_no_other_session(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    async with open_database(folder.database, migrations()) as database:
        await fill(database, folder)
        shutil.rmtree(folder.sessions / OLD.id)
        (folder.sessions / OLD.id).symlink_to(NEWER.id)
        await SessionPruning(database, folder, 30).prune(now=NOW)
        assert all(path.exists() for path in files_of(NEWER, folder))
        assert not (folder.sessions / OLD.id).is_symlink()
