import asyncio
from pathlib import Path

import pytest

from tests.fakes.job_backend import FakeJobBackend
from tests.fakes.job_house import JobHouse
from tests.fakes.job_tool_desk import ANNA, BEN, FAILED, Desk, end, opened
from tests.fakes.waiting import until


@pytest.fixture
def house(tmp_path: Path) -> JobHouse:
    return JobHouse(tmp_path)


@pytest.fixture
def backend() -> FakeJobBackend:
    return FakeJobBackend()


async def give_up_waiting(desk: Desk, job_id: str, *, calls: int) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await wait_for_ever(desk, job_id, calls=calls)


async def spawned_and_running(desk: Desk, backend: FakeJobBackend, name: str) -> None:
    spawned = await desk.call(ANNA, "spawn_extension", task="print fibonacci", name=name)
    await until(lambda: spawned["id"] in backend.runs)


async def wait_for_ever(desk: Desk, job_id: str, *, calls: int) -> None:
    async with asyncio.TaskGroup() as tasks:
        for _ in range(calls):
            tasks.create_task(desk.call(ANNA, "wait_extension", id=job_id))


class TestWaitExtension:
    async def test_it_returns_as_soon_as_the_job_has_settled(
        self, house: JobHouse, backend: FakeJobBackend
    ) -> None:
        async with opened(house, backend) as desk, asyncio.TaskGroup() as tasks:
            spawned = await desk.call(ANNA, "spawn_extension", task="print fibonacci")
            waiting = tasks.create_task(desk.call(ANNA, "wait_extension", id="print-fibonacci"))
            await end(house, backend, spawned["id"], FAILED)
            answer = await waiting
            again = await desk.call(ANNA, "wait_extension", id=spawned["id"])

        assert (answer["id"], answer["status"], answer["error"]) == (
            spawned["id"],
            "failed",
            "It ended.",
        )
        assert answer["settled"] is again["settled"] is True

    async def test_several_are_waited_for_together(
        self, house: JobHouse, backend: FakeJobBackend
    ) -> None:
        async with opened(house, backend) as desk, asyncio.TaskGroup() as tasks:
            for name in ("auth", "docs"):
                await spawned_and_running(desk, backend, name)
            waiting = tasks.create_task(desk.call(ANNA, "wait_extension", id="auth and docs"))
            for number in (1, 2):
                await end(house, backend, f"{number:08x}", FAILED)
            answer = await waiting

        assert [(one["name"], one["settled"]) for one in answer["extensions"]] == [
            ("auth", True),
            ("docs", True),
        ]

    async def test_when_the_time_is_up_it_tells_how_the_job_stands(
        self, house: JobHouse, backend: FakeJobBackend
    ) -> None:
        async with opened(house, backend) as desk:
            spawned = await desk.call(ANNA, "spawn_extension", task="print fibonacci")
            answer = await desk.call(ANNA, "wait_extension", id=spawned["id"], seconds=0)

        assert (answer["status"], answer["settled"]) == ("running", False)

    async def test_a_wait_that_is_given_up_ends_at_once_and_makes_room(
        self, house: JobHouse, backend: FakeJobBackend
    ) -> None:
        async with opened(house, backend) as desk:
            spawned = await desk.call(ANNA, "spawn_extension", task="print fibonacci")
            for _ in range(3):
                await give_up_waiting(desk, spawned["id"], calls=4)
            answer = await desk.call(ANNA, "wait_extension", id=spawned["id"], seconds=0)
        assert answer["settled"] is False

    async def test_only_a_few_calls_of_one_caller_wait_at_once(
        self, house: JobHouse, backend: FakeJobBackend
    ) -> None:
        async with opened(house, backend) as desk:
            spawned = await desk.call(ANNA, "spawn_extension", task="print fibonacci")
            bens = await desk.call(BEN, "spawn_extension", task="print fibonacci")
            async with asyncio.TaskGroup() as tasks:
                answers = [
                    tasks.create_task(desk.answer(ANNA, "wait_extension", id=spawned["id"]))
                    for _ in range(6)
                ]
                await until(lambda: sum(answer.done() for answer in answers) == 2)
                other = await desk.call(BEN, "wait_extension", id=bens["id"], seconds=0)
                await end(house, backend, spawned["id"], FAILED)

        assert [answer.result().is_error for answer in answers].count(True) == 2
        assert other["settled"] is False

    @pytest.mark.parametrize("seconds", [-1, 31, "long"])
    async def test_a_wait_of_more_than_half_a_minute_is_refused(
        self, house: JobHouse, backend: FakeJobBackend, seconds: object
    ) -> None:
        async with opened(house, backend) as desk:
            spawned = await desk.call(ANNA, "spawn_extension", task="print fibonacci")
            refusal = await desk.refusal(ANNA, "wait_extension", id=spawned["id"], seconds=seconds)

        assert refusal == "seconds must be a number from 0 to 30."


