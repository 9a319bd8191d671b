import asyncio
from typing import Any

import pytest

from extensions.rpc.peer import Peer, PeerOptions
from tests.fakes.peer_owner import RecordingOwner, child
from tests.fakes.waiting import until


def request(request_id: object, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


def take_back(request_id: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": request_id}}


async def tell(peer: Peer, *lines: dict[str, Any]) -> None:
    """Have the child write these lines."""
    await peer.call("tell", {"lines": lines}, timeout_seconds=20)


async def answers(peer: Peer, count: int) -> dict[Any, Any]:
    """Return what the child was answered, by id: the result, or the code of the error."""
    lines = await peer.call("heard", {"count": count}, timeout_seconds=20)
    return {line["id"]: line.get("result", line.get("error", {}).get("code")) for line in lines}


async def test_each_request_is_answered_with_what_its_handler_says() -> None:
    async with child("talker") as peer:
        await tell(
            peer,
            request(1, "echo", a=1),
            request("two", "echo"),
            request(3, "fail"),
            request(4, "no-such"),
            {"jsonrpc": "2.0", "id": 5, "method": "echo"},
            {"jsonrpc": "2.0", "id": 6, "method": "echo", "params": [1]},
        )

        assert await answers(peer, 6) == {
            1: {"a": 1}, "two": {}, 3: -32002, 4: -32601, 5: {}, 6: -32602,
        }  # fmt: skip


async def test_a_handler_that_breaks_is_logged_and_answered(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with child("talker") as peer:
        await tell(peer, request(1, "break"), {"jsonrpc": "2.0", "method": "break"})

        assert await answers(peer, 1) == {1: -32603}
    assert [record.exc_info is not None for record in caplog.records] == [True, True]


async def test_a_request_that_takes_long_holds_up_nothing() -> None:
    owner = RecordingOwner()
    async with child("talker", owner=owner) as peer:
        await tell(peer, request(1, "wait"), request(2, "echo"))

        assert await answers(peer, 1) == {2: {}}
        assert await peer.call("echo", {"a": 1}, timeout_seconds=20) == {"a": 1}
        assert owner.waiting == {1}


async def test_a_request_that_is_taken_back_is_stopped_and_answered_so() -> None:
    owner = RecordingOwner()
    async with child("talker", owner=owner) as peer:
        await tell(peer, request(1, "wait"))
        await until(lambda: owner.waiting == {1})
        await tell(peer, take_back(1), take_back(1), take_back(99))

        assert await answers(peer, 1) == {1: -32800}
        assert owner.cancelled == [1]
        assert peer.counts["open_requests"] == 0


async def test_a_request_that_is_taken_back_in_the_same_breath_is_answered_too() -> None:
    async with child("talker") as peer:
        await tell(peer, request(1, "wait"), take_back(1))

        assert await answers(peer, 1) == {1: -32800}


async def test_no_more_requests_are_open_than_may_be() -> None:
    owner = RecordingOwner()
    async with child("talker", owner=owner, options=PeerOptions(open_requests=2)) as peer:
        await tell(peer, *(request(number, "wait") for number in range(5)))
        assert await answers(peer, 3) == {2: -32000, 3: -32000, 4: -32000}

        await tell(peer, take_back(0))
        await until(lambda: peer.counts["open_requests"] == 1)
        await tell(peer, request(5, "echo"))
        assert (await answers(peer, 5))[5] == {}
        assert peer.counts["refused_requests"] == 3


async def test_an_id_that_is_in_use_is_refused() -> None:
    owner = RecordingOwner()
    async with child("talker", owner=owner) as peer:
        await tell(peer, request(1, "wait"), request(1, "echo"), request("1", "echo"))

        assert await answers(peer, 2) == {1: -32600, "1": {}}


async def test_an_answer_of_ours_that_is_too_large_becomes_an_error() -> None:
    async with child("talker", options=PeerOptions(frame_bytes=10_000)) as peer:
        await tell(peer, request(1, "large", size=10_000), request(2, "large", size=1000))

        assert await answers(peer, 2) == {1: -32603, 2: "x" * 1000}


async def test_whoever_answers_is_stopped_when_the_peer_ends() -> None:
    owner = RecordingOwner()
    async with child("talker", owner=owner) as peer:
        await tell(peer, request(1, "wait"), request(2, "wait"))
        await until(lambda: owner.waiting == {1, 2})
        peer.notify("note", {})
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(peer.stop(grace_seconds=0))
            tasks.create_task(peer.ended())

    assert sorted(owner.cancelled, key=str) == [1, 2]


async def test_a_flood_of_requests_whose_answers_are_not_read_stays_bounded() -> None:
    owner = RecordingOwner()
    options = PeerOptions(queued_bytes=100_000)
    async with child("unruly", "requests", owner=owner, options=options) as peer:
        await until(lambda: peer.counts["unsent"] > 1000)

        assert len(owner.waiting) == 100
        assert peer.counts["open_requests"] == 100
        assert peer.counts["throttled"] > 0
