"""Keeps how the model's last answer to each job came, over restarts of the bot."""

import logging
import sqlite3

from extensions.callers import Caller, CallerKind
from extensions.database import Database
from extensions.jobs.answer_marks import AnswerMarks
from extensions.server.ledger import AnswerLedger, AnswerState

logger = logging.getLogger(__name__)


class JobAnswers:
    """Implements `AnswerBook`."""

    def __init__(self, database: Database) -> None:
        self._marks = AnswerMarks(database)

    async def note(self, caller: Caller, state: AnswerState) -> None:
        """Store how the last answer to a job stands; of other callers nothing is kept."""
        if caller.kind is not CallerKind.JOB:
            return
        try:
            await self._marks.put(caller.subject, state.value)
        except sqlite3.Error:
            # Its answer is worth more than the note of it.
            logger.exception("%s: how its last answer stands cannot be stored", caller)

    async def restore(self, ledger: AnswerLedger) -> None:
        """Have `ledger` know of the answers that had not come whole when the last bot ended."""
        for job_id in await self._marks.not_whole():
            ledger.was_cut(Caller(CallerKind.JOB, job_id))
