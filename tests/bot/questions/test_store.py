import asyncio
from dataclasses import replace
from pathlib import Path

from bot.access import Person
from bot.migrations import migrations
from bot.questions.question import Answer, Cancelled, CancelReason, Given
from bot.questions.store import QuestionStore
from extensions.database import open_database
from tests.bot.questions.test_question import HERE, QUESTION


async def test_of_many_answers_at_once_one_is_taken_for_good(tmp_path: Path) -> None:
    path = tmp_path / "papercup.db"
    given = [Given(by=Person(id=n, name=f"p{n}"), place=HERE, value="y") for n in range(50)]
    async with asyncio.timeout(20), open_database(path, migrations()) as database:
        store = QuestionStore(database)
        async with asyncio.TaskGroup() as tasks:
            answering = [tasks.create_task(store.answer(QUESTION, each, at=1.0)) for each in given]
        won = [answer for task in answering if (answer := task.result()[0]) is not None]
        ends = {task.result()[1].end for task in answering}
    async with asyncio.timeout(20), open_database(path, migrations()) as database:
        store = QuestionStore(database)
        later, stored = await store.answer(QUESTION, given[0], at=2.0)
        cancelled = await store.cancel(QUESTION.id, CancelReason.WITHDRAWN)

    assert len(won) == 1
    assert ends == {won[0]} == {stored.end}
    assert isinstance(stored.end, Answer)
    assert later is None
    assert cancelled == stored


async def test_a_question_of_an_earlier_version_is_still_open(tmp_path: Path) -> None:
    path = tmp_path / "papercup.db"
    scripts = migrations()
    before = next(n for n, script in enumerate(scripts) if "questions_with_abandoned" in script)
    async with asyncio.timeout(20), open_database(path, scripts[:before]) as old:
        await QuestionStore(old).add(QUESTION, at=1.0, most_open=1)
    async with asyncio.timeout(20), open_database(path, scripts) as database:
        store = QuestionStore(database)
        (stored,) = await store.undone()
        cancelled = await store.cancel(QUESTION.id, CancelReason.ABANDONED)

    assert (stored.question, stored.end) == (QUESTION, None)
    assert cancelled is not None
    assert cancelled.end == Cancelled(question_id="q1", reason=CancelReason.ABANDONED)


async def test_a_question_that_is_known_is_not_stored_again(tmp_path: Path) -> None:
    async with asyncio.timeout(20), open_database(tmp_path / "a.db", migrations()) as database:
        store = QuestionStore(database)
        first = await store.add(QUESTION, at=1.0, most_open=1)
        again = await store.add(replace(QUESTION, text="Or?"), at=1.0, most_open=1)

    assert first is not None
    assert again is not None
    assert (first.is_new, again.is_new) == (True, False)
    assert again.stored.question.text == "Shall I?"
