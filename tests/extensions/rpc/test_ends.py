import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from extensions.process.child import running_child
from extensions.process.limits import ProcessLimits
from extensions.rpc.errors import PeerGoneError
from extensions.rpc.peer import Farewell, Peer, PeerEnd, PeerOptions, running_peer
from tests.fakes.peer_owner import RecordingOwner, child, child_command, is_gone
from tests.fakes.waiting import until

CRASHED = PeerEnd(exit_code=3, reason="it exited with code 3")
KILLED = PeerEnd(exit_code=-signal.SIGKILL, reason="it did not end in time, and was killed")


@asynccontextmanager
async def shell(
    code: str, owner: RecordingOwner, limits: ProcessLimits | None = None
) -> AsyncGenerator[Peer]:
    command = ["/bin/sh", "-c", code]
    async with (
        asyncio.timeout(20),
        running_peer(command, cwd=Path("/"), env={}, owner=owner, limits=limits) as peer,
    ):
        yield peer


async def failure_of(peer: Peer, method: str, **params: Any) -> str:
    with pytest.raises(PeerGoneError) as raised:
        await peer.call(method, params, timeout_seconds=20)
    return raised.value.reason


async def test_a_crash_ends_every_open_call_alike_and_once() -> None:
    async with child("talker") as peer:
        async with asyncio.TaskGroup() as tasks:
            calls = [tasks.create_task(failure_of(peer, "hang")) for _ in range(100)]
            calls.append(tasks.create_task(failure_of(peer, "exit", code=3)))

        assert {call.result() for call in calls} == {CRASHED.reason}
        assert await peer.ended() == peer.end == CRASHED
        assert await failure_of(peer, "echo") == CRASHED.reason


async def test_what_it_wrote_last_still_counts_and_half_a_message_does_not() -> None:
    owner = RecordingOwner()
    last = '{"jsonrpc":"2.0","method":"last"}\n{"jsonrpc":"2.0","id":2,"res'
    async with child("talker", owner=owner) as peer, asyncio.TaskGroup() as tasks:
        tasks.create_task(failure_of(peer, "print", text=last))
        tasks.create_task(failure_of(peer, "exit", code=3))

    assert list(owner.notes) == [("last", {})]
    assert peer.counts["garbage"] == peer.counts["unmatched"] == 0


@pytest.mark.parametrize(
    ("number", "reason"),
    [(0, "it closed its standard input"), (1, "it closed its standard output")],
)
async def test_one_that_closes_a_pipe_but_lives_is_taken_for_dead(number: int, reason: str) -> None:
    async with child("talker") as peer:
        assert await failure_of(peer, "close", number=number) == reason
        assert await peer.ended() == PeerEnd(exit_code=-signal.SIGKILL, reason=reason)
        assert is_gone(peer.pid)


async def test_one_that_closes_its_standard_error_works_on() -> None:
    async with child("talker") as peer:
        assert await peer.call("close", {"number": 2}, timeout_seconds=20) == {}
        assert await peer.call("echo", {"a": 1}, timeout_seconds=20) == {"a": 1}


async def test_one_that_leaves_its_pipes_to_a_daemon_is_dead_and_so_is_the_daemon() -> None:
    owner = RecordingOwner()
    async with child("unruly", "daemon", owner=owner) as peer:
        assert await peer.ended() == PeerEnd(exit_code=0, reason="it exited with code 0")
        assert await failure_of(peer, "echo") == "it exited with code 0"
    # The daemon may have written that after the end, when nobody read any more.
    daemons = [params["pid"] for _, params in owner.notes]

    await until(lambda: all(map(is_gone, daemons)))


async def test_none_of_a_stubborn_family_is_left() -> None:
    owner = RecordingOwner()
    async with child("unruly", "family", owner=owner) as peer:
        pids: list[int] = (await owner.told())["pids"]
        assert await peer.stop(grace_seconds=0.05) == KILLED

    assert len(pids) == 10
    await until(lambda: all(map(is_gone, [peer.pid, *pids])))


async def test_one_that_is_stopped_by_a_signal_is_killed_all_the_same() -> None:
    async with child("talker") as peer:
        await peer.call("echo", {}, timeout_seconds=20)
        os.kill(peer.pid, signal.SIGSTOP)

        assert await peer.stop(grace_seconds=0.05) == KILLED


async def test_a_farewell_is_said_before_the_end() -> None:
    async with child("talker") as peer:
        farewell = Farewell(method="echo", params={}, is_request=True)

        assert await peer.stop(farewell, grace_seconds=20) == PeerEnd(
            exit_code=0, reason="it exited with code 0"
        )
        assert peer.counts["calls"] == 1


async def test_a_peer_that_crashes_at_the_farewell_has_ended() -> None:
    async with child("talker") as peer:
        farewell = Farewell(method="exit", params={"code": 3}, is_request=True)

        assert await peer.stop(farewell, grace_seconds=20) == CRASHED
        assert await peer.stop(farewell, grace_seconds=20) == CRASHED


