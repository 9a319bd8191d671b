import pytest

from extensions.process.breaker import Breaker, BreakerState, Pass


def opened(at: float = 0.0) -> Breaker:
    breaker = Breaker("ext:stdio:dice")
    for _ in range(5):
        way = breaker.admit(now=at)
        assert way is Pass.FREELY
        breaker.failed(way, now=at)
    return breaker


def test_five_failures_in_a_row_stop_all_calls() -> None:
    breaker = opened()

    assert breaker.state(now=9.9) is BreakerState.OPEN
    assert breaker.admit(now=9.9) is None
    assert breaker.wait_seconds(now=4.0) == 6.0


def test_a_success_between_failures_counts_them_anew() -> None:
    breaker = Breaker("any")
    for _ in range(4):
        breaker.failed(Pass.FREELY, now=0.0)
    breaker.succeeded(Pass.FREELY)
    breaker.failed(Pass.FREELY, now=0.0)

    assert breaker.state(now=0.0) is BreakerState.CLOSED


def test_exactly_one_of_fifty_calls_finds_out() -> None:
    breaker = opened()

    ways = [breaker.admit(now=10.0) for _ in range(50)]

    assert [way for way in ways if way is not None] == [Pass.AS_PROBE]
    assert breaker.state(now=10.0) is BreakerState.HALF_OPEN


def test_two_probes_that_succeed_let_all_calls_through_again() -> None:
    breaker = opened()
    for _ in range(2):
        assert breaker.admit(now=10.0) is Pass.AS_PROBE
        breaker.succeeded(Pass.AS_PROBE)

    assert [breaker.admit(now=10.0) for _ in range(3)] == [Pass.FREELY] * 3


def test_each_probe_that_fails_keeps_it_open_twice_as_long_up_to_a_limit() -> None:
    breaker, now, waits = opened(), 0.0, list[float]()
    for _ in range(6):
        now += breaker.wait_seconds(now=now)
        assert breaker.admit(now=now) is Pass.AS_PROBE
        breaker.failed(Pass.AS_PROBE, now=now)
        waits.append(breaker.wait_seconds(now=now))

    assert waits == [20.0, 40.0, 80.0, 120.0, 120.0, 120.0]


def test_a_probe_that_nobody_waits_for_makes_room_for_the_next() -> None:
    breaker = opened()
    assert breaker.admit(now=10.0) is Pass.AS_PROBE
    breaker.abandoned(Pass.AS_PROBE)

    assert breaker.admit(now=10.0) is Pass.AS_PROBE


@pytest.mark.parametrize("outcome", ["succeeded", "failed", "abandoned"])
def test_a_call_from_before_it_opened_is_no_probe(outcome: str) -> None:
    breaker = opened()
    assert breaker.admit(now=10.0) is Pass.AS_PROBE
    if outcome == "failed":
        breaker.failed(Pass.FREELY, now=10.0)
    else:
        getattr(breaker, outcome)(Pass.FREELY)

    assert breaker.state(now=10.0) is BreakerState.HALF_OPEN
    assert breaker.admit(now=10.0) is None
    assert breaker.times_opened == 1
