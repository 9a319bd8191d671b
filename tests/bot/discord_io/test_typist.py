import asyncio

import pytest

from bot.discord_io.typist import Typist


class Signs:
    """Counts the typing signs that are sent, and lets a test wait for them."""

    def __init__(self) -> None:
        self.sent: list[int] = []
        self._changed = asyncio.Event()

    async def send(self, channel_id: int) -> None:
        self.sent.append(channel_id)
        self._changed.set()

    async def until(self, count: int) -> None:
        async with asyncio.timeout(5):
            while len(self.sent) < count:
                self._changed.clear()
                await self._changed.wait()


async def test_it_is_shown_at_once_and_again_while_the_block_lasts() -> None:
    typist, signs = Typist(every_seconds=0.001), Signs()
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(typist.run(signs.send))
        with typist.showing(1):
            await signs.until(3)
        running.cancel()
    assert set(signs.sent) == {1}


async def test_a_channel_that_is_added_does_not_wait_for_another() -> None:
    typist, signs = Typist(every_seconds=3600), Signs()
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(typist.run(signs.send))
        with typist.showing(1):
            await signs.until(1)
            with typist.showing(2), typist.showing(1):
                await signs.until(2)
        running.cancel()
    assert signs.sent == [1, 2]


async def test_nothing_is_shown_after_the_last_block_has_ended() -> None:
    typist, signs = Typist(every_seconds=0.001), Signs()
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(typist.run(signs.send))
        with typist.showing(1):
            await signs.until(1)
        with typist.showing(2):
            await signs.until(5)
        running.cancel()
    assert set(signs.sent[signs.sent.index(2) :]) == {2}


async def test_the_failure_of_a_block_comes_out_as_it_is() -> None:
    typist = Typist()
    with pytest.raises(KeyError), typist.showing(1):
        raise KeyError
