import asyncio

import pytest

from bot.speaker.session_locks import SessionLocks
from extensions.errors import ClaudeStartError


async def test_the_next_process_of_a_session_waits_until_the_last_is_gone() -> None:
    locks, began = SessionLocks(), asyncio.Event()
    order: list[str] = []

    async def second() -> None:
        began.set()
        async with locks.held("one"):
            order.append("second")

    async with asyncio.timeout(5), asyncio.TaskGroup() as tasks, locks.held("one"):
        tasks.create_task(second())
        await began.wait()
        async with locks.held("another"):
            order.append("first")

    assert order == ["first", "second"]


async def test_a_session_that_stays_in_use_is_not_used_twice() -> None:
    locks = SessionLocks(patience_seconds=0.01)
    async with locks.held("one"):
        with pytest.raises(ClaudeStartError, match="is already in use"):
            async with locks.held("one"):
                pass
    async with locks.held("one"):
        pass
