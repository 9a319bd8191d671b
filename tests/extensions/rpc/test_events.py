from typing import Any

from extensions.rpc.peer import Peer, PeerOptions
from tests.fakes.peer_owner import RecordingOwner, child
from tests.fakes.waiting import until


def event(number: int) -> dict[str, Any]:
    return {"event": "turn_start", "seq": number}


async def heard(peer: Peer, count: int) -> list[dict[str, Any]]:
    lines = await peer.call("heard", {"count": count}, timeout_seconds=20)
    return [line["params"] for line in lines]


async def test_events_come_in_their_order_each_with_its_number() -> None:
    async with child("talker") as peer:
        for _ in range(1000):
            peer.observe(event)

        assert await heard(peer, 1000) == [event(number) for number in range(1000)]


async def test_an_event_comes_before_a_call_that_was_made_after_it() -> None:
    async with child("talker") as peer:
        peer.observe(event)

        assert await heard(peer, 0) == [event(0)]


async def test_events_that_are_not_read_are_lost_from_the_oldest_and_told_of_once() -> None:
    options = PeerOptions(queued_events=10, events_lost=lambda lost: {"lost": lost})
    async with child("talker", options=options) as peer:
        # More than the pipe holds, so that events have to wait.
        peer.notify("note", {"text": "x" * 2_000_000})
        for _ in range(1000):
            peer.observe(event)
        assert peer.counts["events_lost"] == 990
        lines = await heard(peer, 12)

    assert lines[1:] == [{"lost": 990}, *map(event, range(990, 1000))]


async def test_a_peer_that_does_not_read_loses_events_and_notifications_and_costs_no_more() -> None:
    owner = RecordingOwner()
    async with child("unruly", "deaf", owner=owner, options=PeerOptions(queued_events=10)) as peer:
        await owner.told()
        for _ in range(5000):
            peer.observe(lambda number: {"seq": number, "text": "x" * 1000})
        assert peer.counts["events_lost"] > 4000
        for _ in range(5000):
            peer.notify("note", {"text": "x" * 10_000})

        await until(lambda: peer.counts["unsent"] > 4000)


async def test_events_after_the_end_are_no_trouble() -> None:
    async with child("talker") as peer:
        await peer.stop(grace_seconds=0)
        peer.observe(event)
        peer.notify("note", {})
