import asyncio
from collections.abc import Awaitable, Callable

from tests.fakes.virtual_clock import run_on_virtual_clock
from voice.reach import Reach


def probe_of(*answers: str) -> tuple[list[float], Callable[[], Awaitable[str]]]:
    left, times = list(answers), list[float]()

    async def probe() -> str:
        times.append(asyncio.get_running_loop().time())
        await asyncio.sleep(1)
        return left.pop(0)

    return times, probe


async def watched(reach: Reach, *, seconds: float) -> None:
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(reach.run())
        await asyncio.sleep(seconds)
        running.cancel()


def test_what_is_not_known_is_tried_at_once_and_then_no_more() -> None:
    async def scenario() -> list[float]:
        times, probe = probe_of("")
        reach = Reach(probe, is_assumed=False)
        assert not reach.is_reachable
        await watched(reach, seconds=1000)
        assert reach.is_reachable
        return times

    assert run_on_virtual_clock(scenario()) == [0.0]


def test_what_does_not_work_is_tried_again_until_it_does() -> None:
    async def scenario() -> list[float]:
        times, probe = probe_of("down", "still down", "")
        reach = Reach(probe, is_assumed=False, retry_seconds=60)
        await watched(reach, seconds=100)
        assert not reach.is_reachable
        assert reach.trouble == "still down"
        await watched(reach, seconds=1000)
        assert reach.is_reachable
        assert reach.trouble == ""
        return times

    assert run_on_virtual_clock(scenario()) == [0.0, 61.0, 160.0]


def test_what_is_taken_to_work_is_tried_only_after_it_has_failed() -> None:
    async def scenario() -> list[float]:
        times, probe = probe_of("")
        reach = Reach(probe, is_assumed=True, retry_seconds=60)
        assert reach.is_reachable
        await watched(reach, seconds=50)
        reach.failed("cut off")
        assert not reach.is_reachable
        assert reach.trouble == "cut off"
        await watched(reach, seconds=100)
        assert reach.is_reachable
        return times

    assert run_on_virtual_clock(scenario()) == [110.0]


def test_one_can_wait_until_it_is_known() -> None:
    async def scenario() -> float:
        _, probe = probe_of("down")
        reach = Reach(probe, is_assumed=False)
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(reach.run())
            await reach.known()
            running.cancel()
        return asyncio.get_running_loop().time()

    assert run_on_virtual_clock(scenario()) == 1.0


def test_a_service_that_cannot_even_be_tried_does_not_work() -> None:
    async def probe() -> str:
        raise RuntimeError("nobody thought of that")

    async def scenario() -> Reach:
        reach = Reach(probe, is_assumed=True)
        reach.failed("down")
        await watched(reach, seconds=100)
        return reach

    reach = run_on_virtual_clock(scenario())
    assert not reach.is_reachable
    assert reach.trouble == "it could not be tried; the operator finds it in the log"
