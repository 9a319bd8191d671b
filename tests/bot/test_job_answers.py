import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.job_answers import JobAnswers
from bot.migrations import migrations
from extensions.callers import Caller, CallerKind
from extensions.database import Database, open_database
from extensions.jobs.job import JobStatus, Outcome
from extensions.jobs.run import ResumeReason, Run
from extensions.jobs.store import JobStore
from extensions.server.ledger import AnswerLedger, AnswerState
from tests.fakes.example_job import JOB

RUN = Run(job_id=JOB.id, number=1, claude_session_id="session")
CALLER = Caller(CallerKind.JOB, JOB.id)


@asynccontextmanager
async def opened(folder: Path) -> AsyncGenerator[Database, None]:
    async with open_database(folder / "papercup.db", migrations()) as database:
        if await JobStore(database).find(JOB.id) is None:
            await JobStore(database).add(JOB, RUN)
        yield database


async def was_cut_after_restart(folder: Path) -> bool:
    ledger = AnswerLedger()
    async with opened(folder) as database:
        await JobAnswers(database).restore(ledger)
    return ledger.last_answer_was_cut(CALLER)


@pytest.mark.parametrize(
    ("states", "was_cut"),
    [
        ([], False),
        ([AnswerState.OPEN], True),
        ([AnswerState.OPEN, AnswerState.CUT], True),
        ([AnswerState.OPEN, AnswerState.WHOLE], False),
        ([AnswerState.OPEN, AnswerState.CUT, AnswerState.OPEN, AnswerState.WHOLE], False),
    ],
)
async def test_an_answer_that_was_not_seen_to_come_whole_counts_as_cut_after_a_restart(
    tmp_path: Path, states: list[AnswerState], *, was_cut: bool
) -> None:
    async with opened(tmp_path) as database:
        for state in states:
            await JobAnswers(database).note(CALLER, state)

    assert await was_cut_after_restart(tmp_path) == was_cut


async def test_another_run_begins_without_an_answer(tmp_path: Path) -> None:
    async with opened(tmp_path) as database:
        await JobAnswers(database).note(CALLER, AnswerState.CUT)
        lost = Outcome(status=JobStatus.INTERRUPTED)
        stopped, ended = JOB.settled(lost, at=2.0), RUN.ended(at=2.0)
        await JobStore(database).begin_another(
            (stopped, ended),
            (
                stopped.resumed(ResumeReason.ASKED),
                ended.followed(because=ResumeReason.ASKED, new_session_id=""),
            ),
        )

    assert not await was_cut_after_restart(tmp_path)


async def test_a_speakers_answers_are_not_kept(tmp_path: Path) -> None:
    async with opened(tmp_path) as database:
        await JobAnswers(database).note(Caller(CallerKind.SPEAKER, JOB.id), AnswerState.OPEN)

    assert not await was_cut_after_restart(tmp_path)


async def test_a_note_that_the_disk_refuses_hinders_nobody(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(tmp_path) as database:
        await database.run(
            lambda connection: connection.execute(
                "CREATE TRIGGER refusal BEFORE UPDATE ON runs"
                " BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
            )
        )
        await JobAnswers(database).note(CALLER, AnswerState.OPEN)

    assert sqlite3.IntegrityError.__name__ in caplog.text