class TestCancelExtension:
    async def test_it_tells_how_the_job_stands_after_that(
        self, house: JobHouse, backend: FakeJobBackend
    ) -> None:
        async with opened(house, backend) as desk:
            spawned = await desk.call(ANNA, "spawn_extension", task="print fibonacci")
            await until(lambda: spawned["id"] in backend.runs)
            answer = await desk.call(ANNA, "cancel_extension", id="print-fibonacci")
            again = await desk.refusal(ANNA, "cancel_extension", id=spawned["id"])

        assert (answer["id"], answer["status"], answer["settled"]) == (
            spawned["id"],
            "cancelled",
            True,
        )
        assert again == "job 'print-fibonacci' has already ended (cancelled)"

    async def test_who_may_see_a_job_may_not_therefore_cancel_it(
        self, house: JobHouse, backend: FakeJobBackend
    ) -> None:
        async with opened(house, backend) as desk:
            spawned = await desk.call(ANNA, "spawn_extension", task="x", name="precious")
            refusal = await desk.refusal(ANNA, "cancel_extension", id="precious")

            assert desk.manager.is_live(spawned["id"])
        assert refusal == "The people who are being answered may not cancel that."

    async def test_both_are_stopped_and_each_is_told(
        self, house: JobHouse, backend: FakeJobBackend
    ) -> None:
        async with opened(house, backend) as desk:
            for name in ("auth", "docs"):
                await spawned_and_running(desk, backend, name)
            answer = await desk.call(ANNA, "cancel_extension", id="both of them")

        assert [(one["name"], one["status"], one["settled"]) for one in answer["extensions"]] == [
            ("docs", "cancelled", True),
            ("auth", "cancelled", True),
        ]

    async def test_of_several_those_that_may_not_be_stopped_go_on_and_it_says_why(
        self, house: JobHouse, backend: FakeJobBackend
    ) -> None:
        async with opened(house, backend) as desk:
            for name in ("precious", "docs"):
                await spawned_and_running(desk, backend, name)
            answer = await desk.call(ANNA, "cancel_extension", id="all")

        assert [
            (one["name"], one["status"], one.get("notStopped")) for one in answer["extensions"]
        ] == [
            ("docs", "cancelled", None),
            ("precious", "running", "The people who are being answered may not cancel that."),
        ]

    async def test_if_it_is_unclear_which_is_meant_nothing_is_stopped(
        self, house: JobHouse, backend: FakeJobBackend
    ) -> None:
        async with opened(house, backend) as desk:
            for name in ("auth-docs", "auth-tests"):
                await spawned_and_running(desk, backend, name)
            refusal = await desk.refusal(ANNA, "cancel_extension", id="the auth one")

            assert len(desk.manager.running()) == 2
        assert refusal == (
            "It is unclear which one is meant: ask the person. It could be"
            " auth-tests (00000002, running), auth-docs (00000001, running)."
        )


@pytest.mark.parametrize("tool", ["wait_extension", "cancel_extension"])
async def test_the_job_of_somebody_else_is_neither_waited_for_nor_cancelled(
    house: JobHouse, backend: FakeJobBackend, tool: str
) -> None:
    async with opened(house, backend) as desk:
        spawned = await desk.call(BEN, "spawn_extension", task="print fibonacci")
        for wanted in (spawned["id"], spawned["name"]):
            refusal = await desk.refusal(ANNA, tool, id=wanted)
            assert refusal == f'no extension named "{wanted}"'

        assert desk.manager.is_live(spawned["id"])
