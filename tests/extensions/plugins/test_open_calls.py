import asyncio
from dataclasses import replace

import pytest

from extensions.hooks import NOWHERE
from extensions.plugins.open_calls import OpenCalls
from tests.fakes.plugin_host import ELSEWHERE, HERE
from tests.fakes.virtual_clock import run_on_virtual_clock

JOB = replace(HERE, agent_id="job-1")


async def test_a_plugin_works_for_those_whose_call_is_open_and_else_for_the_last() -> None:
    calls = OpenCalls(is_for_one_party=False)
    assert calls.occasion == NOWHERE
    one = await calls.enter(HERE, timeout_seconds=1)
    other = await calls.enter(ELSEWHERE, timeout_seconds=1)
    assert (calls.occasion, calls.count) == (NOWHERE, 2)
    calls.leave(one)
    assert calls.occasion == ELSEWHERE
    calls.leave(other)
    assert (calls.occasion, calls.count) == (ELSEWHERE, 0)


async def test_calls_of_nobody_do_not_hide_who_was_the_last() -> None:
    calls = OpenCalls(is_for_one_party=False)
    calls.leave(await calls.enter(HERE, timeout_seconds=1))
    number = await calls.enter(NOWHERE, timeout_seconds=1)
    assert calls.occasion == NOWHERE
    calls.leave(number)
    assert calls.occasion == HERE


async def test_who_pressed_a_key_is_served_unless_a_call_is_open() -> None:
    calls = OpenCalls(is_for_one_party=False)
    calls.served(ELSEWHERE)
    calls.served(NOWHERE)
    assert calls.occasion == ELSEWHERE
    number = await calls.enter(HERE, timeout_seconds=1)
    calls.served(ELSEWHERE)
    assert calls.occasion == HERE
    calls.leave(number)
    assert calls.occasion == ELSEWHERE


async def test_others_wait_for_their_turn_and_the_same_party_does_not() -> None:
    calls = OpenCalls(is_for_one_party=True)
    first = await calls.enter(HERE, timeout_seconds=1)
    async with asyncio.TaskGroup() as tasks:
        waiting = [tasks.create_task(calls.enter(ELSEWHERE, timeout_seconds=9)) for _ in range(2)]
        await asyncio.sleep(0)
        nested = await calls.enter(JOB, timeout_seconds=1)
        calls.leave(first)
        await asyncio.sleep(0)
        assert calls.occasion == JOB
        calls.leave(nested)
        late = tasks.create_task(calls.enter(HERE, timeout_seconds=9))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert (calls.occasion, calls.count) == (ELSEWHERE, 2)
        for each in waiting:
            calls.leave(each.result())
    calls.leave(late.result())
    assert calls.count == 0


def test_who_waits_too_long_is_told_and_nobody_waits_for_them() -> None:
    async def work() -> None:
        calls = OpenCalls(is_for_one_party=True)
        first = await calls.enter(HERE, timeout_seconds=1)
        with pytest.raises(TimeoutError):
            await calls.enter(ELSEWHERE, timeout_seconds=30)
        calls.leave(first)
        calls.leave(await calls.enter(ELSEWHERE, timeout_seconds=1))

    run_on_virtual_clock(work())


def test_how_long_an_answer_is_waited_for_is_known_of_the_one_open_call() -> None:
    async def work() -> None:
        calls = OpenCalls(is_for_one_party=True)
        assert calls.seconds_left is None
        first = await calls.enter(HERE, timeout_seconds=60)
        await asyncio.sleep(20)
        assert calls.seconds_left == pytest.approx(40)
        second = await calls.enter(HERE, timeout_seconds=5)
        assert calls.seconds_left is None
        calls.leave(first)
        await asyncio.sleep(9)
        assert calls.seconds_left == 0
        calls.leave(second)
        assert calls.seconds_left is None

    run_on_virtual_clock(work())


async def test_one_that_was_let_in_but_gave_up_makes_room() -> None:
    calls = OpenCalls(is_for_one_party=True)
    first = await calls.enter(HERE, timeout_seconds=1)
    async with asyncio.TaskGroup() as tasks:
        gone = tasks.create_task(calls.enter(ELSEWHERE, timeout_seconds=9))
        next_one = tasks.create_task(calls.enter(HERE, timeout_seconds=9))
        await asyncio.sleep(0)
        # It is let in and gives up before it could notice.
        calls.leave(first)
        gone.cancel()
        number = await next_one
    assert calls.occasion == HERE
    calls.leave(number)
    assert calls.count == 0


async def test_calls_are_given_up_once_nobody_waits_for_any_that_was_open() -> None:
    calls = OpenCalls(is_for_one_party=False)
    async with asyncio.TaskGroup() as tasks:
        for_nobody = tasks.create_task(calls.given_up())
        await asyncio.sleep(0)
        first, second = [await calls.enter(HERE, timeout_seconds=1) for _ in range(2)]
        for_both = tasks.create_task(calls.given_up())
        await asyncio.sleep(0)
        calls.leave(first, is_given_up=True)
        for_the_second = tasks.create_task(calls.given_up())
        await asyncio.sleep(0)
        assert not for_both.done()
        calls.leave(second, is_given_up=True)
        await for_both
        await for_the_second
        answered = await calls.enter(HERE, timeout_seconds=1)
        for_an_answered_one = tasks.create_task(calls.given_up())
        await asyncio.sleep(0)
        calls.leave(answered)
        await asyncio.sleep(0)
        assert not for_nobody.done()
        assert not for_an_answered_one.done()
        for_nobody.cancel()
        for_an_answered_one.cancel()
