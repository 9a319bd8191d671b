import asyncio

import pytest

from bot.access import Person, Place
from bot.conversation.incoming import IncomingMessage
from bot.discord_io.reception import Reception
from bot.messenger import MessageRef
from tests.fakes.listener import FakeListener
from tests.fakes.waiting import until


def message(number: int) -> IncomingMessage:
    return IncomingMessage(
        ref=MessageRef(channel_id=2, message_id=number),
        author=Person(id=3, name="alice"),
        place=Place(guild_id=1, channel_id=2),
        text="hello",
        mentions_bot=True,
    )


async def test_of_a_flood_the_first_thousand_are_taken_and_the_rest_is_looked_for(
    caplog: pytest.LogCaptureFixture,
) -> None:
    listener = FakeListener()
    async with asyncio.TaskGroup() as tasks:
        reception = Reception(listener, tasks)
        for number in range(1002):
            reception.take_message(message(number))
        delivering = tasks.create_task(reception.deliver_messages())
        await until(lambda: listener.gaps == [1000])
        delivering.cancel()
    assert [taken.ref.message_id for taken in listener.messages] == list(range(1000))
    assert [record.getMessage() for record in caplog.records] == [
        "message 1000 is dropped: 1000 are waiting already",
        "message 1001 is dropped: 1000 are waiting already",
    ]


async def test_a_channel_that_ends_in_a_flood_is_looked_for() -> None:
    listener = FakeListener()
    async with asyncio.TaskGroup() as tasks:
        reception = Reception(listener, tasks)
        reception.take_channel_end(1)
        for number in range(999):
            reception.take_message(message(number))
        reception.take_channel_end(2)
        delivering = tasks.create_task(reception.deliver_messages())
        await until(lambda: listener.gaps == [999])
        delivering.cancel()
    assert listener.gone_channels == [1]


async def test_what_was_missed_is_looked_for_before_the_next_message_and_a_failure_stops_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class FailingListener(FakeListener):
        async def catch_up(self) -> None:
            await super().catch_up()
            raise RuntimeError("no database")

    listener = FailingListener()
    async with asyncio.TaskGroup() as tasks:
        reception = Reception(listener, tasks)
        reception.take_message(message(1))
        for _ in range(3):
            reception.take_gap()
        reception.take_message(message(2))
        delivering = tasks.create_task(reception.deliver_messages())
        await until(lambda: len(listener.messages) == 2)
        reception.take_gap()
        await until(lambda: len(listener.gaps) == 2)
        delivering.cancel()
    assert listener.gaps == [1, 2]
    assert "no database" in caplog.text


async def test_until_when_people_are_heard_is_told_after_all_that_came_before(
    caplog: pytest.LogCaptureFixture,
) -> None:
    listener = FakeListener()
    async with asyncio.TaskGroup() as tasks:
        reception = Reception(listener, tasks)
        reception.take_message(message(1))
        for at in (10.0, 20.0):
            reception.take_time(at)
        reception.take_message(message(2))
        delivering = tasks.create_task(reception.deliver_messages())
        await until(lambda: len(listener.messages) == 2)
        reception.take_time(30.0)
        await until(lambda: len(listener.heard) == 2)
        for number in range(1000):
            reception.take_message(message(number))
        reception.take_time(40.0)
        await until(lambda: len(listener.messages) == 1002)
        delivering.cancel()
    assert listener.told[:3] == ["arrived hello", "heard until 10", "arrived hello"]
    assert listener.heard == [10.0, 30.0]
    assert caplog.records == []