async def test_a_farewell_that_is_no_request_is_heard_too() -> None:
    owner = RecordingOwner()
    command = 'read -r line; echo "$line" >&2; read -r line || exit 7'
    async with child("talker") as peer:
        peer.notify("note", {})
        assert (await peer.stop(grace_seconds=20)).exit_code == 0
    async with shell(command, owner) as peer:
        farewell = Farewell(method="bye", params={"reason": "over"}, is_request=False)
        assert (await peer.stop(farewell, grace_seconds=20)).exit_code == 7

    assert owner.complaints == ['{"jsonrpc":"2.0","method":"bye","params":{"reason":"over"}}']


async def test_calls_that_are_open_when_it_is_stopped_end_with_it() -> None:
    async with child("talker") as peer, asyncio.TaskGroup() as tasks:
        calls = [tasks.create_task(failure_of(peer, "hang")) for _ in range(100)]
        await until(lambda: peer.counts["open_calls"] == 100)
        stopping = tasks.create_task(peer.stop(grace_seconds=20))
        await asyncio.sleep(0)
        assert await failure_of(peer, "echo") == "it is being stopped"

    assert stopping.result().exit_code == 0
    assert {call.result() for call in calls} == {"it exited with code 0"}


async def test_it_is_ended_when_the_block_is_left_however_that_is() -> None:
    peers: list[Peer] = []
    up = asyncio.Event()

    async def use() -> None:
        async with child("unruly", "family") as peer:
            peers.append(peer)
            up.set()
            await asyncio.Event().wait()

    async with asyncio.timeout(20), asyncio.TaskGroup() as tasks:
        user = tasks.create_task(use())
        await up.wait()
        user.cancel()
        await asyncio.sleep(0)
        user.cancel()

    assert is_gone(peers[0].pid)
    assert peers[0].end == PeerEnd(exit_code=-signal.SIGKILL, reason="it was killed")


async def test_crash_after_crash_leaves_nothing_behind() -> None:
    async def crash() -> None:
        async with child("talker") as peer:
            await failure_of(peer, "exit", code=3)

    await crash()
    before = own_files_and_children()
    for _ in range(10):
        await crash()

    assert own_files_and_children() == before


def own_files_and_children() -> tuple[list[Path], str]:
    """Return what this process holds open, and the children that it has not reaped."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    return sorted(Path("/proc/self/fd").iterdir()), children


async def test_one_that_takes_too_much_memory_is_killed_and_that_is_said() -> None:
    options = PeerOptions(memory_bytes=100 * 1024**2, look_seconds=0.05)
    async with child("unruly", "greedy", options=options) as peer:
        end = await peer.ended()

    assert end == PeerEnd(exit_code=-signal.SIGKILL, reason="it took more than 100 MiB of memory")


async def test_one_that_becomes_too_many_is_killed_and_that_is_said() -> None:
    async with child(
        "unruly", "family", options=PeerOptions(processes=5, look_seconds=0.05)
    ) as peer:
        end = await peer.ended()

    assert end == PeerEnd(exit_code=-signal.SIGKILL, reason="it had more than 5 processes")


async def test_one_that_computes_too_long_is_ended_and_that_is_said() -> None:
    async with child("unruly", "busy", limits=ProcessLimits(cpu_seconds=1)) as peer:
        end = await peer.ended()

    assert end == PeerEnd(
        exit_code=-signal.SIGXCPU, reason="it took more processor time than it may"
    )


async def test_one_that_writes_too_much_to_a_file_is_ended_and_that_is_said(
    tmp_path: Path,
) -> None:
    code = f"exec head -c 1000000 /dev/zero > {tmp_path}/file"
    limits = ProcessLimits(file_bytes=100_000)
    async with shell(code, RecordingOwner(), limits) as peer:
        end = await peer.ended()

    assert end == PeerEnd(exit_code=-signal.SIGXFSZ, reason="it wrote a larger file than it may")


async def test_a_process_that_asks_for_too_much_memory_does_not_get_it() -> None:
    owner = RecordingOwner()
    limits = ProcessLimits(data_bytes=100_000_000)
    async with child("unruly", "greedy", owner=owner, limits=limits) as peer:
        assert await peer.ended() == PeerEnd(exit_code=1, reason="it exited with code 1")

    assert owner.complaints[-1] == "MemoryError"


async def test_it_dies_with_the_process_that_started_it(tmp_path: Path) -> None:
    code = f"""
import asyncio, pathlib, sys
sys.path.insert(0, {str(Path.cwd())!r})
from extensions.rpc.peer import running_peer
class Owner:
    async def requested(self, method, params, request_id): return None
    def notified(self, method, params): print(params["pids"], flush=True)
    def stderr(self, line): pass
async def main():
    async with running_peer({child_command("unruly", "family")!r},
                            cwd=pathlib.Path("."), env={{}}, owner=Owner()) as peer:
        print(peer.pid, flush=True)
        await asyncio.sleep(60)
asyncio.run(main())
"""
    async with running_child(
        [sys.executable, "-c", code], cwd=tmp_path, env={"PATH": os.environ["PATH"]}
    ) as parent:
        assert parent.stdout is not None
        peer_pid = int(await parent.stdout.readline())
        pids = [int(pid) for pid in (await parent.stdout.readline()).strip(b"[]\n").split(b",")]
        parent.kill()

        # It ignores SIGTERM, and does not read.
        await until(lambda: is_gone(peer_pid))
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
