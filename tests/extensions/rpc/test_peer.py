import asyncio
from pathlib import Path
from typing import Any

import pytest

from extensions.rpc.errors import (
    BadAnswerError,
    FrameTooLargeError,
    PeerBusyError,
    PeerTimeoutError,
)
from extensions.rpc.messages import RpcError
from extensions.rpc.peer import Peer, PeerOptions, running_peer
from tests.fakes.peer_owner import RecordingOwner, child
from tests.fakes.waiting import until

CANCEL = {"jsonrpc": "2.0", "method": "$/cancel"}


async def ask(peer: Peer, method: str, timeout_seconds: float = 20, **params: Any) -> Any:
    return await peer.call(method, params, timeout_seconds=timeout_seconds)


async def heard(peer: Peer, count: int) -> list[dict[str, Any]]:
    """Return what the child heard beside requests, once it is that much."""
    lines: list[dict[str, Any]] = await ask(peer, "heard", count=count)
    return lines


async def test_a_call_gets_its_own_answer_whatever_else_is_open() -> None:
    async with child("talker") as peer, asyncio.TaskGroup() as tasks:
        calls = [tasks.create_task(ask(peer, "echo", number=n)) for n in range(1000)]

    assert [call.result() for call in calls] == [{"number": n} for n in range(1000)]
    assert peer.counts["calls"] == 1000
    assert peer.counts["unmatched"] == peer.counts["garbage"] == 0


async def test_large_messages_go_both_ways_whole() -> None:
    async with child("talker") as peer, asyncio.TaskGroup() as tasks:
        texts = [character * 1_500_000 for character in "abc"]
        calls = [tasks.create_task(ask(peer, "echo", text=text)) for text in texts]

    assert [call.result()["text"] for call in calls] == texts


async def test_a_slow_reader_gets_whole_lines() -> None:
    async with child("unruly", "slow") as peer, asyncio.TaskGroup() as tasks:
        sizes = [300_000, 10, 200_000]
        calls = [tasks.create_task(ask(peer, "m", text="x" * size)) for size in sizes]

    empty = len('{"jsonrpc":"2.0","id":1,"method":"m","params":{"text":""}}')
    assert [call.result() - empty for call in calls] == sizes


async def test_an_error_of_the_peer_is_raised_as_it_says() -> None:
    line = '{"jsonrpc":"2.0","id":<id>,"error":{"code":-32602,"message":"no","data":[1]}}\n'
    async with child("talker") as peer:
        with pytest.raises(RpcError) as raised:
            await ask(peer, "print", text=line)

    assert (raised.value.code, raised.value.message, raised.value.data) == (-32602, "no", [1])


async def test_calls_are_numbered_from_where_one_likes() -> None:
    async with child("talker", options=PeerOptions(first_id=0)) as peer:
        line = '{"jsonrpc":"2.0","id":0,"result":"hello"}\n'
        assert await ask(peer, "print", text=line) == "hello"


async def test_a_call_without_an_answer_gives_up_and_tells_the_peer_to_stop() -> None:
    async with child("talker") as peer:
        with pytest.raises(PeerTimeoutError, match=r"hang was not answered within 0\.05 seconds"):
            await ask(peer, "hang", timeout_seconds=0.05)

        assert await heard(peer, 1) == [CANCEL | {"params": {"id": 1}}]
        assert peer.counts["timeouts"] == 1


async def test_the_answer_to_a_call_that_was_given_up_is_counted_and_dropped() -> None:
    async with child("talker") as peer:
        with pytest.raises(PeerTimeoutError):
            await ask(peer, "hang", timeout_seconds=0.05)
        late = '{"jsonrpc":"2.0","id":1,"result":1}\n{"jsonrpc":"2.0","id":<id>,"result":2}\n'

        assert await ask(peer, "print", text=late) == 2
        assert peer.counts["unmatched"] == 1


async def test_a_call_whose_caller_is_cancelled_is_taken_back() -> None:
    async with child("talker") as peer:
        async with asyncio.TaskGroup() as tasks:
            call = tasks.create_task(ask(peer, "hang"))
            await until(lambda: peer.counts["open_calls"] == 1)
            call.cancel()

        assert await heard(peer, 1) == [CANCEL | {"params": {"id": 1}}]
        assert peer.counts["open_calls"] == 0


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("Listening on port 8080\n", {"garbage": 1}),
        ("\xff\xfe\x00\n\n \r\n\xef\xbb\xbf\n", {"garbage": 2}),
        ("[" * 100_000 + "\n", {"garbage": 1}),
        ('{"jsonrpc":"2.0","id":4711,"result":1}\n', {"unmatched": 1}),
        ('{"jsonrpc":"2.0","id":"<id>","result":1}\n', {"unmatched": 1}),
        ('{"jsonrpc":"2.0","id":<id>.0,"result":1}\n', {"garbage": 1}),
        ('{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}\n', {"unmatched": 1}),
        ('[{"jsonrpc":"2.0","id":<id>,"result":1}]\n', {"garbage": 1}),
        ('{"jsonrpc":"2.0","method":"note","params":[]}\n', {"garbage": 1}),
        ('{"jsonrpc":"2.0","method":"break"}\n', {"notifications": 1}),
        ('{"jsonrpc":"2.0","method":"$/cancel","params":{"id":[]}}\n', {"notifications": 1}),
    ],
)
async def test_what_means_nothing_is_counted_and_the_next_message_is_fine(
    text: str, counts: dict[str, int]
) -> None:
    async with child("talker") as peer:
        last = '{"jsonrpc":"2.0","id":<id>,"result":"fine"}\r\n'

        assert await ask(peer, "print", text=text + last) == "fine"
        assert {name: peer.counts[name] for name in counts} == counts


