from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from bot.conversation.hearing import OVERLAP_SECONDS, Hearing, recall_hearing
from bot.migrations import migrations
from extensions.database import open_database

FIRST_START = 1_780_000_000.0
LATER = FIRST_START + 1000.0


@asynccontextmanager
async def hearing_at(folder: Path, now: float) -> AsyncGenerator[Hearing, None]:
    async with open_database(folder / "papercup.db", migrations()) as database:
        yield await recall_hearing(database, now=now)


async def test_the_first_bot_hears_people_from_its_start_on_and_a_later_one_knows_that(
    tmp_path: Path,
) -> None:
    for now in (FIRST_START, LATER):
        async with hearing_at(tmp_path, now) as hearing:
            assert hearing.until == FIRST_START


async def test_until_when_people_were_heard_is_known_to_a_later_bot(tmp_path: Path) -> None:
    async with hearing_at(tmp_path, FIRST_START) as hearing:
        await hearing.heard(LATER)
    async with hearing_at(tmp_path, LATER + 500.0) as later:
        assert later.until == hearing.until == LATER - OVERLAP_SECONDS


async def test_what_was_heard_is_never_unheard_again(tmp_path: Path) -> None:
    async with hearing_at(tmp_path, FIRST_START) as hearing:
        await hearing.heard(FIRST_START + 1.0)
        at_first = hearing.until
        await hearing.heard(LATER)
        await hearing.heard(LATER - 1.0)

        assert (at_first, hearing.until) == (FIRST_START, LATER - OVERLAP_SECONDS)


async def test_a_clock_that_was_ahead_does_not_hide_what_is_written_from_now_on(
    tmp_path: Path,
) -> None:
    async with hearing_at(tmp_path, LATER):
        pass
    async with hearing_at(tmp_path, FIRST_START) as hearing:
        assert hearing.until == FIRST_START
