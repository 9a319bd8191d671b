import asyncio

from extensions.rpc.errors import PeerGoneError, PeerTimeoutError
from extensions.rpc.messages import Success
from extensions.rpc.pending import PendingCalls
from tests.fakes.virtual_clock import run_on_virtual_clock

ANSWER = Success(1, "answer")


def test_a_call_is_settled_once() -> None:
    async def work() -> None:
        calls = PendingCalls()
        answer = calls.add(1, "m", 10)

        assert calls.settle(1, ANSWER)
        assert not calls.settle(1, ANSWER)
        assert await answer is ANSWER
        assert len(calls) == 0
        calls.end(PeerGoneError("over"))

    run_on_virtual_clock(work())


def test_only_a_number_that_was_given_is_an_id() -> None:
    async def work() -> None:
        calls = PendingCalls()
        _answer = calls.add(1, "m", 10)

        for call_id in (2, "1", 1.0, True, None):
            assert not calls.settle(call_id, ANSWER)
        assert calls.settle(1, ANSWER)
        calls.end(PeerGoneError("over"))

    run_on_virtual_clock(work())


def test_each_call_gives_up_in_its_time() -> None:
    async def work() -> None:
        calls = PendingCalls()
        seconds = {1: 30.0, 2: 5.0, 3: 7.0, 4: 5.0}
        futures = {call_id: calls.add(call_id, "m", each) for call_id, each in seconds.items()}
        calls.settle(3, ANSWER)
        loop = asyncio.get_running_loop()
        for call_id in (3, 2, 4, 1):
            outcome = await futures[call_id]
            if call_id == 3:
                assert outcome is ANSWER
                continue
            assert isinstance(outcome, PeerTimeoutError)
            assert loop.time() == seconds[call_id] == outcome.timeout_seconds

        assert len(calls) == 0

    run_on_virtual_clock(work())


def test_a_timer_that_is_left_from_an_answered_call_does_no_harm() -> None:
    async def work() -> None:
        calls = PendingCalls()
        _answer = calls.add(1, "m", 1)
        calls.settle(1, ANSWER)
        late = calls.add(2, "m", 3)

        assert isinstance(await late, PeerTimeoutError)
        assert asyncio.get_running_loop().time() == 3

    run_on_virtual_clock(work())


def test_all_end_alike_when_the_peer_does() -> None:
    async def work() -> None:
        calls = PendingCalls()
        futures = [calls.add(number, "m", 30) for number in range(100)]
        futures[7].cancel()
        error = PeerGoneError("it exited with code 3")
        calls.end(error)

        assert {await future for future in futures if not future.cancelled()} == {error}

    run_on_virtual_clock(work())
