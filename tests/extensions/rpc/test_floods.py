import asyncio
import logging

import pytest

from extensions.rpc.errors import PeerTimeoutError
from extensions.rpc.peer import Peer, PeerOptions
from tests.fakes.peer_owner import RecordingOwner, child
from tests.fakes.waiting import until


async def answers(peer: Peer, count: int) -> int:
    """Return how many of so many calls, one after the other, are answered."""
    results = [await peer.call("echo", {"n": n}, timeout_seconds=20) for n in range(count)]
    return sum(result == {"n": n} for n, result in enumerate(results))


@pytest.mark.parametrize(
    ("mode", "count"),
    [("garbage", "garbage"), ("complaints", "stderr_dropped_bytes"), ("endless", "throttled")],
)
async def test_a_flood_is_braked_and_its_neighbour_is_answered(
    mode: str, count: str, caplog: pytest.LogCaptureFixture
) -> None:
    owner = RecordingOwner()
    options = PeerOptions(frame_bytes=100_000, unasked_bytes_per_second=5_000_000)
    async with child("talker") as peer, child("unruly", mode, owner=owner, options=options) as loud:
        await until(lambda: loud.counts["throttled"] > 2)
        assert await answers(peer, 200) == 200
        await until(lambda: loud.counts["throttled"] > 6)

        assert loud.counts[count] > 0
        assert sum(map(len, owner.complaints)) <= 1_000_000
    # One line when it began, and one at the end that tells of the rest.
    warnings = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert len(warnings) == {"garbage": 2, "complaints": 2, "endless": 0}[mode]


async def test_a_flooder_can_be_called_and_stopped() -> None:
    options = PeerOptions(unasked_bytes_per_second=5_000_000)
    async with child("unruly", "garbage", options=options) as loud:
        await until(lambda: loud.counts["throttled"] > 0)
        with pytest.raises(PeerTimeoutError):
            await loud.call("echo", {}, timeout_seconds=0.05)

        assert (await loud.stop(grace_seconds=0.05)).exit_code == -9


async def test_answers_however_many_are_not_braked() -> None:
    options = PeerOptions(unasked_bytes_per_second=1000)
    async with child("talker", options=options) as peer, asyncio.TaskGroup() as tasks:
        for _ in range(20):
            tasks.create_task(peer.call("echo", {"text": "x" * 50_000}, timeout_seconds=20))

    assert peer.counts["throttled"] == 0