async def test_a_second_answer_is_counted_and_dropped() -> None:
    async with child("talker") as peer:
        line = '{"jsonrpc":"2.0","id":<id>,"result":1}\n'

        assert await ask(peer, "print", text=line, times=3) == 1
        await until(lambda: peer.counts["unmatched"] == 2)


async def test_an_answer_that_cannot_be_read_is_told_at_once() -> None:
    async with child("talker") as peer:
        with pytest.raises(BadAnswerError):
            await ask(peer, "print", text='{"jsonrpc":"2.0","id":<id>,"result":"\xff"}\n')


async def test_an_answer_that_is_too_large_is_discarded_and_told_to_its_caller() -> None:
    async with child("talker", options=PeerOptions(frame_bytes=100_000)) as peer:
        line = '{"jsonrpc":"2.0","id":<id>,"result":"<fill>"}\n'
        with pytest.raises(FrameTooLargeError, match="the answer is larger than 100000 bytes"):
            await ask(peer, "print", text=line, fill=10_000_000)

        assert await ask(peer, "echo", a=1) == {"a": 1}
        assert peer.counts["oversized"] == 1


async def test_an_answer_may_be_as_large_as_the_limit() -> None:
    line = '{"jsonrpc":"2.0","id":<id>,"result":"<fill>"}\n'
    around = len(line.replace("<id>", "1").replace("<fill>", "").rstrip())
    async with child("talker", options=PeerOptions(frame_bytes=100_000)) as peer:
        text: str = await ask(peer, "print", text=line, fill=100_000 - around - 1)

        assert len(text) == 100_000 - around - 1


async def test_a_request_that_is_too_large_is_discarded_and_refused() -> None:
    line = '{"jsonrpc":"2.0","id":"big","method":"kv/set","params":"<fill>"}\n'
    done = '{"jsonrpc":"2.0","id":<id>,"result":"done"}\n'
    async with child("talker", options=PeerOptions(frame_bytes=1000)) as peer:
        assert await ask(peer, "print", text=line + done, fill=5000) == "done"
        (refusal,) = await heard(peer, 1)

    assert (refusal["id"], refusal["error"]["code"]) == ("big", -32600)


async def test_a_call_that_is_too_large_is_not_sent() -> None:
    async with child("talker", options=PeerOptions(frame_bytes=1000)) as peer:
        with pytest.raises(FrameTooLargeError, match="the message is larger than 1000 bytes"):
            await ask(peer, "echo", text="x" * 1000)

        assert await ask(peer, "echo", a=1) == {"a": 1}


async def test_a_peer_that_does_not_read_is_not_sent_more_than_a_little() -> None:
    owner = RecordingOwner()
    async with child("unruly", "deaf", owner=owner) as peer:
        await owner.told()
        text = "x" * 100_000
        async with asyncio.TaskGroup() as tasks:
            calls = [
                tasks.create_task(failure_of(peer, text, timeout_seconds=0.3)) for _ in range(1000)
            ]
        failures = [call.result() for call in calls]

    assert failures.count(PeerTimeoutError) < 60
    assert failures.count(PeerBusyError) == 1000 - failures.count(PeerTimeoutError)
    assert peer.counts["shed"] == failures.count(PeerBusyError)


async def failure_of(peer: Peer, text: str, timeout_seconds: float) -> type[Exception]:
    try:
        await ask(peer, "echo", timeout_seconds=timeout_seconds, text=text)
    except (PeerTimeoutError, PeerBusyError) as error:
        return type(error)
    raise AssertionError("a deaf peer has answered")


async def test_no_more_calls_are_open_than_may_be() -> None:
    async with child("talker", options=PeerOptions(open_calls=2)) as peer:
        async with asyncio.TaskGroup() as tasks:
            hanging = [tasks.create_task(ask(peer, "hang")) for _ in range(2)]
            await until(lambda: peer.counts["open_calls"] == 2)
            with pytest.raises(PeerBusyError, match="2 calls are open already"):
                await ask(peer, "echo")
            for call in hanging:
                call.cancel()

        assert await ask(peer, "echo") == {}


async def test_it_is_known_when_the_peer_was_last_heard() -> None:
    loop = asyncio.get_running_loop()
    async with child("talker") as peer:
        started_at = peer.last_heard
        before = loop.time()
        assert started_at <= before
        await ask(peer, "echo")

        assert before <= peer.last_heard <= loop.time()


async def test_what_it_writes_to_standard_error_is_handed_on_by_lines() -> None:
    owner = RecordingOwner()
    async with child("talker", owner=owner) as peer:
        await ask(peer, "complain", text="one\ntwo\nrest")
        await until(lambda: owner.complaints == ["one", "two"])

    assert owner.complaints == ["one", "two", "rest"]


async def test_the_peer_gets_the_given_environment_and_folder(tmp_path: Path) -> None:
    owner = RecordingOwner()
    command = ["/bin/sh", "-c", 'echo "$PWD" >&2; env | sort >&2']
    async with running_peer(command, cwd=tmp_path, env={"ONE": "1"}, owner=owner) as peer:
        await peer.ended()

    names = [line.split("=")[0] for line in owner.complaints[1:]]
    assert owner.complaints[0] == str(tmp_path)
    assert set(names) - {"_", "OLDPWD", "SHLVL"} == {"ONE", "PAPERCUP_FAMILY", "PWD"}
