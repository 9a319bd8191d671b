import asyncio
import threading
from collections.abc import Callable

import pytest

from tests.fakes.waiting import until
from voice.model_pool import ModelPool, PoolFullError, Priority, open_model_pool


class Gate:
    """Work that goes on until it is let go."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._open = threading.Event()

    def work(self) -> str:
        self._loop.call_soon_threadsafe(self.begun.set)
        assert self._open.wait(10)
        return "done"

    def let_go(self) -> None:
        self._open.set()


def noting(name: str, done: list[str]) -> Callable[[], None]:
    return lambda: done.append(name)


async def settle(pool: ModelPool, waiting: int) -> None:
    await until(lambda: pool.waiting_count == waiting)


async def test_work_is_done_in_a_thread_and_its_result_comes_back() -> None:
    async with asyncio.timeout(5), open_model_pool(1) as pool:
        name = await pool.run(Priority.FINAL, lambda: threading.current_thread().name)

    assert name == "model-0"


async def test_what_work_raises_is_raised_where_it_is_awaited() -> None:
    def broken() -> None:
        raise ValueError("broken")

    async with asyncio.timeout(5), open_model_pool(1) as pool:
        with pytest.raises(ValueError, match="broken"):
            await pool.run(Priority.FINAL, broken)
        assert await pool.run(Priority.FINAL, lambda: 1) == 1


async def test_the_most_urgent_goes_first_and_then_what_came_first() -> None:
    done: list[str] = []
    async with asyncio.timeout(5), open_model_pool(1) as pool, asyncio.TaskGroup() as tasks:
        gate = Gate()
        tasks.create_task(pool.run(Priority.GUESS, gate.work))
        await gate.begun.wait()
        for priority, name in (
            (Priority.GUESS, "guess"),
            (Priority.FINAL, "first final"),
            (Priority.FINAL, "second final"),
            (Priority.INTERRUPTION, "interruption"),
        ):
            tasks.create_task(pool.run(priority, noting(name, done)))
        await settle(pool, waiting=4)
        gate.let_go()

    assert done == ["interruption", "first final", "second final", "guess"]


async def test_as_many_work_at_once_as_there_are_threads() -> None:
    async with asyncio.timeout(5), open_model_pool(2) as pool, asyncio.TaskGroup() as tasks:
        gates = [Gate(), Gate()]
        for gate in gates:
            tasks.create_task(pool.run(Priority.FINAL, gate.work))
        for gate in gates:
            await gate.begun.wait()
        assert pool.busy_count == 2
        for gate in gates:
            gate.let_go()

    assert pool.busy_count == 0


async def test_work_that_is_cancelled_while_it_waits_is_never_begun() -> None:
    done: list[str] = []
    async with asyncio.timeout(5), open_model_pool(1) as pool, asyncio.TaskGroup() as tasks:
        gate = Gate()
        tasks.create_task(pool.run(Priority.FINAL, gate.work))
        await gate.begun.wait()
        waiting = tasks.create_task(pool.run(Priority.FINAL, noting("cancelled", done)))
        await settle(pool, waiting=1)
        waiting.cancel()
        await settle(pool, waiting=0)
        tasks.create_task(pool.run(Priority.FINAL, noting("kept", done)))
        gate.let_go()

    assert done == ["kept"]


async def test_work_that_is_cancelled_while_it_is_done_leaves_its_thread_to_others_afterwards() -> (
    None
):
    async with asyncio.timeout(5), open_model_pool(1) as pool, asyncio.TaskGroup() as tasks:
        gate = Gate()
        running = tasks.create_task(pool.run(Priority.FINAL, gate.work))
        await gate.begun.wait()
        running.cancel()
        other = tasks.create_task(pool.run(Priority.FINAL, lambda: "other"))
        await settle(pool, waiting=1)
        assert running.cancelled()
        gate.let_go()

    assert other.result() == "other"


async def test_when_too_much_waits_the_least_urgent_that_came_last_is_left_out() -> None:
    async with (
        asyncio.timeout(5),
        open_model_pool(1, waiting_limit=2) as pool,
        asyncio.TaskGroup() as tasks,
    ):
        gate = Gate()
        tasks.create_task(pool.run(Priority.FINAL, gate.work))
        await gate.begun.wait()
        kept = tasks.create_task(pool.run(Priority.GUESS, lambda: "kept"))
        await settle(pool, waiting=1)
        outcome = tasks.create_task(_outcome(pool, Priority.GUESS))
        await settle(pool, waiting=2)
        final = tasks.create_task(pool.run(Priority.FINAL, lambda: "final"))
        assert isinstance(await outcome, PoolFullError)
        assert isinstance(await _outcome(pool, Priority.GUESS), PoolFullError)
        gate.let_go()

    assert (kept.result(), final.result()) == ("kept", "final")


async def test_what_waits_at_the_end_is_cancelled_and_what_is_done_is_awaited() -> None:
    done: list[str] = []
    async with asyncio.timeout(5), asyncio.TaskGroup() as tasks, open_model_pool(1) as pool:
        gate = Gate()
        running = tasks.create_task(pool.run(Priority.FINAL, gate.work))
        await gate.begun.wait()
        waiting = tasks.create_task(pool.run(Priority.FINAL, noting("waiting", done)))
        await settle(pool, waiting=1)
        gate.let_go()

    assert running.result() == "done"
    assert waiting.cancelled()
    assert done == []


async def test_a_pool_that_is_closed_takes_nothing() -> None:
    async with open_model_pool(1) as pool:
        pass
    with pytest.raises(RuntimeError, match="closed"):
        await pool.run(Priority.FINAL, lambda: None)


async def _outcome(pool: ModelPool, priority: Priority) -> str | Exception:
    try:
        return await pool.run(priority, lambda: "done")
    except PoolFullError as error:
        return error
