import asyncio

from tests.fakes.virtual_clock import run_on_virtual_clock
from tests.fakes.voice_link import FakeLink
from voice.outlet import Outlet


def test_each_play_begins_where_the_one_before_ended() -> None:
    async def scenario() -> None:
        link = FakeLink(listeners=[1])
        outlet = Outlet(link)
        assert outlet.play([b"a"] * 3) == 0
        assert outlet.play([b"b"] * 2) == 3
        assert await outlet.sent(5)
        assert outlet.sent_count == 5

    run_on_virtual_clock(scenario())


def test_what_was_dropped_takes_no_place() -> None:
    async def scenario() -> None:
        link = FakeLink(listeners=[1])
        outlet = Outlet(link)
        outlet.play([b"a"] * 100)
        await link.sent(10)
        async with asyncio.TaskGroup() as tasks:
            waiting = tasks.create_task(outlet.sent(100))
            await asyncio.sleep(0)
            outlet.drop()
        assert waiting.result() is False
        assert outlet.play([b"b"] * 5) == 10
        assert await outlet.sent(15)

    run_on_virtual_clock(scenario())


def test_a_packet_that_was_under_way_while_the_rest_was_dropped_moves_what_follows() -> None:
    async def scenario() -> None:
        link = FakeLink(listeners=[1])
        outlet = Outlet(link)
        outlet.play([b"a"] * 10)
        outlet.drop()
        link.sent_count += 1
        assert outlet.play([b"b"]) == 2

    run_on_virtual_clock(scenario())
