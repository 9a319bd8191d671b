import asyncio

from voice.floor import Floor


class Told:
    def __init__(self) -> None:
        self.waiting: list[bool] = []
        self.spoken: list[str] = []
        self.floor = Floor(self.waiting.append)

    async def says(self, text: str, *, is_urgent: bool = False, done: asyncio.Event) -> None:
        async with self.floor.taken(is_urgent=is_urgent):
            self.spoken.append(text)
            await done.wait()

    async def announces(self, text: str) -> None:
        async with self.floor.taken_for_notice():
            self.spoken.append(text)


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_one_speech_follows_the_other_and_what_is_urgent_goes_first() -> None:
    told, done = Told(), asyncio.Event()
    async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
        for text in ("first", "second"):
            tasks.create_task(told.says(text, done=done))
        await settled()
        tasks.create_task(told.says("urgent", is_urgent=True, done=done))
        await settled()
        assert told.spoken == ["first"]
        done.set()
    assert told.spoken == ["first", "urgent", "second"]


async def test_what_is_urgent_is_said_in_the_order_in_which_it_came() -> None:
    told, done = Told(), asyncio.Event()
    async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
        tasks.create_task(told.says("first", done=done))
        for text in ("one", "two"):
            tasks.create_task(told.says(text, is_urgent=True, done=done))
        await settled()
        done.set()
    assert told.spoken == ["first", "one", "two"]


async def test_notices_wait_to_be_called_one_at_a_time() -> None:
    told = Told()
    async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
        for text in ("one", "two"):
            tasks.create_task(told.announces(text))
        await settled()
        assert told.spoken == []
        told.floor.call_notice()
        await settled()
        assert told.spoken == ["one"]
        told.floor.call_notice()
    assert told.spoken == ["one", "two"]
    assert told.waiting == [True, True, False]


async def test_a_notice_is_not_called_while_somebody_has_the_floor() -> None:
    told, done = Told(), asyncio.Event()
    async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
        tasks.create_task(told.says("answer", done=done))
        tasks.create_task(told.announces("notice"))
        await settled()
        told.floor.call_notice()
        await settled()
        assert told.spoken == ["answer"]
        done.set()
        await settled()
        told.floor.call_notice()
    assert told.spoken == ["answer", "notice"]


async def test_who_is_cancelled_while_they_wait_holds_nobody_up() -> None:
    told, done = Told(), asyncio.Event()
    async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
        tasks.create_task(told.says("first", done=done))
        await settled()
        gone = tasks.create_task(told.says("gone", done=done))
        notice = tasks.create_task(told.announces("taken back"))
        tasks.create_task(told.says("last", done=done))
        await settled()
        gone.cancel()
        notice.cancel()
        await settled()
        told.floor.call_notice()
        done.set()
    assert told.spoken == ["first", "last"]
    assert told.waiting == [True, False]


async def test_who_is_cancelled_in_the_moment_of_their_turn_hands_it_on() -> None:
    told, done = Told(), asyncio.Event()
    async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
        tasks.create_task(told.says("first", done=done))
        await settled()
        gone = tasks.create_task(told.says("gone", done=done))
        tasks.create_task(told.says("last", done=done))
        await settled()
        done.set()
        await asyncio.sleep(0)  # the first one ends, and hands over
        gone.cancel()
    assert told.spoken in (["first", "last"], ["first", "gone", "last"])
